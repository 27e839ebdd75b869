//! Ledger and heads to a plan: pure, in one pass (design section 7).

pub mod apply;
pub mod forms;
pub mod plan;
mod sweep;

use crate::ledger::Ledger;
use crate::ledger::epoch::Placement;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::{Body, Head, Role};
use crate::transcript::window::Window;
use forms::Forms;
use plan::{Act, Edit, Plan};
use rustc_hash::FxHashMap;
use sweep::Sweep;

/// Sizes of one render in UTF-16 units, and what it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub before: u64,
    pub after: u64,
    pub stubs: u32,
    /// Results left out because nothing in the request calls them.
    pub dropped: u32,
}

/// The plan for the messages in `window`.
pub fn render(window: &Window, branch: &Branch, ledger: &Ledger, forms: &Forms) -> (Plan, Sizes) {
    let heads = window.heads();
    let mut pass = Pass { plan: Plan::default(), sizes: Sizes::default(), last: FxHashMap::default(), ledger, forms };
    let mut sweep = Sweep::default();
    for (index, (head, place)) in heads.iter().zip(window.places()).enumerate() {
        pass.sizes.before += head.units();
        if sweep.keeps(head) {
            pass.result(index as u32, head, *place);
        } else {
            pass.sizes.dropped += 1;
            pass.plan.edits.push(Edit { index: index as u32, act: Act::Drop });
        }
    }
    pass.show_summaries(heads);
    let Pass { mut plan, sizes, .. } = pass;
    plan.stale_usage_before = stale_usage(window, branch, ledger);
    (plan, sizes)
}

struct Pass<'a> {
    plan: Plan,
    sizes: Sizes,
    /// The last message of each summary's results that is still in the request.
    last: FxHashMap<usize, u32>,
    ledger: &'a Ledger,
    forms: &'a Forms,
}

impl Pass<'_> {
    fn result(&mut self, index: u32, head: &Head, place: Option<Pos>) {
        let stub = place.and_then(|pos| self.forms.stub(pos)).filter(|&stub| {
            // Never longer (law 7): "ok" stays "ok".
            head.role == Role::ToolResult && head.units() > u64::from(self.forms.units(stub))
        });
        if let Some(text) = stub {
            self.plan.edits.push(Edit { index, act: Act::Replace { text } });
            self.sizes.after += u64::from(self.forms.units(text));
            self.sizes.stubs += 1;
        } else {
            self.sizes.after += head.units();
        }
        if let Some(summary) = place.and_then(|pos| self.ledger.summary_of(pos)) {
            self.last.insert(summary, index);
        }
    }

    fn show_summaries(&mut self, heads: &[Head]) {
        let mut shown: Vec<(usize, u32)> = self.last.drain().collect();
        if shown.is_empty() {
            return;
        }
        shown.sort_unstable();
        for (summary, last) in shown {
            let text = self.forms.summary(summary);
            self.sizes.after += u64::from(self.forms.units(text));
            self.plan.edits.push(match self.ledger.summary(summary).placement {
                Placement::Message => Edit { index: behind_results(heads, last), act: Act::Insert { text } },
                Placement::Block => Edit { index: last, act: Act::Append { text } },
            });
        }
        // Stable: the edits of one index keep the order in which they were made, but for what comes before the message.
        self.plan.edits.sort_by_key(|edit| (edit.index, !matches!(edit.act, Act::Insert { .. })));
    }
}

/// The first index behind the run of results that `last` stands in: a user message inside it would part a call of the
/// same turn from its result.
fn behind_results(heads: &[Head], last: u32) -> u32 {
    let run = heads[last as usize + 1..].iter().take_while(|head| matches!(head.role, Role::ToolResult | Role::System));
    last + 1 + run.count() as u32
}

fn stale_usage(window: &Window, branch: &Branch, ledger: &Ledger) -> u32 {
    let Some(mark) = ledger.last_mark() else { return 0 };
    debug_assert!((mark.pos as usize) < branch.len());
    let old = |(head, place): (&Head, &Option<Pos>)| {
        // A reply asked for before the epoch was written may be stored behind it.
        matches!(head.body, Body::Assistant { .. })
            && place.is_some_and(|pos| pos < mark.pos || head.timestamp <= mark.timestamp)
    };
    window.heads().iter().zip(window.places()).rposition(old).map_or(0, |index| index as u32 + 1)
}
