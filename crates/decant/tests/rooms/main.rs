//! What crosses the core's rooms, by example: entries to a ledger, a flush to an epoch, an epoch to a request, a ref to
//! its original. What holds for every session is in `laws`.

#[path = "../support/mod.rs"]
mod support;

mod branches;
mod epochs;
mod flushes;
mod original_entries;
mod placement;
mod queries;
