//! One request before and after, message by message.

use super::cache::tokens;
use super::change::{Change, Reasons, change};
use super::compose::pieces_of;
use super::follow::Follow;
use super::pieces::{Kind, Piece};
use super::run::{Request, Run};
use super::show::{self, Image};
use crate::config::Config;
use crate::json::Value;
use crate::render::apply::apply;
use crate::render::plan::{Act, Edit, Plan};
use crate::session::Session;
use crate::transcript::SessionEntry;
use crate::transcript::head::Head;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// A share of the request as it goes out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    pub kind: &'static str,
    pub label: String,
    pub tokens: f64,
}

/// A request taken apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestView {
    pub rows: Vec<Row>,
    pub map: Vec<Share>,
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
    before: Vec<Held>,
    after: Vec<After>,
    view: RequestView,
    plan: Plan,
}

/// A message as pi sends it.
#[derive(Debug)]
enum Held {
    /// As the entry of the path holds it.
    Entry(u32),
    Own(Value),
}

#[derive(Debug)]
enum After {
    Same(usize),
    Changed(Value),
}

impl Detail {
    /// Brings back the moment of `request`.
    pub fn new(
        path: &[&SessionEntry],
        run: &mut Run,
        request: &Request,
        config: &Config,
        cwd: &str,
        recorded: bool,
    ) -> Self {
        let mut core = Session::new(config.clone(), cwd);
        *core.symbols() = run.core.symbols().clone();
        core.extend(run.entries(request.branch));
        let mut follow = Follow::new(path.to_vec(), recorded);
        let len = request.path as usize;
        follow.rebuild(len, &run.positions, &mut core);
        let before = follow.project(len).into_iter().map(|one| match one.message {
            Cow::Borrowed(_) => Held::Entry(follow.place_of(one.entry)),
            Cow::Owned(value) => Held::Own(value),
        });
        let before: Vec<Held> = before.collect();
        let plan = core.render().unwrap_or_default();
        let mut detail =
            Self { core, before, after: Vec::new(), view: RequestView { rows: Vec::new(), map: Vec::new() }, plan };
        detail.make_rows(path, &follow);
        detail
    }

    pub fn view(&self) -> &RequestView {
        &self.view
    }

