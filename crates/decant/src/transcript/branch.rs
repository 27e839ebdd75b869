//! The branch: the entries from the root to the leaf, with what is asked of them at every render.

use super::entry::{Entry, EntryKind};
use super::head::{Body, Call, Head, Role};
use super::symbols::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

/// The place of an entry on the branch, counted from the root. An occurrence is the place of its result.
pub type Pos = u32;

/// A result and the call it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub assistant: Pos,
    /// Which of the assistant's calls.
    pub call: u32,
}

/// How a message is found again among the entries: role, timestamp, call id (design section 3, law 5). Not unique: two
/// parallel calls can share all three, so the places are kept in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    role: Role,
    timestamp: u64,
    call: Sym,
}

impl Key {
    /// The key of a message with this head.
    pub fn of(head: &Head) -> Self {
        Self::new(head.role, head.timestamp, head.answers())
    }

    /// The key of the results that answer `call` at `timestamp` ms.
    pub fn result(call: Sym, timestamp: f64) -> Self {
        Self::new(Role::ToolResult, timestamp, call)
    }

    /// The key of the messages of `role` at `timestamp` ms that answer no call.
    pub fn at(role: Role, timestamp: f64) -> Self {
        Self::new(role, timestamp, Sym::EMPTY)
    }

    fn new(role: Role, timestamp: f64, call: Sym) -> Self {
        // +0.0 makes -0 the same key as 0; all NaN are one.
        let timestamp = if timestamp.is_nan() { f64::NAN } else { timestamp + 0.0 };
        Self { role, timestamp: timestamp.to_bits(), call }
    }
}

/// The entries of the branch in order.
#[derive(Clone, Debug, Default)]
pub struct Branch {
    entries: Vec<Entry>,
    by_id: FxHashMap<Sym, Pos>,
    by_key: FxHashMap<Key, Places>,
    by_call: FxHashMap<Sym, Places>,
    /// What each result answers, at its place.
    pairs: Vec<Option<Pair>>,
    /// How many assistants stand before each place.
    turns: Vec<u32>,
    /// How many user messages stand up to each place.
    prompts: Vec<u32>,
    open: Option<Open>,
    last_reply: Option<Pos>,
    /// The newest message that ends a tool cycle: a reply without calls, or a prompt.
    last_closing: Option<Pos>,
    last_edit: Option<Pos>,
    compaction: Option<(Pos, Pos)>,
    omitted: FxHashSet<Pos>,
    edited: FxHashSet<Pos>,
}

/// Places in order. Nearly every key has just one.
#[derive(Clone, Debug)]
enum Places {
    One(Pos),
    Many(Vec<Pos>),
}

impl Places {
    fn push(&mut self, pos: Pos) {
        match self {
            Self::One(first) => *self = Self::Many(vec![*first, pos]),
            Self::Many(places) => places.push(pos),
        }
    }

    fn as_slice(&self) -> &[Pos] {
        match self {
            Self::One(pos) => std::slice::from_ref(pos),
            Self::Many(places) => places,
        }
    }
}

fn note<K: std::hash::Hash + Eq>(map: &mut FxHashMap<K, Places>, key: K, pos: Pos) {
    map.entry(key).and_modify(|places| places.push(pos)).or_insert(Places::One(pos));
}

#[derive(Clone, Debug)]
struct Open {
    assistant: Pos,
    answered: Vec<bool>,
}

impl Branch {
    /// Continues the branch; the place of the new entry.
    pub fn push(&mut self, entry: Entry) -> Pos {
        let pos = self.entries.len() as Pos;
        self.by_id.insert(entry.id, pos);
        self.pairs.push(None);
        let before = self.entries.last().is_some_and(is_assistant);
        self.turns.push(self.turns.last().map_or(0, |turns| turns + u32::from(before)));
        let prompt = matches!(&entry.kind, EntryKind::Message(head) if head.role == Role::User);
        self.prompts.push(self.prompts.last().map_or(0, |prompts| *prompts) + u32::from(prompt));
        match &entry.kind {
            EntryKind::Message(head) | EntryKind::OursMessage { head, .. } => self.note_message(pos, head),
            EntryKind::Compaction { first_kept, .. } => {
                // A first kept entry that is not on the path keeps nothing before the compaction (pi-host.md 3.3).
                let kept = first_kept.and_then(|id| self.by_id.get(&id).copied()).unwrap_or(pos);
                self.compaction = Some((pos, kept));
                self.last_edit = Some(pos);
            }
            EntryKind::ContextEdit { target, omits } => {
                self.last_edit = Some(pos);
                if let Some(&target) = self.by_id.get(target) {
                    if *omits {
                        self.omitted.insert(target);
                    } else {
                        self.omitted.remove(&target);
                        self.edited.insert(target);
                    }
                }
            }
            EntryKind::Ours { .. } | EntryKind::Other => {}
        }
        self.entries.push(entry);
        pos
    }

