//! The moments at which the form of a sent message may change. For now a flush is the only one; the planner that weighs
//! candidates of every kind (design section 8) takes its place beside it. A spill decides before a result is first sent.

pub mod aging;
mod block;
pub mod budget;
pub mod chains;
pub mod commit;
pub mod flush;
pub mod spill;
