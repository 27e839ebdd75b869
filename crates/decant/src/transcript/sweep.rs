//! No result without its call, no second result for a call (law 3), with the boundaries pi-ai draws (pi-host.md 4.1).

use super::head::{Body, Call, Head, Role};
use super::symbols::Sym;

/// The calls that are still to be answered at this point of the request.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    open: Vec<Sym>,
}

impl Sweep {
    /// Whether nothing before this message can be answered behind it.
    pub(super) fn begins(head: &Head) -> bool {
        !matches!(head.body, Body::Result { .. }) && head.role != Role::System
    }

    /// Takes the next message; false for a result that nothing in the request calls: a provider refuses it, and pi does
    /// not take it out (reports 1, 2, 4).
    pub(super) fn keeps(&mut self, head: &Head) -> bool {
        match &head.body {
            Body::Assistant { calls, failed } => {
                self.open.clear();
                if !failed {
                    self.open.extend(calls.iter().map(|Call { id, .. }| *id));
                }
                true
            }
            Body::Result { call, .. } => {
                let found = self.open.iter().position(|id| id == call);
                found.map(|at| self.open.swap_remove(at)).is_some()
            }
            Body::Plain => {
                if head.role != Role::System {
                    self.open.clear();
                }
                true
            }
        }
    }
}
