//! knees
