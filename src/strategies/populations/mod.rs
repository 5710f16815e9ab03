//! What searches share that breed many configurations at once: members, crossover and other ways
//! to mix them, and the way back to what is valid.

pub(super) mod continuous;
pub(super) mod crossover;
pub(super) mod donor;
pub(super) mod members;
pub(super) mod repair;
