//! The results that wait for a flush, carried from turn to turn: every turn asks for them, and a long session that is
//! flushed on demand has thousands.

use super::batch::Field;
use crate::transcript::branch::Pos;

/// The results that are due. What is found here follows from the branch, the ledger and the configuration alone.
#[derive(Debug, Default)]
pub struct Waiting {
    due: Vec<Pos>,
    /// Everything before this place was looked at and cannot change by what is appended.
    settled: Pos,
}

impl Waiting {
    /// Looks at what was appended. A decision among it only takes away; what can bring an older result back (a compaction,
    /// an edit, a setting) needs a new look at all of it.
    pub fn extend(&mut self, field: Field<'_>) {
        let settled = self.due.partition_point(|&pos| pos < self.settled);
        self.due.truncate(settled);
        self.due.retain(|&pos| !field.is_taken(pos));
        let end = field.branch.len() as Pos;
        self.due.extend((self.settled..end).filter(|&pos| field.is_due(pos)));
        // Results whose assistant still waits for others become due with the last of them.
        self.settled = field.branch.unfinished().unwrap_or(end);
    }

    /// The places that are due, in order.
    pub fn due(&self) -> &[Pos] {
        &self.due
    }

    /// Whether the result at `pos` is due.
    pub fn holds(&self, pos: Pos) -> bool {
        self.due.binary_search(&pos).is_ok()
    }
}
