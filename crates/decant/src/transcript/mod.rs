//! What pi wrote: entries, messages, heads.

pub mod entry;
pub mod head;
pub mod symbols;
