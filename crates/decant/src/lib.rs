//! The core of pi-decant: what a coding agent's context becomes.
//!
//! Pure: no clock, no I/O, no JavaScript types. See the README's map for the rooms.

pub mod json;
pub mod transcript;
