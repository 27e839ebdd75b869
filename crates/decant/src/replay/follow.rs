//! The messages pi would send, kept in step with the branch: read once as they come, anew only where a compaction or a
//! context edit changes what stands before.

use super::pieces::{Kind, Piece, Sizes, key_of};
use crate::json::{Value, stringify_len};
use crate::session::Session;
use crate::transcript::SessionEntry;
use crate::transcript::branch::Pos;
use crate::transcript::entry::EntryKind;
use crate::transcript::head::{Body, Head, IMAGE_UNITS, Role};
use crate::transcript::projection::{self, Projected};
use crate::transcript::read_head::message_head;
use crate::transcript::window::Seen;
use rustc_hash::FxHashMap;

/// A message of the request under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its entry, by the place on the path.
    pub entry: u32,
    /// What tells two messages of one entry apart, and an edited one from itself; 0: as the entry has it.
    pub variant: u64,
    /// UTF-16 units of tool definitions, which a system message carries beside its text.
    tools: u32,
    /// Whether it is a message of the original pruner, which a session without pruning has not.
    pub ours: bool,
}

/// The path and the request that follows from it.
#[derive(Debug)]
pub struct Follow<'a> {
    path: Vec<&'a SessionEntry>,
    /// Where each entry of the path stands, by its address.
    places: FxHashMap<usize, u32>,
    /// Whether entries of pruners are part of it.
    recorded: bool,
    pub items: Vec<Item>,
}

impl<'a> Follow<'a> {
    pub fn new(path: Vec<&'a SessionEntry>, recorded: bool) -> Self {
        let places = path.iter().enumerate().map(|(at, entry)| (address(entry), at as u32)).collect();
        Self { path, places, recorded, items: Vec::new() }
    }

    pub fn path(&self) -> &[&'a SessionEntry] {
        &self.path
    }

    /// Takes the entry at `at` of the path, which `core` has at the place `positions[at]`, and keeps the core's window in
    /// step. The first item that is not what it was before; none where items only came behind.
    pub fn push(&mut self, at: usize, positions: &[Pos], core: &mut Session) -> Option<usize> {
        match core.branch().entries()[positions[at] as usize].kind {
            EntryKind::Message(_) => self.append(at, positions[at], core, false),
            EntryKind::OursMessage { .. } => self.append(at, positions[at], core, true),
            EntryKind::Compaction { .. } | EntryKind::ContextEdit { .. } => {
                return Some(self.rebuild(at + 1, positions, core));
            }
            EntryKind::Ours { .. } | EntryKind::Other => {}
        }
        None
    }

    fn append(&mut self, at: usize, pos: Pos, core: &mut Session, ours: bool) {
        let tools = self.path[at].value.get("message").map_or(0, tools_units);
        self.items.push(Item { entry: at as u32, variant: 0, tools, ours });
        core.read_window(core.window_len(), [Seen::Entry(pos)]);
    }

    /// The messages of the first `len` entries of the path; a pruner's own only where they are wanted.
    pub fn project(&self, len: usize) -> Vec<Projected<'a>> {
        let mut projected = projection::project(&self.path[..len]);
        if !self.recorded {
            projected.retain(|one| !is_pruners(one.entry));
        }
        projected
    }

    /// Where a projected message's entry stands on the path.
    pub fn place_of(&self, entry: &SessionEntry) -> u32 {
        self.places.get(&address(entry)).copied().unwrap_or_default()
    }

    /// Reads the request anew; how many items at its beginning are as before.
    pub fn rebuild(&mut self, len: usize, positions: &[Pos], core: &mut Session) -> usize {
        let projected = self.project(len);
        self.take(len, &projected, positions, core)
    }

    /// As `rebuild`, from what the first `len` entries project to.
    pub fn take(&mut self, len: usize, projected: &[Projected<'a>], positions: &[Pos], core: &mut Session) -> usize {
        let mut edits: FxHashMap<&str, u64> = FxHashMap::default();
        for (at, entry) in self.path[..len].iter().enumerate().filter(|(_, entry)| entry.kind() == "context_edit") {
            let target = entry.value.get("targetId").and_then(Value::as_str);
            edits.insert(target.unwrap_or_default(), at as u64 + 1);
        }
        let mut items = Vec::with_capacity(projected.len());
        let mut seen = Vec::with_capacity(projected.len());
        let mut before = None;
        for Projected { entry, message } in projected {
            let place = self.place_of(entry);
            let edit = entry.id.as_str().and_then(|id| edits.get(id)).copied().unwrap_or(0);
            // A compaction projects to two: its system message and its summary.
            let second = u64::from(before == Some(place)) << 32;
            let compaction = entry.kind() == "compaction";
            before = Some(place);
            items.push(Item {
                entry: place,
                variant: if compaction { second | 1 << 33 } else { edit },
                tools: tools_units(message),
                ours: is_pruners(entry),
            });
            seen.push(if compaction || edit > 0 {
                Seen::Head(message_head(message, core.symbols()))
            } else {
                Seen::Entry(positions[place as usize])
            });
        }
        let same = self.items.iter().zip(&items).take_while(|(old, new)| old == new).count().min(core.window_len());
        core.read_window(same, seen.drain(same..));
        self.items = items;
        same
    }

    /// What the item at `index` weighs as pi sends it.
    pub fn piece(&self, index: usize, core: &Session) -> Piece {
        let item = &self.items[index];
        piece(item, core.window().head(index, core.branch()))
    }
}

fn address(entry: &SessionEntry) -> usize {
    std::ptr::from_ref(entry).addr()
}

/// Whether a pruner wrote this entry: the original, or we.
pub fn is_pruners(entry: &SessionEntry) -> bool {
    matches!(entry.kind(), "custom" | "custom_message")
        && (entry.value.get("customType").and_then(Value::as_str))
            .is_some_and(|kind| kind.starts_with("context-prune-"))
}

/// UTF-16 units of what a system message carries beside its text.
fn tools_units(message: &Value) -> u32 {
    if message.get("role").and_then(Value::as_str) != Some("system") {
        return 0;
    }
    let parts = ["toolsAdded", "toolsRemoved", "sections"].iter().filter_map(|key| message.get(key));
    parts.map(stringify_len).sum::<usize>() as u32
}

fn piece(item: &Item, head: &Head) -> Piece {
    let mut sizes = Sizes::default();
    let text = match (head.role, &head.body) {
        (_, Body::Result { .. }) => Kind::Results,
        (_, Body::Assistant { .. }) => Kind::Assistant,
        (Role::System, _) => Kind::System,
        (Role::CompactionSummary | Role::BranchSummary, _) => Kind::Summaries,
        _ if item.ours => Kind::Summaries,
        _ => Kind::User,
    };
    // pi-ai leaves failed replies out of the request (pi-host.md 4.1).
    if !matches!(head.body, Body::Assistant { failed: true, .. }) {
        sizes.add(text, u64::from(head.text_units) + u64::from(head.images) * IMAGE_UNITS);
        sizes.add(Kind::Tools, u64::from(item.tools));
        sizes.add(Kind::Thinking, u64::from(head.thinking_units));
        sizes.add(Kind::Arguments, head.calls().iter().map(|call| u64::from(call.args_units)).sum());
    }
    let blocks = head.thinking_blocks + head.images + head.calls().len() as u32 + u32::from(head.text_units > 0);
    Piece { key: key_of((item.entry, item.variant)), sizes, blocks: blocks.max(1) }
}
