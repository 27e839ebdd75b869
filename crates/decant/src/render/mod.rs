//! Ledger and heads to a plan: pure, in one pass over the messages (design section 7).

pub mod apply;
mod assistant;
mod block;
pub mod forms;
pub mod plan;

use crate::config::{Config, Timing};
use crate::ledger::Ledger;
use crate::ledger::epoch::Placement;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::{Body, Head, Role};
use crate::transcript::symbols::Symbols;
use crate::transcript::window::Window;
use assistant::Kept;
use block::Resolved;
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
    pub blocks: u32,
    /// Blocks whose bounds are not in the request, so that what they stood for shows again.
    pub unresolved: u32,
}

/// What a render looks at.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub window: &'a Window,
    pub branch: &'a Branch,
    pub ledger: &'a Ledger,
    pub symbols: &'a Symbols,
    pub config: &'a Config,
    pub forms: &'a Forms,
}

/// The plan for the messages in the window.
pub fn render(scene: Scene<'_>) -> (Plan, Sizes) {
    let Scene { window, ledger, config, forms, .. } = scene;
    let mut pass = Pass {
        scene,
        plan: Plan::default(),
        sizes: Sizes { before: window.units(), ..Sizes::default() },
        shown: vec![Shown::default(); ledger.summary_count()],
        kept: Vec::new(),
    };
    let live = config.thinking_strip.enabled && config.thinking_strip.boundary == Timing::Live;
    if forms.is_empty() && window.orphans() == 0 && ledger.thinking_before().is_none() && !live {
        pass.sizes.after = pass.sizes.before;
        return (pass.plan, pass.sizes);
    }
    pass.messages();
    pass.show_summaries();
    let saved = scene.assistant_edits(&pass.kept, &mut pass.plan.edits);
    pass.sizes.after = pass.sizes.after.saturating_sub(saved);
    // Stable: the edits of one index keep the order in which they were made, but for what comes before the message. In place,
    // a sort of its own: every request comes by here.
    pass.plan.edits.sort_by_key(|edit| (edit.index, !edit.act.comes_before()));
    pass.plan.prefix_time = ledger.last_mark().map_or(0.0, |mark| mark.timestamp);
    (pass.plan, pass.sizes)
}

struct Pass<'a> {
    scene: Scene<'a>,
    plan: Plan,
    sizes: Sizes,
    /// What this request shows of each summary.
    shown: Vec<Shown>,
    /// Assistant messages that stay.
    kept: Vec<Kept>,
}

/// The stubs of one summary in this request.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// The message of the last one. A summary without a stub stands for nothing, and behind a result that is shown whole
    /// it would make that one look longer than its stub when the request is rendered again (law 1).
    last: Option<u32>,
    /// UTF-16 units that the stubs take away.
    gain: u64,
}

impl Pass<'_> {
    fn messages(&mut self) {
        let Scene { window, branch, ledger, forms, .. } = self.scene;
        let (blocks, unresolved) =
            if forms.shows_blocks() { block::resolve(window, branch, ledger, forms) } else { (Vec::new(), 0) };
        self.sizes.blocks = blocks.len() as u32;
        self.sizes.unresolved = unresolved;
        let mut blocks = blocks.into_iter().peekable();
        let mut inside: Option<Resolved> = None;
        for (at, &place) in window.places().iter().enumerate() {
            let index = at as u32;
            let ends = inside.take_if(|one| one.end == index);
            if let Some(one) = blocks.next_if(|one| one.start == index) {
                self.sizes.after += block::show(one, window, branch, ledger, forms, &mut self.plan.edits);
                inside = Some(one);
            }
            let head = window.head(at, branch);
            let hidden = inside.is_some_and(|one| one.start != index) && block::hides(head, place, branch);
            if hidden || window.is_orphan(at) {
                self.sizes.dropped += u32::from(!hidden);
                self.plan.edits.push(Edit { index, act: Act::Drop });
                continue;
            }
            self.message(index, head, place);
            if matches!(head.body, Body::Assistant { .. }) {
                let ends_block = ends.or(inside).is_some_and(|one| ledger.blocks()[one.block].strip_reply);
                self.kept.push(Kept { index, place, ends_block });
            }
        }
    }

    fn message(&mut self, index: u32, head: &Head, place: Option<Pos>) {
        let forms = self.scene.forms;
        let stub = place.and_then(|pos| forms.stub(pos)).filter(|&stub| {
            // Never longer (law 7): "ok" stays "ok".
            head.role == Role::ToolResult && head.units() > u64::from(forms.units(stub))
        });
        let Some(text) = stub else {
            self.sizes.after += head.units();
            return;
        };
        self.plan.edits.push(Edit { index, act: Act::Replace { text } });
        self.sizes.after += u64::from(forms.units(text));
        self.sizes.stubs += 1;
        if let Some(summary) = place.and_then(|pos| forms.summary_at(pos)) {
            let shown = &mut self.shown[summary as usize];
            shown.last = Some(index);
            shown.gain += head.units() - u64::from(forms.units(text));
        }
    }

    fn show_summaries(&mut self) {
        let Scene { window, branch, ledger, forms, .. } = self.scene;
        for summary in 0..self.shown.len() {
            let Shown { last: Some(last), gain } = self.shown[summary] else { continue };
            let text = forms.summary(summary);
            let units = u64::from(forms.units(text));
            if gain <= units {
                self.retract(summary as u32, gain);
                continue;
            }
            self.sizes.after += units;
            self.plan.edits.push(match ledger.summary(summary).placement {
                Placement::Message => Edit { index: behind_results(window, branch, last), act: Act::Insert { text } },
                Placement::Block => Edit { index: last, act: Act::Append { text } },
            });
        }
    }

    /// Takes back the stubs of a summary that would be longer than all it stands for. When it was written it was not
    /// (law 7), but since then a context edit cut the results short, or a block hides most of them.
    fn retract(&mut self, summary: u32, gain: u64) {
        let Scene { window, forms, .. } = self.scene;
        let is_its = |edit: &Edit| {
            let place = window.places().get(edit.index as usize).copied().flatten();
            matches!(edit.act, Act::Replace { .. }) && place.and_then(|pos| forms.summary_at(pos)) == Some(summary)
        };
        let before = self.plan.edits.len();
        self.plan.edits.retain(|edit| !is_its(edit));
        self.sizes.stubs -= (before - self.plan.edits.len()) as u32;
        self.sizes.after += gain;
    }
}

/// The first index behind the run of results that `last` stands in: a user message inside it would part a call of the
/// same turn from its result.
fn behind_results(window: &Window, branch: &Branch, last: u32) -> u32 {
    let in_run = |&index: &usize| matches!(window.head(index, branch).role, Role::ToolResult | Role::System);
    let run = (last as usize + 1..window.len()).take_while(in_run);
    last + 1 + run.count() as u32
}
