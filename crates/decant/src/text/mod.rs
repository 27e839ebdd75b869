//! Text as JavaScript counts it, and the fixed texts a model or a user sees.

pub mod hash;
pub mod labels;
pub mod stub;
pub mod units;
