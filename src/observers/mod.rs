//! What is seen beside the time.
