//! The finished tool calls that no flush has taken yet.

use super::protect::Protection;
use crate::config::Batching;
use crate::ledger::Ledger;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::{Body, Head};
use crate::transcript::symbols::{Sym, Symbols};

/// The tool whose output is an original that was fetched back: never an original of its own.
pub const QUERY_TOOL: &str = "context_tree_query";

/// Results that are summarized together: of one assistant message, or of all that answer one prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Ordinal of the (last) assistant message on the branch, from 0.
    pub turn: u32,
    pub assistants: Vec<Pos>,
    pub results: Vec<Pos>,
}

/// How much waits for a flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub batches: u32,
    pub calls: u32,
    /// UTF-16 units of text.
    pub units: u64,
}

/// The session as capture looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub branch: &'a Branch,
    pub ledger: &'a Ledger,
    pub symbols: &'a Symbols,
    pub protection: &'a Protection,
    /// Whether blocks are shown; what they hide needs no summary.
    pub shows_blocks: bool,
}

impl Field<'_> {
    /// Whether the result at `pos` may be taken: it answers a call of a finished turn, both are in the projection, and no
    /// flush took it. Outputs of the query tool and protected ones never are.
    pub fn is_due(&self, pos: Pos) -> bool {
        self.is_open(pos) && tool(self.branch, pos) != self.query_tool() && !self.is_protected(pos)
    }

    fn is_open(&self, pos: Pos) -> bool {
        self.branch.pair(pos).is_some_and(|pair| {
            let taken = self.ledger.attempted(pos) || self.shows_blocks && self.ledger.in_block(pos);
            !taken
                && self.branch.projected(pos)
                && self.branch.projected(pair.assistant)
                && self.branch.finished(pair.assistant)
        })
    }

    fn query_tool(&self) -> Sym {
        // A name that was never seen names no result.
        self.symbols.find(QUERY_TOOL).unwrap_or(Sym(u32::MAX))
    }

    /// Whether the call of the result at `pos` is protected.
    pub fn is_protected(&self, pos: Pos) -> bool {
        let path = self.branch.call(pos).map_or("", |call| self.symbols.name(call.path));
        self.protection.covers(self.symbols.name(tool(self.branch, pos)), path)
    }

    /// The batches that are due, oldest first.
    pub fn batches(&self, batching: Batching) -> Vec<Batch> {
        let mut batches: Vec<Batch> = Vec::new();
        for pos in (0..self.branch.len() as Pos).filter(|&pos| self.is_due(pos)) {
            let Some(assistant) = self.branch.pair(pos).map(|pair| pair.assistant) else { continue };
            let turn = self.branch.turn(assistant).unwrap_or(0);
            match batches.last_mut().filter(|batch| self.joins(batching, batch, assistant)) {
                Some(batch) => {
                    batch.turn = turn;
                    if batch.assistants.last() != Some(&assistant) {
                        batch.assistants.push(assistant);
                    }
                    batch.results.push(pos);
                }
                None => batches.push(Batch { turn, assistants: vec![assistant], results: vec![pos] }),
            }
        }
        batches
    }

    fn joins(&self, batching: Batching, batch: &Batch, assistant: Pos) -> bool {
        batch.assistants.last().is_some_and(|&last| {
            last == assistant
                || batching == Batching::AgentMessage && self.branch.prompt(last) == self.branch.prompt(assistant)
        })
    }

    /// Outputs of the query tool that have been seen for more than `grace` prompts. One that failed stays: an agent that
    /// does not see its failure repeats it (report 26).
    pub fn recovered(&self, grace: u32) -> Vec<Pos> {
        let query_tool = self.query_tool();
        let old = |pos: &Pos| {
            tool(self.branch, *pos) == query_tool
                && self.is_open(*pos)
                && !self.is_protected(*pos)
                && self.branch.prompt_count() - self.branch.prompt(*pos) > grace
                && self.branch.head(*pos).is_some_and(|head| !is_error(head))
        };
        (0..self.branch.len() as Pos).filter(old).collect()
    }
}

/// The tool that made the result at `pos`.
pub fn tool(branch: &Branch, pos: Pos) -> Sym {
    match branch.head(pos).map(|head| &head.body) {
        Some(Body::Result { tool, .. }) => *tool,
        _ => Sym::EMPTY,
    }
}

/// Whether this is a failed result.
pub fn is_error(head: &Head) -> bool {
    matches!(head.body, Body::Result { is_error: true, .. })
}

/// UTF-16 units of the text of these results.
pub fn text_units(branch: &Branch, results: &[Pos]) -> u64 {
    results.iter().filter_map(|&pos| branch.head(pos)).map(|head| u64::from(head.text_units)).sum()
}

/// The size of `batches` together.
pub fn size(branch: &Branch, batches: &[Batch]) -> Pending {
    Pending {
        batches: batches.len() as u32,
        calls: batches.iter().map(|batch| batch.results.len() as u32).sum(),
        units: batches.iter().map(|batch| text_units(branch, &batch.results)).sum(),
    }
}
