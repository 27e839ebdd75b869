//! The messages pi is about to send, each matched to its entry.

use super::branch::{Branch, Key, Pos};
use super::head::{Head, Role};
use super::sweep::Sweep;

/// One message of the request, as the host read it.
#[derive(Clone, Debug)]
pub enum Seen {
    /// The message of the entry at this place, unchanged: same role, timestamp and call id, no context edit.
    Entry(Pos),
    /// Any other: its own head.
    Head(Head),
}

/// The last request's messages, kept between requests so that only new ones are read.
#[derive(Clone, Debug, Default)]
pub struct Window {
    seen: Vec<Seen>,
    places: Vec<Option<Pos>>,
    /// Behind each message, what the next one is judged by.
    states: Vec<State>,
    sweep: Sweep,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The first place where the next message can stand.
    next: Pos,
    /// UTF-16 units of all messages so far.
    units: u64,
    /// Orphans so far.
    orphans: u32,
}

impl Window {
    /// Keeps the first `known` messages and forgets the rest.
    pub fn truncate(&mut self, known: usize, branch: &Branch) {
        if known >= self.len() {
            return;
        }
        self.seen.truncate(known);
        self.places.truncate(known);
        self.states.truncate(known);
        self.sweep = Sweep::default();
        // What is open behind the last kept message began at the last assistant or barrier before it.
        let start = (0..known).rev().find(|&index| Sweep::begins(self.head(index, branch))).unwrap_or(0);
        for index in start..known {
            let head = head(&self.seen[index], branch);
            self.sweep.keeps(head);
        }
    }

    /// Takes the next message and finds its entry: the first one in the projection behind the last match with the same
    /// role, timestamp and call id. One that is not found is somebody else's: it stays as it is.
    pub fn push(&mut self, seen: Seen, branch: &Branch) {
        let last = self.state();
        let head = head(&seen, branch);
        let place = match &seen {
            _ if !in_order(head.role) => None,
            Seen::Entry(pos) if *pos >= last.next && branch.projected(*pos) => Some(*pos),
            Seen::Entry(_) | Seen::Head(_) => find(head, branch, last.next),
        };
        let orphan = !self.sweep.keeps(head);
        self.states.push(State {
            next: place.map_or(last.next, |pos| pos + 1),
            units: last.units + head.units(),
            orphans: last.orphans + u32::from(orphan),
        });
        self.places.push(place);
        self.seen.push(seen);
    }

    fn state(&self) -> State {
        self.states.last().copied().unwrap_or_default()
    }

    /// The first place of the branch where the message at `index` can stand, if all before it are known.
    pub fn next_place(&self, index: usize) -> Pos {
        index.checked_sub(1).and_then(|before| self.states.get(before)).map_or(0, |state| state.next)
    }

    pub fn len(&self) -> usize {
        self.seen.len()
    }

    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The head of the message at `index`.
    pub fn head<'a>(&'a self, index: usize, branch: &'a Branch) -> &'a Head {
        head(&self.seen[index], branch)
    }

    /// The entry of each message.
    pub fn places(&self) -> &[Option<Pos>] {
        &self.places
    }

    /// UTF-16 units of all messages.
    pub fn units(&self) -> u64 {
        self.state().units
    }

    /// How many results nothing in the request calls.
    pub fn orphans(&self) -> u32 {
        self.state().orphans
    }

    /// Whether the message at `index` is such a result.
    pub fn is_orphan(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map_or(0, |before| self.states[before].orphans);
        self.states[index].orphans > before
    }
}

fn head<'a>(seen: &'a Seen, branch: &'a Branch) -> &'a Head {
    match seen {
        Seen::Entry(pos) => branch.head(*pos).unwrap_or(&Head::NOTHING),
        Seen::Head(head) => head,
    }
}

/// A compaction's summary and its checkpoint of the system message stand before entries that came earlier: found among
/// these, they would end the order of all that follow. Nothing ever becomes of either role.
fn in_order(role: Role) -> bool {
    !matches!(role, Role::CompactionSummary | Role::System)
}

fn find(head: &Head, branch: &Branch, next: Pos) -> Option<Pos> {
    let places = branch.at_key(Key::of(head));
    let behind = &places[places.partition_point(|&pos| pos < next)..];
    let mut places = behind.iter().copied().filter(|&pos| branch.projected(pos));
    let first = places.next()?;
    let mut twins = places.peekable();
    if head.role != Role::ToolResult || twins.peek().is_none() {
        return Some(first);
    }
    // Parallel calls can share id and time (a provider that numbers no calls): then only what the result is tells which of
    // them this is, if another extension took one away. One that was edited can look like anything.
    let all =
        || std::iter::once(first).chain(behind.iter().copied().filter(|&pos| pos != first && branch.projected(pos)));
    let same = |pos: &Pos| {
        branch.head(*pos).is_some_and(|other| {
            other.body == head.body && other.text_units == head.text_units && other.images == head.images
        })
    };
    all().find(same).or_else(|| all().find(|&pos| branch.edited(pos)))
}
