//! Ledger and heads to a plan: pure, in one pass (design section 7).

pub mod apply;
pub mod forms;
pub mod plan;

use crate::ledger::Ledger;
use crate::ledger::epoch::Placement;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::{Head, Role};
use crate::transcript::window::Window;
use forms::Forms;
use plan::{Act, Edit, Plan};

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
    let mut pass = Pass {
        plan: Plan::default(),
        sizes: Sizes { before: window.units(), ..Sizes::default() },
        last: vec![ABSENT; ledger.summary_count()],
        forms,
    };
    if forms.is_empty() && window.orphans() == 0 {
        pass.sizes.after = pass.sizes.before;
        return (pass.plan, pass.sizes);
    }
    for (index, place) in window.places().iter().enumerate() {
        if window.is_orphan(index) {
            pass.sizes.dropped += 1;
            pass.plan.edits.push(Edit { index: index as u32, act: Act::Drop });
        } else {
            pass.message(index as u32, window.head(index, branch), *place);
        }
    }
    pass.show_summaries(window, branch, ledger);
    let Pass { mut plan, sizes, .. } = pass;
    plan.prefix_time = ledger.last_mark().map_or(0.0, |mark| mark.timestamp);
    (plan, sizes)
}

/// No result of the summary is in the request: compacted away, or cut by somebody else.
const ABSENT: u32 = u32::MAX;

struct Pass<'a> {
    plan: Plan,
    sizes: Sizes,
    /// The last message of each summary's results that is still in the request.
    last: Vec<u32>,
    forms: &'a Forms,
}

impl Pass<'_> {
    fn message(&mut self, index: u32, head: &Head, place: Option<Pos>) {
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
        if let Some(summary) = place.and_then(|pos| self.forms.summary_at(pos)) {
            self.last[summary as usize] = index;
        }
    }

    fn show_summaries(&mut self, window: &Window, branch: &Branch, ledger: &Ledger) {
        let edits = self.plan.edits.len();
        for (summary, &last) in self.last.iter().enumerate() {
            if last == ABSENT {
                continue;
            }
            let text = self.forms.summary(summary);
            self.sizes.after += u64::from(self.forms.units(text));
            self.plan.edits.push(match ledger.summary(summary).placement {
                Placement::Message => Edit { index: behind_results(window, branch, last), act: Act::Insert { text } },
                Placement::Block => Edit { index: last, act: Act::Append { text } },
            });
        }
        if self.plan.edits.len() == edits {
            return;
        }
        // Stable: the edits of one index keep the order in which they were made, but for what comes before the message.
        self.plan.edits.sort_by_key(|edit| (edit.index, !matches!(edit.act, Act::Insert { .. })));
    }
}

/// The first index behind the run of results that `last` stands in: a user message inside it would part a call of the
/// same turn from its result.
fn behind_results(window: &Window, branch: &Branch, last: u32) -> u32 {
    let in_run = |&index: &usize| matches!(window.head(index, branch).role, Role::ToolResult | Role::System);
    let run = (last as usize + 1..window.len()).take_while(in_run);
    last + 1 + run.count() as u32
}
