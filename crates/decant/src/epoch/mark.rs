//! The epoch that a change of settings is (law 2): nothing is decided, and all the same a request is not the one before and
//! more.

use super::flush::Ground;
use crate::capture::batch::is_error;
use crate::config::stamp::Stamp;
use crate::ledger::epoch::Epoch;
use crate::transcript::branch::Pos;
use crate::transcript::head::{Head, Role};
use crate::transcript::window::Window;

impl Ground<'_> {
    /// The epoch of a request that was last sent under `before` and goes out under `after`; none where nothing in it had or
    /// has a form. `reason` as [`Stamp::reason`] has it.
    pub fn mark(&self, window: &Window, before: &Stamp, after: &Stamp, reason: &str) -> Option<Epoch> {
        let archived = self.ledger.records().iter().any(|record| record.at.is_some_and(|at| self.branch.projected(at)));
        let blocks = self.ledger.blocks().iter().any(|block| block.shown && self.branch.projected(block.start));
        let messages = || (0..window.len()).map(|at| (window.places()[at], window.head(at, self.branch)));
        let aged = (before.ages() || after.ages())
            && messages().any(|(_, head)| head.role == Role::Assistant || is_error(head));
        let stripped = |(place, head): (Option<Pos>, &Head)| {
            head.thinking_blocks > 0 && place.is_some() && place < self.ledger.thinking_before()
        };
        // What pi's projection has wrong is repaired while we are on, and only then.
        let repaired = reason.starts_with("switched") && window.orphans() > 0;
        (archived || blocks || aged || repaired || messages().any(stripped))
            .then(|| Epoch { stamp: Some(after.clone()), ..Epoch::new(reason, "") })
    }
}
