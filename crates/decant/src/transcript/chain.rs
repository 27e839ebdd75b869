//! Chains: a prompt, the tool-using turns that work on it, and the reply that ends them (condense.md section 9).

use super::branch::{Branch, Pos};
use super::entry::EntryKind;
use super::head::{Body, Head, Role};
use std::ops::Range;

/// How a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this reply without calls.
    Reply(Pos),
    /// With the next prompt: the turn was cut off.
    Prompt(Pos),
    /// Not yet.
    Open,
}

/// A prompt and what was done for it, in places of the branch. What lies between is looked up where it is needed: a long
/// session has hundreds of chains, and every flush passes over all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    pub start: Pos,
    pub end: End,
    /// Whether there are results between start and end.
    pub has_results: bool,
}

impl Chain {
    fn messages<'a>(&self, branch: &'a Branch) -> impl Iterator<Item = (Pos, &'a Head)> {
        let end = match self.end {
            End::Reply(end) | End::Prompt(end) => end,
            End::Open => branch.len() as Pos,
        };
        messages(branch, self.start + 1..end)
    }

    /// Assistant messages between start and end, all with calls or failed.
    pub fn turns(&self, branch: &Branch) -> Vec<Pos> {
        let turns = self.messages(branch).filter(|(_, head)| matches!(head.body, Body::Assistant { .. }));
        turns.map(|(pos, _)| pos).collect()
    }

    /// Results between start and end.
    pub fn results(&self, branch: &Branch) -> Vec<Pos> {
        let results = self.messages(branch).filter(|(_, head)| matches!(head.body, Body::Result { .. }));
        results.map(|(pos, _)| pos).collect()
    }
}

/// The messages of the projection at these places, without what pruners put there.
fn messages(branch: &Branch, places: Range<Pos>) -> impl Iterator<Item = (Pos, &Head)> {
    places.filter_map(|pos| match &branch.entries()[pos as usize].kind {
        EntryKind::Message(head) if branch.projected(pos) => Some((pos, head)),
        _ => None,
    })
}

/// The chains of the branch, oldest first; only messages of the projection count. A turn after a reply without a new
/// prompt belongs to no chain.
pub fn chains(branch: &Branch) -> Vec<Chain> {
    let mut chains = Vec::new();
    let mut open: Option<Chain> = None;
    for (pos, head) in messages(branch, branch.kept_from()..branch.len() as Pos) {
        match &head.body {
            Body::Plain if head.role == Role::User => {
                chains.extend(open.take().map(|chain| Chain { end: End::Prompt(pos), ..chain }));
                open = Some(Chain { start: pos, end: End::Open, has_results: false });
            }
            Body::Assistant { calls, failed } if calls.is_empty() && !failed => {
                chains.extend(open.take().map(|chain| Chain { end: End::Reply(pos), ..chain }));
            }
            Body::Result { .. } => {
                if let Some(chain) = &mut open {
                    chain.has_results = true;
                }
            }
            Body::Assistant { .. } | Body::Plain => {}
        }
    }
    chains.extend(open);
    chains
}
