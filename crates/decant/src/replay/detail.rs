//! One request before and after, message by message. What a row says is made when it is asked for: of the thousands that a
//! long request has, a screen shows a dozen.

use super::cache::tokens;
use super::change::{Change, Reasons, change};
use super::compose::pieces_of;
use super::follow::{Follow, Item};
use super::outline::{Outline, Sketch};
use super::run::{Request, Run};
use super::show::{self, Image};
use crate::config::Config;
use crate::json::Value;
use crate::render::apply::apply;
use crate::render::plan::{Act, Edit, Plan};
use crate::session::Session;
use crate::transcript::SessionEntry;
use serde::Serialize;
use std::borrow::Cow;

/// UTF-16 units of a preview.
const PREVIEW_UNITS: usize = 400;

/// A message in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    pub index: u32,
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// UTF-16 units.
    pub units: f64,
    pub images: u32,
    pub preview: String,
}

/// What stands beside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<MessageView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<MessageView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

/// A message whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageText {
    pub text: String,
    pub images: Vec<Image>,
}

/// The session as it stood when a request went out.
#[derive(Debug)]
pub struct Detail {
    pub core: Session,
    /// How far the core has been read, and the request that followed.
    branch: u32,
    items: Vec<Item>,
    before: Vec<Held>,
    after: Vec<After>,
    lines: Vec<Line>,
    outline: Outline,
    plan: Plan,
}

/// A row, not yet in words.
#[derive(Debug)]
struct Line {
    before: Option<Told>,
    after: Option<Told>,
    change: Option<Change>,
}

/// A message of a list: its place there, and its UTF-16 units.
#[derive(Clone, Copy, Debug)]
struct Told {
    index: usize,
    units: u64,
}

/// A message as pi sends it.
#[derive(Debug)]
enum Held {
    /// As the entry of the path holds it.
    Entry(u32),
    Own(Value),
}

/// A message as it goes out.
#[derive(Debug)]
enum After {
    /// As it stands in the list before.
    Same(usize),
    /// That one with these edits.
    Edited(usize, Vec<Edit>),
    Inserted(Value),
}

impl Detail {
    /// Brings back the moment of `request`; from that of an earlier one of the same run, where there is one, since a slider
    /// is moved step by step.
    pub fn new(
        path: &[&SessionEntry],
        run: &mut Run,
        request: &Request,
        config: &Config,
        cwd: &str,
        recorded: bool,
        earlier: Option<Self>,
    ) -> Self {
        let mut follow = Follow::new(path.to_vec(), recorded);
        let (mut core, known) = if let Some(earlier) = earlier.filter(|earlier| earlier.branch <= request.branch) {
            follow.items = earlier.items;
            (earlier.core, earlier.branch)
        } else {
            let mut core = Session::new(config.clone(), cwd);
            *core.symbols() = run.core.symbols().clone();
            (core, 0)
        };
        core.extend(run.entries(known..request.branch));
        let len = request.path as usize;
        let projected = follow.project(len);
        follow.take(len, &projected, &run.positions, &mut core);
        let before = projected.into_iter().map(|one| match one.message {
            // A compaction's system message is borrowed, too, and is not the entry's message.
            Cow::Borrowed(value) if one.entry.value.get("message").is_some_and(|own| std::ptr::eq(own, value)) => {
                Held::Entry(follow.place_of(one.entry))
            }
            message => Held::Own(message.into_owned()),
        });
        let before: Vec<Held> = before.collect();
        let plan = core.render().unwrap_or_default();
        let (after, lines, outline) = (Vec::new(), Vec::new(), Outline::default());
        let (branch, items) = (request.branch, Vec::new());
        let mut detail = Self { core, branch, items, before, after, lines, outline, plan };
        detail.make_lines(path, &follow, run.unseen);
        detail.items = follow.items;
        detail
    }

    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The rows at these places; of those there are.
    pub fn rows(&self, path: &[&SessionEntry], places: &[u32]) -> Vec<Row> {
        let lines = places.iter().filter_map(|&place| self.lines.get(place as usize));
        let rows = lines.map(|line| Row {
            before: line.before.and_then(|told| Some(view(self.message(path, told.index)?, told))),
            after: line.after.and_then(|told| Some(view(&*self.message_after(path, told.index)?, told))),
            change: line.change.clone(),
        });
        rows.collect()
    }