    fn note_message(&mut self, pos: Pos, head: &Head) {
        note(&mut self.by_key, Key::of(head), pos);
        match &head.body {
            Body::Assistant { calls, failed } => {
                // A failed message never reaches the provider, so nothing can answer its calls (pi-host.md 4.1).
                if !failed {
                    self.last_reply = Some(pos);
                    if calls.is_empty() {
                        self.last_closing = Some(pos);
                    }
                }
                self.open = (!failed).then(|| Open { assistant: pos, answered: vec![false; calls.len()] });
            }
            Body::Result { call, .. } => {
                note(&mut self.by_call, *call, pos);
                self.pairs[pos as usize] = self.answer(*call);
            }
            // pi holds system messages back until the results are in; any other message parts call and result.
            Body::Plain if head.role == Role::System => {}
            Body::Plain => {
                self.open = None;
                if head.role == Role::User {
                    self.last_closing = Some(pos);
                }
            }
        }
    }

    fn answer(&mut self, id: Sym) -> Option<Pair> {
        let open = self.open.as_mut()?;
        let calls = match &self.entries.get(open.assistant as usize)?.kind {
            EntryKind::Message(head) => head.calls(),
            _ => return None,
        };
        let call = (0..calls.len()).find(|&call| calls[call].id == id && !open.answered[call])?;
        open.answered[call] = true;
        Some(Pair { assistant: open.assistant, call: call as u32 })
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The id of the last entry.
    pub fn leaf(&self) -> Option<Sym> {
        self.entries.last().map(|entry| entry.id)
    }

    /// The place of the entry with this id.
    pub fn pos(&self, id: Sym) -> Option<Pos> {
        self.by_id.get(&id).copied()
    }

    pub fn id(&self, pos: Pos) -> Option<Sym> {
        self.entries.get(pos as usize).map(|entry| entry.id)
    }

    /// The head of the message at `pos`, where there is one.
    pub fn head(&self, pos: Pos) -> Option<&Head> {
        match &self.entries.get(pos as usize)?.kind {
            EntryKind::Message(head) | EntryKind::OursMessage { head, .. } => Some(head),
            _ => None,
        }
    }

    /// The places of the messages with this key, in order.
    pub fn at_key(&self, key: Key) -> &[Pos] {
        self.by_key.get(&key).map_or(&[], Places::as_slice)
    }

    /// The places of the results for this call id, in order: several, since ids repeat.
    pub fn at_call(&self, call: Sym) -> &[Pos] {
        self.by_call.get(&call).map_or(&[], Places::as_slice)
    }

    /// The call that the result at `pos` answers; none for an orphan.
    pub fn pair(&self, pos: Pos) -> Option<Pair> {
        self.pairs.get(pos as usize).copied().flatten()
    }

    /// The turn of the assistant message at `pos`: its ordinal among the assistants of the branch, from 0. Numbered from
    /// the branch in every path, since pi's own index restarts with each prompt (condense.md B1).
    pub fn turn(&self, pos: Pos) -> Option<u32> {
        self.turns.get(pos as usize).copied()
    }

    /// How many assistant messages the branch has.
    pub fn turn_count(&self) -> u32 {
        self.turns.last().map_or(0, |turns| turns + u32::from(self.entries.last().is_some_and(is_assistant)))
    }

    /// How many user messages stand up to `pos`: the prompt that a message belongs to.
    pub fn prompt(&self, pos: Pos) -> u32 {
        self.prompts.get(pos as usize).copied().unwrap_or(0)
    }

    /// How many user messages the branch has.
    pub fn prompt_count(&self) -> u32 {
        self.prompts.last().copied().unwrap_or(0)
    }

    /// Whether the projection was changed after the newest reply, so that its `usage` tells nothing of the next request:
    /// by a compaction or a context edit, of which pi writes one for each retry (pi-host.md section 8).
    pub fn edited_since_reply(&self) -> bool {
        self.last_edit > self.last_reply
    }

    /// The newest reply that did not fail.
    pub fn last_reply(&self) -> Option<Pos> {
        self.last_reply
    }

    /// The call that the result at `pos` answers.
    pub fn call(&self, pos: Pos) -> Option<Call> {
        let pair = self.pair(pos)?;
        self.head(pair.assistant)?.calls().get(pair.call as usize).copied()
    }

    /// The turn whose call the result at `pos` answers; none for an orphan.
    pub fn turn_of_result(&self, pos: Pos) -> Option<u32> {
        self.turn(self.pair(pos)?.assistant)
    }

    /// The first place that can be in the projection.
    pub fn kept_from(&self) -> Pos {
        self.compaction.map_or(0, |(_, kept)| kept)
    }

    /// Whether the message at `pos` is still in the projection: not compacted away, not omitted by a context edit.
    pub fn projected(&self, pos: Pos) -> bool {
        pos >= self.kept_from() && !self.omitted.contains(&pos)
    }

    /// Whether a context edit gave the message at `pos` other content.
    pub fn edited(&self, pos: Pos) -> bool {
        self.edited.contains(&pos)
    }

    /// Whether no more results can come for the calls of the assistant message at `pos`.
    pub fn finished(&self, pos: Pos) -> bool {
        self.unfinished() != Some(pos)
    }

    /// The assistant message whose calls still wait for results.
    pub fn unfinished(&self) -> Option<Pos> {
        self.open.as_ref().filter(|open| open.answered.contains(&false)).map(|open| open.assistant)
    }

    /// Whether the tool cycle of the message at `pos` is over: a reply without calls or somebody else's message follows.
    pub fn cycle_closed(&self, pos: Pos) -> bool {
        self.last_closing.is_some_and(|closing| closing > pos)
    }
}

fn is_assistant(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Message(head) if matches!(head.body, Body::Assistant { .. }))
}
