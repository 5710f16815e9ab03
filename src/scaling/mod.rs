//! scaling
