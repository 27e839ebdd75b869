//! Turn to batch: what a flush would take, and how the summarizer is shown it.

pub mod batch;
pub mod entries;
pub mod excerpt;
pub mod prompt;
pub mod protect;
pub mod source;
pub mod waiting;
