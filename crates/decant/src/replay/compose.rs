//! The request as it goes out, kept from one to the next: between two epochs it only grows (law 2), so it is rendered
//! anew only until nothing behind it can change it or two renders running agree, and then followed message by message.

use super::follow::Follow;
use super::pieces::{Kind, Piece, Sizes, Stack, key_of};
use crate::config::{Config, Timing};
use crate::json::{Value, stringify_len};
use crate::render::plan::{Act, Edit, Plan};
use crate::session::Session;
use crate::text::stub;
use crate::transcript::head::Body;

/// The request under way, pruned.
#[derive(Debug, Default)]
pub struct Composer {
    pub stack: Stack,
    /// How many pieces stand before each item that was taken.
    starts: Vec<u32>,
    /// And before what was inserted behind the last of them.
    end: u32,
    /// How many items are what they were when they were taken.
    valid: usize,
    /// The version of the forms that it was rendered with.
    version: Option<u32>,
    /// Whether the last render left all pieces before it as they were.
    agreed: bool,
    /// What the last render did, each edit with a key.
    edits: Vec<(u32, u64)>,
    /// Hashes of the texts of the forms, and the base of their ids.
    texts: Vec<u64>,
    base: Option<u32>,
}

impl Composer {
    /// `unseen`: UTF-16 units that stand before the first message.
    pub fn new(unseen: u64) -> Self {
        Self { stack: Stack::behind(unseen), ..Self::default() }
    }

    /// The items from `at` on are others.
    pub fn forget(&mut self, at: usize) {
        self.agreed = false;
        self.valid = self.valid.min(at);
    }

    /// Brings the stack up to the window; how many pieces at its beginning are as they were in the request before.
    pub fn compose(&mut self, follow: &Follow<'_>, core: &mut Session) -> usize {
        let before = self.stack.len();
        let known = self.version == Some(core.forms_version());
        if known && self.agreed && !is_live(core.config()) {
            self.follow(follow, core);
            return before;
        }
        self.version = Some(core.forms_version());
        if self.base != Some(core.forms_base()) {
            self.base = Some(core.forms_base());
            self.texts.clear();
        }
        let news = &core.forms().texts()[self.texts.len()..];
        self.texts.extend(news.iter().map(key_of));
        let plan = core.render().unwrap_or_default();
        let from = self.first_change(&plan, follow);
        let start = self.starts.get(from).copied().unwrap_or(self.end) as usize;
        self.starts.truncate(from);
        let pieces =
            pieces(&plan, &self.texts, follow, core, from, &mut |count| self.starts.push((start + count) as u32));
        self.end = self.starts.pop().unwrap_or_default();
        let same = self.stack.replace(start, &pieces);
        self.valid = follow.items.len();
        self.agreed = known && same == before || is_settled(&plan, follow, core);
        same
    }

    /// The first item that can look otherwise than in the last render.
    fn first_change(&mut self, plan: &Plan, follow: &Follow<'_>) -> usize {
        let edits: Vec<(u32, u64)> = plan.edits.iter().map(|edit| (edit.index, self.key(edit, follow))).collect();
        let same = self.edits.iter().zip(&edits).take_while(|(old, new)| old == new).count();
        let first =
            [self.edits.get(same), edits.get(same)].into_iter().flatten().map(|(index, _)| *index as usize).min();
        self.edits = edits;
        first.unwrap_or(usize::MAX).min(self.valid).min(self.starts.len())
    }

    fn key(&self, edit: &Edit, follow: &Follow<'_>) -> u64 {
        match edit.act {
            Act::Insert { text } => key_of((0, self.texts[text as usize])),
            Act::Extend { text } => key_of((1, self.texts[text as usize])),
            Act::Quote { message } => {
                let item = &follow.items[message as usize];
                key_of((2, item.entry, item.variant))
            }
            Act::Replace { text } => key_of((3, self.texts[text as usize])),
            Act::Append { text } => key_of((4, self.texts[text as usize])),
            Act::Arguments { call, text } => key_of((5, call, self.texts[text as usize])),
            Act::DropThinking => 6,
            Act::CutIds => 7,
            Act::Drop => 8,
        }
    }

    fn follow(&mut self, follow: &Follow<'_>, core: &Session) {
        for index in self.starts.len()..follow.items.len() {
            self.starts.push(self.end);
            // A result that nothing calls is left out; the next render says so too.
            if core.config().enabled && core.window().is_orphan(index) {
                self.edits.push((index as u32, 8));
            } else {
                self.stack.push(follow.piece(index, core));
            }
            self.end = self.stack.len() as u32;
        }
        self.valid = follow.items.len();
    }

    /// UTF-16 units that the next request carries so far: what is composed, and what came behind it.
    pub fn estimate(&self, follow: &Follow<'_>, core: &Session) -> u64 {
        let taken = self.starts.len().min(follow.items.len());
        let news = (taken..follow.items.len()).map(|at| follow.piece(at, core).sizes.total());
        self.stack.units(self.stack.len()) + news.sum::<u64>()
    }
}

/// Whether messages that come behind this request change nothing in it: nothing was inserted at its very end, where a
/// system message could come before it, and the newest reply has no thinking that it keeps only for being the newest.
fn is_settled(plan: &Plan, follow: &Follow<'_>, core: &Session) -> bool {
    let len = follow.items.len();
    let heads = (0..len).rev().map(|index| core.window().head(index, core.branch()));
    let newest = heads.into_iter().find(|head| matches!(head.body, Body::Assistant { .. }));
    plan.edits.last().is_none_or(|edit| (edit.index as usize) < len)
        && newest.is_none_or(|head| head.thinking_blocks == 0)
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
    pieces(plan, &texts, follow, core, 0, &mut |_| ())
}

/// The pieces of a rendered request from item `from` on; in order as [`crate::render::apply`] makes the messages. `begins`
/// is told how many there are before each item, and before what comes behind the last.
fn pieces(
    plan: &Plan,
    texts: &[u64],
    follow: &Follow<'_>,
    core: &Session,
    from: usize,
    begins: &mut dyn FnMut(usize),
) -> Vec<Piece> {
    let mut out = Vec::new();
    let first = plan.edits.partition_point(|edit| (edit.index as usize) < from);
    let mut edits = plan.edits[first..].iter().peekable();
    for index in from..=follow.items.len() {
        begins(out.len());
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
