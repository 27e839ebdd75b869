//! The moments at which the form of a sent message may change: a flush, or a change of settings. The planner that weighs
//! candidates of every kind (design section 8) takes its place beside them. A spill decides before a result is first sent.

pub mod aging;
mod block;
pub mod budget;
pub mod chains;
pub mod commit;
pub mod flush;
mod mark;
pub mod spill;
