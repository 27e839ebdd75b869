//! Originals back: what `context_tree_query` answers.

pub mod page;
pub mod query;
