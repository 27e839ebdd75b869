//! The finished tool calls that no flush has taken yet.

use crate::ledger::Ledger;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::head::Body;
use crate::transcript::symbols::{Sym, Symbols};

/// The tool whose output is an original that was fetched back: never an original of its own.
pub const QUERY_TOOL: &str = "context_tree_query";

/// The results of one assistant message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Ordinal of the assistant message on the branch, from 0.
    pub turn: u32,
    pub assistant: Pos,
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

/// The batches of the branch that are due, oldest first: results in the projection that answer a call, belong to a
/// finished turn and were not taken by an earlier flush.
pub fn pending(branch: &Branch, ledger: &Ledger, symbols: &Symbols) -> Vec<Batch> {
    let query_tool = symbols.find(QUERY_TOOL);
    let mut batches: Vec<Batch> = Vec::new();
    for pos in 0..branch.len() as Pos {
        let Some(pair) = branch.pair(pos) else { continue };
        if Some(tool(branch, pos)) == query_tool
            || ledger.attempted(pos)
            || !branch.projected(pos)
            || !branch.projected(pair.assistant)
            || !branch.finished(pair.assistant)
        {
            continue;
        }
        match batches.last_mut().filter(|batch| batch.assistant == pair.assistant) {
            Some(batch) => batch.results.push(pos),
            None => batches.push(Batch {
                turn: branch.turn(pair.assistant).unwrap_or(0),
                assistant: pair.assistant,
                results: vec![pos],
            }),
        }
    }
    batches
}

/// The tool that made the result at `pos`.
pub fn tool(branch: &Branch, pos: Pos) -> Sym {
    match branch.head(pos).map(|head| &head.body) {
        Some(Body::Result { tool, .. }) => *tool,
        _ => Sym::EMPTY,
    }
}

/// UTF-16 units of the text of a batch's results.
pub fn text_units(branch: &Branch, batch: &Batch) -> u64 {
    batch.results.iter().filter_map(|&pos| branch.head(pos)).map(|head| u64::from(head.text_units)).sum()
}

/// The size of `batches` together.
pub fn size(branch: &Branch, batches: &[Batch]) -> Pending {
    Pending {
        batches: batches.len() as u32,
        calls: batches.iter().map(|batch| batch.results.len() as u32).sum(),
        units: batches.iter().map(|batch| text_units(branch, batch)).sum(),
    }
}
