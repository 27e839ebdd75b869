//! A request in outline: what it takes to list, filter and add up all of its rows, however many they are.

use super::cache::tokens;
use super::change::Change;
use super::pieces::{Kind, Piece};
use crate::json::Value;
use crate::session::Session;
use crate::transcript::head::{Body, Head};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// More kinds of messages than any session has; what goes beyond is one of them.
const MOST_GROUPS: usize = 65_000;

/// A kind of messages: a role, for results with the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    pub key: String,
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// A share of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    pub kind: &'static str,
    pub label: String,
    pub tokens: f64,
}

/// A request taken apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outline {
    pub groups: Vec<Group>,
    /// The group of each row's message, by its place in `groups` plus one; 0: none there.
    #[serde(skip)]
    pub before: Vec<u16>,
    #[serde(skip)]
    pub after: Vec<u16>,
    /// 1 where the sides differ.
    #[serde(skip)]
    pub changed: Vec<u8>,
    /// Of each row's message.
    #[serde(skip)]
    pub tokens_before: Vec<f64>,
    #[serde(skip)]
    pub tokens_after: Vec<f64>,
    /// What all changes together saved, in tokens.
    pub saved: f64,
    /// What `context_tree_query` can be asked with, each once.
    pub refs: Vec<String>,
    /// What the request is made of as it goes out, and what it would be made of without pruning.
    pub map: Vec<Share>,
    #[serde(rename = "mapBefore")]
    pub map_before: Vec<Share>,
}

/// An outline in the making.
#[derive(Debug, Default)]
pub struct Sketch {
    outline: Outline,
    groups: FxHashMap<String, u16>,
    /// The key of the message at hand, in one buffer for all of them.
    key: String,
    refs: FxHashSet<String>,
    pub map: Map,
    pub map_before: Map,
}

/// A message of a row: its group and its UTF-16 units.
pub type Weighed = (u16, u64);

impl Sketch {
    /// Of a request behind so many UTF-16 units that the log does not hold.
    pub fn behind(unseen: u64) -> Self {
        let mut sketch = Self::default();
        for map in [&mut sketch.map, &mut sketch.map_before] {
            map.put(Kind::System, "not in the log", unseen);
        }
        sketch
    }

    /// The group of a message, as rows name it.
    pub fn group(&mut self, message: &Value) -> u16 {
        let text = |key: &str| message.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (role, tool) = (text("role").unwrap_or_default(), text("toolName"));
        self.key.clear();
        self.key.push_str(role);
        if let Some(tool) = tool {
            self.key.push(' ');
            self.key.push_str(tool);
        }
        if let Some(&known) = self.groups.get(&self.key) {
            return known;
        }
        let groups = &mut self.outline.groups;
        if groups.len() < MOST_GROUPS {
            groups.push(Group { key: self.key.clone(), role: role.to_owned(), tool: tool.map(str::to_owned) });
        }
        let group = groups.len() as u16;
        self.groups.insert(self.key.clone(), group);
        group
    }

    pub fn row(&mut self, before: Option<Weighed>, after: Option<Weighed>, change: Option<&Change>) {
        let outline = &mut self.outline;
        let group = |side: Option<Weighed>| side.map_or(0, |(group, _)| group);
        let weight = |side: Option<Weighed>| side.map_or(0.0, |(_, units)| tokens(units));
        outline.before.push(group(before));
        outline.after.push(group(after));
        outline.tokens_before.push(weight(before));
        outline.tokens_after.push(weight(after));
        outline.changed.push(u8::from(change.is_some()));
        let Some(change) = change else { return };
        outline.saved += change.saved_tokens;
        if let Some(reference) = &change.r#ref
            && self.refs.insert(reference.clone())
        {
            outline.refs.push(reference.clone());
        }
    }

    pub fn finish(self) -> Outline {
        let saved = self.outline.saved;
        Outline { map: self.map.finish(saved), map_before: self.map_before.finish(0.0), ..self.outline }
    }
}

/// Shares of a request in the making.
#[derive(Debug, Default)]
pub struct Map {
    shares: BTreeMap<(u8, String), u64>,
}

impl Map {
    pub fn add(&mut self, piece: Option<Piece>, of: Option<(&Head, &Session, bool)>) {
        let Some(piece) = piece else { return };
        for kind in Kind::ALL {
            let units = piece.sizes.get(kind);
            if units == 0 {
                continue;
            }
            match (kind, of) {
                (Kind::Results, Some((head, core, changed))) => {
                    let tool = match head.body {
                        Body::Result { tool, .. } => core.name(tool),
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
        if units == 0 {
            return;
        }
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
