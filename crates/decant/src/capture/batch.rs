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
    /// Looked up once: every result of the branch is asked about.
    query_tool: Sym,
    /// Whether blocks are shown; what they hide needs no summary.
    shows_blocks: bool,
}

impl<'a> Field<'a> {
    pub fn new(
        branch: &'a Branch,
        ledger: &'a Ledger,
        symbols: &'a Symbols,
        protection: &'a Protection,
        shows_blocks: bool,
    ) -> Self {
        // A name that was never seen names no result.
        let query_tool = symbols.find(QUERY_TOOL).unwrap_or(Sym(u32::MAX));
        Self { branch, ledger, symbols, protection, query_tool, shows_blocks }
    }

    /// Whether the result at `pos` may be taken: it answers a call of a finished turn, both are in the projection, and no
    /// flush took it. Outputs of the query tool and protected ones never are.
    pub fn is_due(&self, pos: Pos) -> bool {
        self.is_open(pos) && !self.is_recovered(pos) && !self.is_protected(pos)
    }

    /// Whether a flush took the result at `pos`, or a block hides it.
    pub fn is_taken(&self, pos: Pos) -> bool {
        self.ledger.attempted(pos) || self.shows_blocks && self.ledger.in_block(pos)
    }

    fn is_open(&self, pos: Pos) -> bool {
        self.branch.pair(pos).is_some_and(|pair| {
            !self.is_taken(pos)
                && self.branch.projected(pos)
                && self.branch.projected(pair.assistant)
                && self.branch.finished(pair.assistant)
        })
    }

    /// Whether the call of the result at `pos` is protected.
    pub fn is_protected(&self, pos: Pos) -> bool {
        let path = self.branch.call(pos).map_or("", |call| self.symbols.name(call.path));
        self.protection.covers(self.symbols.name(tool(self.branch, pos)), path)
    }

    /// The batches of these results, oldest first.
    pub fn batches(&self, batching: Batching, due: &[Pos]) -> Vec<Batch> {
        let mut batches: Vec<Batch> = Vec::new();
        for &pos in due {
            let Some(assistant) = self.branch.pair(pos).map(|pair| pair.assistant) else { continue };
            let turn = self.branch.turn(assistant).unwrap_or(0);
            let joins =
                |batch: &&mut Batch| batch.assistants.last().is_some_and(|&last| self.joins(batching, last, assistant));
            match batches.last_mut().filter(joins) {
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

    /// Whether the results of these two assistants, one after the other, are of one batch.
    fn joins(&self, batching: Batching, last: Pos, assistant: Pos) -> bool {
        last == assistant
            || batching == Batching::AgentMessage && self.branch.prompt(last) == self.branch.prompt(assistant)
    }

    /// The size of the batches that these results make.
    pub fn pending(&self, batching: Batching, due: &[Pos]) -> Pending {
        let mut pending = Pending { calls: due.len() as u32, units: text_units(self.branch, due), batches: 0 };
        let mut last = None;
        for assistant in due.iter().filter_map(|&pos| self.branch.pair(pos)).map(|pair| pair.assistant) {
            pending.batches += u32::from(!last.is_some_and(|last| self.joins(batching, last, assistant)));
            last = Some(assistant);
        }
        pending
    }

    /// Whether this is an output of the query tool that has been seen for at most `grace` prompts.
    pub fn in_grace(&self, pos: Pos, grace: u32) -> bool {
        self.is_recovered(pos) && self.branch.prompt_count() - self.branch.prompt(pos) <= grace
    }

    fn is_recovered(&self, pos: Pos) -> bool {
        tool(self.branch, pos) == self.query_tool
    }

    /// Outputs of the query tool whose grace is over. One that failed stays: an agent that does not see its failure repeats
    /// it (report 26).
    pub fn recovered(&self, grace: u32) -> Vec<Pos> {
        let old = |pos: &Pos| {
            self.is_recovered(*pos)
                && !self.in_grace(*pos, grace)
                && self.is_open(*pos)
                && !self.is_protected(*pos)
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
