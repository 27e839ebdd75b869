//! Archived occurrences.

use super::epoch::Usage;
use crate::json::Value;
use crate::transcript::branch::Pos;
use crate::transcript::symbols::Sym;
use serde::Serialize;

/// Where the whole text of a record stands.
#[derive(Clone, Debug)]
pub enum Archive {
    /// In the session entry of the result; nothing is copied.
    Entry,
    /// In the session entry of the result, which goes out whole wherever it goes out: its call or its chain is hidden.
    Whole,
    /// In the session entry of the result; the record with this ref says the same.
    Same { original: String },
    /// In the session entry of the result, which is an output of the query tool: there is nothing to archive.
    Recovered,
    /// In the record itself, as the original wrote it.
    Inline { text: String, args: Value, is_error: bool },
    /// In a file beside the session, and in the session entry where there is one.
    Spilled { path: String, bytes: Option<f64>, preview: String, args: Value, is_error: bool },
}

/// One archived result.
#[derive(Clone, Debug)]
pub struct Record {
    /// The short name, `t1`; none where the original never gave one.
    pub reference: Option<String>,
    /// The result on this branch.
    pub at: Option<Pos>,
    /// The entry of the result; empty where a record of the original matches none on this branch.
    pub entry: Sym,
    pub call: Sym,
    /// The result's own time, ms; the original's oldest records have none.
    pub timestamp: Option<f64>,
    pub tool: Sym,
    pub turn: Option<u32>,
    pub archive: Archive,
}

/// What the summarizer has cost on this branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Tokens.
    pub total_input_tokens: f64,
    /// Tokens.
    pub total_output_tokens: f64,
    /// Dollars, as pi's price table has it.
    pub total_cost: f64,
    pub call_count: f64,
}

impl Stats {
    pub(super) fn add(&mut self, usage: &Usage) {
        self.total_input_tokens += usage.input;
        self.total_output_tokens += usage.output;
        self.total_cost += usage.cost;
        self.call_count += usage.calls;
    }
}

/// A block on this branch.
#[derive(Clone, Debug)]
pub struct BlockRecord {
    pub id: String,
    /// The prompt; it stays.
    pub start: Pos,
    /// The first entry behind the block.
    pub end: Pos,
    /// Whether `end` is the reply and loses its thinking.
    pub strip_reply: bool,
    pub body: String,
    /// UTF-16 units of the body.
    pub units: usize,
    pub refs: Vec<String>,
    /// Results that stay word for word inside the block.
    pub protected: Vec<Pos>,
    /// Blocks that a `{b3}` in the body may stand for, each once (law 10: no other text that looks so is a mark).
    pub parts: Vec<String>,
    /// False once another block has taken its place.
    pub shown: bool,
}

/// Replaced arguments.
#[derive(Clone, Debug)]
pub struct Purged {
    pub call: u32,
    /// The id of that call: another may stand at its place after a context edit.
    pub id: Sym,
    /// UTF-16 units of the arguments as JSON.
    pub units: u32,
    /// The ref of the failed result, through which they come back.
    pub reference: String,
}
