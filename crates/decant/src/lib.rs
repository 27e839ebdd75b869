//! The core of pi-decant: what a coding agent's context becomes.
//!
//! Pure: no clock, no I/O, no JavaScript types. See the README's map for the rooms.

pub mod capture;
pub mod config;
pub mod epoch;
pub mod json;
pub mod ledger;
mod order;
pub mod recall;
pub mod render;
pub mod replay;
pub mod session;
pub mod text;
pub mod transcript;
