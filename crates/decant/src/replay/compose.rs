//! The request as it goes out, kept from one to the next: between two epochs it only grows (law 2), so it is rendered
//! anew only until two renders running agree, and then followed message by message.

use super::follow::Follow;
use super::pieces::{Kind, Piece, Sizes, Stack, key_of};
use crate::config::{Config, Timing};
use crate::json::{Value, stringify_len};
use crate::render::plan::{Act, Edit, Plan};
use crate::session::Session;
use crate::text::stub;

/// The request under way, pruned.
#[derive(Debug, Default)]
pub struct Composer {
    pub stack: Stack,
    /// How many items of the window it holds.
    taken: usize,
    /// The version of the forms that it was rendered with.
    version: Option<u32>,
    /// Whether the last render left all pieces before it as they were.
    agreed: bool,
    /// Hashes of the texts of the forms.
    texts: Vec<u64>,
}

impl Composer {
    /// The window was changed from item `at` on.
    pub fn forget(&mut self) {
        self.agreed = false;
    }

    /// Brings the stack up to the window; how many pieces at its beginning are as they were in the request before.
    pub fn compose(&mut self, follow: &Follow<'_>, core: &mut Session) -> usize {
        let before = self.stack.len();
        let known = self.version == Some(core.forms_version());
        if known && self.agreed && !is_live(core.config()) {
            self.follow(follow, core);
            return before;
        }
        if !known {
            self.texts = core.forms().texts().iter().map(key_of).collect();
            self.version = Some(core.forms_version());
        }
        let plan = core.render().unwrap_or_default();
        let pieces = pieces(&plan, &self.texts, follow, core);
        let same = self.stack.replace(&pieces);
        self.taken = follow.items.len();
        self.agreed = known && same == before;
        same
    }

    fn follow(&mut self, follow: &Follow<'_>, core: &Session) {
        for index in self.taken..follow.items.len() {
            // A result that nothing calls is left out.
            if !(core.config().enabled && core.window().is_orphan(index)) {
                self.stack.push(follow.piece(index, core));
            }
        }
        self.taken = follow.items.len();
    }

    /// UTF-16 units that the next request carries so far: what is composed, and what came behind it.
    pub fn estimate(&self, follow: &Follow<'_>, core: &Session) -> u64 {
        let news =
            (self.taken.min(follow.items.len())..follow.items.len()).map(|at| follow.piece(at, core).sizes.total());
        self.stack.units(self.stack.len()) + news.sum::<u64>()
    }
}

/// Whether forms change with every request.
fn is_live(config: &Config) -> bool {
    config.enabled
        && (config.purge_errors.enabled && config.purge_errors.timing == Timing::Live
            || config.thinking_strip.enabled && config.thinking_strip.boundary == Timing::Live)
}

/// The pieces of a plan without anything known of the texts before.
pub fn pieces_of(plan: &Plan, follow: &Follow<'_>, core: &Session) -> Vec<Piece> {
    let texts: Vec<u64> = core.forms().texts().iter().map(key_of).collect();
    pieces(plan, &texts, follow, core)
}

/// The pieces of a rendered request; in order as [`crate::render::apply`] makes the messages.
fn pieces(plan: &Plan, texts: &[u64], follow: &Follow<'_>, core: &Session) -> Vec<Piece> {
    let mut out = Vec::with_capacity(follow.items.len() + 8);
    let mut edits = plan.edits.iter().peekable();
    for index in 0..=follow.items.len() {
        let mut current = (index < follow.items.len()).then(|| follow.piece(index, core));
        while let Some(edit) = edits.next_if(|edit| edit.index as usize == index) {
            edit_piece(edit, &mut current, &mut out, texts, follow, core);
        }
        out.extend(current);
    }
    out
}

fn edit_piece(
    edit: &Edit,
    current: &mut Option<Piece>,
    out: &mut Vec<Piece>,
    texts: &[u64],
    follow: &Follow<'_>,
    core: &Session,
) {
    let units = |text: u32| u64::from(core.forms().units(text));
    let hash = |text: u32| texts[text as usize];
    match edit.act {
        Act::Insert { text } => {
            let sizes = Sizes::one(Kind::Summaries, units(text));
            out.push(Piece { key: hash(text), sizes, blocks: 1 });
            return;
        }
        Act::Extend { text } => {
            if let Some(last) = out.last_mut() {
                last.sizes.add(Kind::Summaries, units(text));
                last.change(hash(text));
            }
            return;
        }
        Act::Quote { message } => {
            let quoted = follow.piece(message as usize, core);
            if let Some(last) = out.last_mut() {
                last.sizes.add(Kind::Summaries, quoted.sizes.total());
                last.change(quoted.key);
            }
            return;
        }
        Act::Drop => {
            *current = None;
            return;
        }
        _ => {}
    }
    let Some(piece) = current else { return };
    match edit.act {
        Act::Replace { text } => {
            piece.sizes = Sizes::one(Kind::Results, units(text));
            piece.blocks = 1;
            piece.change((0, hash(text)));
        }
        Act::Append { text } => {
            piece.sizes.add(Kind::Summaries, units(text));
            piece.blocks += 1;
            piece.change((1, hash(text)));
        }
        Act::Arguments { call, text } => {
            let head = core.window().head(edit.index as usize, core.branch());
            let whole = head.calls().get(call as usize).map_or(0, |call| u64::from(call.args_units));
            let rest = piece.sizes.get(Kind::Arguments).saturating_sub(whole);
            let key = stub::PURGED_KEY.len() + "{\"\":}".len();
            let mark = Value::from(core.forms().texts()[text as usize].as_str());
            piece.sizes.set(Kind::Arguments, rest + (stringify_len(&mark) + key) as u64);
            piece.change((2, call, hash(text)));
        }
        Act::DropThinking => {
            piece.sizes.set(Kind::Thinking, 0);
            piece.change(3);
        }
        Act::CutIds => piece.change(4),
        Act::Insert { .. } | Act::Extend { .. } | Act::Quote { .. } | Act::Drop => {}
    }
}