    fn message<'a>(&'a self, path: &[&'a SessionEntry], index: usize) -> Option<&'a Value> {
        match self.before.get(index)? {
            Held::Entry(at) => path.get(*at as usize)?.value.get("message"),
            Held::Own(value) => Some(value),
        }
    }

    /// The whole text of a message of either list.
    pub fn text(&self, path: &[&SessionEntry], index: usize, after: bool) -> Option<MessageText> {
        let message = if after {
            match self.after.get(index)? {
                After::Same(index) => self.message(path, *index)?,
                After::Changed(value) => value,
            }
        } else {
            self.message(path, index)?
        };
        Some(MessageText { text: show::text(message, usize::MAX), images: show::images(message) })
    }

    /// The messages as they go out.
    pub fn rendered(&self, path: &[&SessionEntry]) -> Vec<Value> {
        let messages: Vec<Value> =
            (0..self.before.len()).filter_map(|index| self.message(path, index).cloned()).collect();
        apply(&self.plan, self.core.forms().texts(), &messages)
    }

    fn make_rows(&mut self, path: &[&SessionEntry], follow: &Follow<'_>) {
        let reasons = Reasons::new(&self.core);
        let mut pieces = pieces_of(&self.plan, follow, &self.core).into_iter();
        let mut map = Map::default();
        let mut rows = Vec::with_capacity(self.before.len());
        let mut edits = self.plan.edits.iter().peekable();
        let mut after: Vec<After> = Vec::new();
        let mut saved = 0.0;
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
                map.add(piece, None);
                let text = show::text(&value, PREVIEW_UNITS);
                let block = text.strip_prefix("<compressed-chain id=\"").and_then(|rest| rest.split('"').next());
                let (what, why) = match block {
                    Some(id) => (format!("block {id}"), "stands for a task that is done".to_owned()),
                    None => ("summary".to_owned(), "stands for the results of a batch above it".to_owned()),
                };
                let r#ref = block.map(str::to_owned);
                let change = Change { what, why, saved_tokens: -tokens(units), r#ref };
                let view = view(&value, after.len(), units, text);
                after.push(After::Changed(value));
                rows.push(Row { before: None, after: Some(view), change: Some(change) });
            }
            let Some(message) = self.message(path, index) else { continue };
            let head = self.core.window().head(index, self.core.branch());
            let piece = follow.piece(index, &self.core);
            let units = piece.sizes.total();
            let before = view(message, index, units, show::text(message, PREVIEW_UNITS));
            if own.is_empty() {
                map.add(pieces.next(), Some((head, &self.core, false)));
                let mut same = before.clone();
                same.index = after.len() as u32;
                after.push(After::Same(index));
                rows.push(Row { before: Some(before), after: Some(same), change: None });
                continue;
            }
            let acts: Vec<Act> = own.iter().map(|edit| edit.act).collect();
            let gone = acts.iter().any(|act| matches!(act, Act::Drop));
            let left = if gone { None } else { pieces.next() };
            let left_units = left.map_or(0, |piece| piece.sizes.total());
            map.add(left, Some((head, &self.core, true)));
            let spared = tokens(units) - tokens(left_units);
            saved += spared;
            let place = self.core.window().places()[index];
            let change = change(&self.core, &reasons, index, place, &acts, spared);
            let shown = (!gone).then(|| {
                let value = self.alone(message, &own);
                let view = view(&value, after.len(), left_units, show::text(&value, PREVIEW_UNITS));
                after.push(After::Changed(value));
                view
            });
            rows.push(Row { before: Some(before), after: shown, change: Some(change) });
        }
        self.view = RequestView { rows, map: map.finish(saved) };
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

fn view(message: &Value, index: usize, units: u64, preview: String) -> MessageView {
    let text = |key: &str| message.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let images = message.get("content").map_or(0, |content| super::texts::blocks(content, "image").count());
    MessageView {
        index: index as u32,
        role: text("role").unwrap_or_default(),
        tool: text("toolName"),
        call_id: text("toolCallId"),
        units: units as f64,
        images: images as u32,
        preview,
    }
}

/// Shares of a request in the making.
#[derive(Debug, Default)]
struct Map {
    shares: BTreeMap<(u8, String), u64>,
}

impl Map {
    fn add(&mut self, piece: Option<Piece>, of: Option<(&Head, &Session, bool)>) {
        let Some(piece) = piece else { return };
        for kind in Kind::ALL {
            let units = piece.sizes.get(kind);
            if units == 0 {
                continue;
            }
            match (kind, of) {
                (Kind::Results, Some((head, core, changed))) => {
                    let tool = match head.body {
                        crate::transcript::head::Body::Result { tool, .. } => core.name(tool),
                        _ => "",
                    };
                    let label = if changed { "stubs" } else { tool };
                    self.put(kind, label, units);
                }
                (Kind::Arguments, Some((head, core, false))) => {
                    for call in head.calls() {
                        self.put(kind, core.name(call.tool), u64::from(call.args_units));
                    }
                }
                (Kind::Arguments, _) => self.put(kind, "with marks", units),
                _ => self.put(kind, kind.name(), units),
            }
        }
    }

    fn put(&mut self, kind: Kind, label: &str, units: u64) {
        *self.shares.entry((kind as u8, label.to_owned())).or_default() += units;
    }

    fn finish(self, saved: f64) -> Vec<Share> {
        let mut shares: Vec<(u8, String, u64)> =
            self.shares.into_iter().map(|((kind, label), units)| (kind, label, units)).collect();
        // Within a kind the largest first.
        shares.sort_by(|a, b| a.0.cmp(&b.0).then(b.2.cmp(&a.2)));
        let mut map: Vec<Share> = shares
            .into_iter()
            .map(|(kind, label, units)| Share { kind: Kind::ALL[kind as usize].name(), label, tokens: tokens(units) })
            .collect();
        if saved > 0.0 {
            map.push(Share { kind: "saved", label: "saved".to_owned(), tokens: saved });
        }
        map
    }
}