    fn message<'a>(&'a self, path: &[&'a SessionEntry], index: usize) -> Option<&'a Value> {
        match self.before.get(index)? {
            Held::Entry(at) => path.get(*at as usize)?.value.get("message"),
            Held::Own(value) => Some(value),
        }
    }

    fn message_after<'a>(&'a self, path: &[&'a SessionEntry], index: usize) -> Option<Cow<'a, Value>> {
        Some(match self.after.get(index)? {
            After::Same(index) => Cow::Borrowed(self.message(path, *index)?),
            After::Edited(index, edits) => Cow::Owned(self.alone(self.message(path, *index)?, edits)),
            After::Inserted(value) => Cow::Borrowed(value),
        })
    }

    /// The whole text of a message of either list.
    pub fn text(&self, path: &[&SessionEntry], index: usize, after: bool) -> Option<MessageText> {
        let message = if after { self.message_after(path, index)? } else { Cow::Borrowed(self.message(path, index)?) };
        Some(MessageText { text: show::text(&message, usize::MAX), images: show::images(&message) })
    }

    /// The messages as they go out.
    pub fn rendered(&self, path: &[&SessionEntry]) -> Vec<Value> {
        let messages: Vec<Value> =
            (0..self.before.len()).filter_map(|index| self.message(path, index).cloned()).collect();
        apply(&self.plan, self.core.forms().texts(), &messages)
    }

    fn make_lines(&mut self, path: &[&SessionEntry], follow: &Follow<'_>, unseen: u64) {
        let reasons = Reasons::new(&self.core);
        let mut pieces = pieces_of(&self.plan, follow, &self.core).into_iter();
        let mut sketch = Sketch::behind(unseen);
        let mut lines = Vec::with_capacity(self.before.len());
        let mut edits = self.plan.edits.iter().peekable();
        let mut after: Vec<After> = Vec::new();
        for index in 0..=self.before.len() {
            let mut own: Vec<Edit> = Vec::new();
            let mut put: Vec<Edit> = Vec::new();
            while let Some(edit) = edits.next_if(|edit| edit.index as usize == index) {
                (if edit.act.comes_before() { &mut put } else { &mut own }).push(*edit);
            }
            for inserted in put.chunk_by(|_, next| !matches!(next.act, Act::Insert { .. })) {
                let Some(value) = self.inserted(path, inserted) else { continue };
                let piece = pieces.next();
                let units = piece.map_or(0, |piece| piece.sizes.total());
                sketch.map.add(piece, None);
                let text = show::text(&value, PREVIEW_UNITS);
                let block = text.strip_prefix("<compressed-chain id=\"").and_then(|rest| rest.split('"').next());
                let (what, why) = match block {
                    Some(id) => (format!("block {id}"), "stands for a task that is done".to_owned()),
                    None => ("summary".to_owned(), "stands for the results of a batch above it".to_owned()),
                };
                let r#ref = block.map(str::to_owned);
                let change = Change { what, why, saved_tokens: -tokens(units), r#ref };
                let told = Told { index: after.len(), units };
                let group = sketch.group(&value);
                sketch.row(None, Some((group, units)), Some(&change));
                after.push(After::Inserted(value));
                lines.push(Line { before: None, after: Some(told), change: Some(change) });
            }
            let Some(message) = self.message(path, index) else { continue };
            let head = self.core.window().head(index, self.core.branch());
            let piece = follow.piece(index, &self.core);
            let units = piece.sizes.total();
            sketch.map_before.add(Some(piece), Some((head, &self.core, false)));
            let group = sketch.group(message);
            let before = Some(Told { index, units });
            if own.is_empty() {
                sketch.map.add(pieces.next(), Some((head, &self.core, false)));
                sketch.row(Some((group, units)), Some((group, units)), None);
                lines.push(Line { before, after: Some(Told { index: after.len(), units }), change: None });
                after.push(After::Same(index));
                continue;
            }
            let acts: Vec<Act> = own.iter().map(|edit| edit.act).collect();
            let gone = acts.iter().any(|act| matches!(act, Act::Drop));
            let left = if gone { None } else { pieces.next() };
            let left_units = left.map_or(0, |piece| piece.sizes.total());
            sketch.map.add(left, Some((head, &self.core, true)));
            let spared = tokens(units) - tokens(left_units);
            let place = self.core.window().places()[index];
            let change = change(&self.core, &reasons, index, place, &acts, spared);
            sketch.row(Some((group, units)), (!gone).then_some((group, left_units)), Some(&change));
            let told = Told { index: after.len(), units: left_units };
            lines.push(Line { before, after: (!gone).then_some(told), change: Some(change) });
            if !gone {
                after.push(After::Edited(index, own));
            }
        }
        self.outline = sketch.finish();
        self.lines = lines;
        self.after = after;
    }

    /// One message as its own edits leave it.
    fn alone(&self, message: &Value, edits: &[Edit]) -> Value {
        let edits = edits.iter().map(|edit| Edit { index: 0, act: edit.act }).collect();
        let plan = Plan { edits, prefix_time: 0.0 };
        apply(&plan, self.core.forms().texts(), std::slice::from_ref(message)).pop().unwrap_or_default()
    }

    /// The message that an insertion with all that goes on with it makes.
    fn inserted(&self, path: &[&SessionEntry], edits: &[Edit]) -> Option<Value> {
        let mut quoted: Vec<Value> = Vec::new();
        let mut own = Vec::with_capacity(edits.len());
        for edit in edits {
            let act = match edit.act {
                Act::Quote { message } => {
                    quoted.push(self.message(path, message as usize).cloned().unwrap_or_default());
                    Act::Quote { message: quoted.len() as u32 - 1 }
                }
                act => act,
            };
            own.push(act);
        }
        // All before the first of the quoted, which are there only to be quoted.
        let edits = own.into_iter().map(|act| Edit { index: 0, act }).collect();
        let plan = Plan { edits, prefix_time: 0.0 };
        apply(&plan, self.core.forms().texts(), &quoted).into_iter().next()
    }
}

fn view(message: &Value, Told { index, units }: Told) -> MessageView {
    let text = |key: &str| message.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let images = message.get("content").map_or(0, |content| super::texts::blocks(content, "image").count());
    MessageView {
        index: index as u32,
        role: text("role").unwrap_or_default(),
        tool: text("toolName"),
        call_id: text("toolCallId"),
        units: units as f64,
        images: images as u32,
        preview: show::text(message, PREVIEW_UNITS),
    }
}
