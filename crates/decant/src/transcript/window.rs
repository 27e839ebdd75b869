//! The messages pi is about to send: their heads, each matched to its entry.

use super::branch::{Branch, Key, Pos};
use super::head::{Head, Role};

/// The heads of the last request's messages, kept between requests so that only new ones are read.
#[derive(Clone, Debug, Default)]
pub struct Window {
    heads: Vec<Head>,
    places: Vec<Option<Pos>>,
    /// Behind each message, the first place where the next one can stand.
    next: Vec<Pos>,
}

impl Window {
    /// Keeps the first `known` messages and forgets the rest.
    pub fn truncate(&mut self, known: usize) {
        self.heads.truncate(known);
        self.places.truncate(known);
        self.next.truncate(known);
    }

    /// Takes the next message and finds its entry: the first one behind the last match with the same role, timestamp and
    /// call id. One that is not found is somebody else's: it stays as it is.
    pub fn push(&mut self, head: Head, branch: &Branch) {
        let next = self.next.last().copied().unwrap_or(0);
        let place = find(&head, branch, next);
        self.places.push(place);
        self.next.push(place.map_or(next, |pos| pos + 1));
        self.heads.push(head);
    }

    /// Matches every message anew: the branch is another one.
    pub fn rematch(&mut self, branch: &Branch) {
        let heads = std::mem::take(&mut self.heads);
        self.truncate(0);
        for head in heads {
            self.push(head, branch);
        }
    }

    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The entry of each message.
    pub fn places(&self) -> &[Option<Pos>] {
        &self.places
    }
}

fn find(head: &Head, branch: &Branch, next: Pos) -> Option<Pos> {
    if head.role == Role::CompactionSummary {
        // It stands before the entries it was made after, so it would end the order of all that follow.
        return None;
    }
    let places = branch.at_key(Key::of(head));
    let behind = &places[places.partition_point(|&pos| pos < next)..];
    behind.iter().copied().find(|&pos| branch.projected(pos))
}
