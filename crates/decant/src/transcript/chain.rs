//! Chains: a prompt, the tool-using turns that work on it, and the reply that ends them (condense.md section 9).

use super::branch::{Branch, Pos};
use super::entry::EntryKind;
use super::head::{Body, Role};

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

/// A prompt and what was done for it, in places of the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub start: Pos,
    pub end: End,
    /// Assistant messages with calls between start and end.
    pub turns: Vec<Pos>,
    /// Results between start and end.
    pub results: Vec<Pos>,
}

/// The chains of the branch, oldest first; only messages of the projection count. A turn after a reply without a new
/// prompt belongs to no chain.
pub fn chains(branch: &Branch) -> Vec<Chain> {
    let mut chains = Vec::new();
    let mut open: Option<Chain> = None;
    for pos in branch.kept_from()..branch.len() as Pos {
        let EntryKind::Message(head) = &branch.entries()[pos as usize].kind else { continue };
        if !branch.projected(pos) {
            continue;
        }
        match &head.body {
            Body::Plain if head.role == Role::User => {
                if let Some(chain) = open.take() {
                    chains.push(Chain { end: End::Prompt(pos), ..chain });
                }
                open = Some(Chain { start: pos, end: End::Open, turns: Vec::new(), results: Vec::new() });
            }
            Body::Assistant { calls, failed } => {
                if calls.is_empty() && !failed {
                    chains.extend(open.take().map(|chain| Chain { end: End::Reply(pos), ..chain }));
                } else if let Some(chain) = &mut open {
                    chain.turns.push(pos);
                }
            }
            Body::Result { .. } => {
                if let Some(chain) = &mut open {
                    chain.results.push(pos);
                }
            }
            Body::Plain => {}
        }
    }
    chains.extend(open);
    chains
}
