//! What became of a message, and why: in words, with the numbers of this session.

use super::decide::words;
use crate::ledger::epoch::Epoch;
use crate::ledger::record::Archive;
use crate::render::plan::Act;
use crate::session::Session;
use crate::transcript::branch::Pos;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// The chip beside a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub what: String,
    pub why: String,
    /// Below zero for what was added.
    pub saved_tokens: f64,
    /// What `context_tree_query` is asked with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
}

/// Why each result of a branch has its form.
#[derive(Debug, Default)]
pub struct Reasons {
    of: FxHashMap<Pos, &'static str>,
}

impl Reasons {
    pub fn new(core: &Session) -> Self {
        let mut of = FxHashMap::default();
        for folded in core.ledger().epochs() {
            let why = why(&folded.epoch);
            let blocks = folded.epoch.blocks.iter().flat_map(|block| &block.results);
            let results = folded.epoch.batches.iter().flat_map(|batch| &batch.results).chain(blocks);
            for pos in results.filter_map(|result| core.place(&result.entry)) {
                of.insert(pos, why);
            }
        }
        Self { of }
    }

    fn get(&self, pos: Pos) -> &'static str {
        self.of.get(&pos).copied().unwrap_or("as recorded in the session")
    }
}

fn why(epoch: &Epoch) -> &'static str {
    match epoch.reason.as_str() {
        "flush" => words(&epoch.trigger),
        "spill" => "too long to be sent",
        _ => "settings",
    }
}

/// What became of the message at `index` of the window, at the place `pos` of the branch.
pub fn change(core: &Session, reasons: &Reasons, index: usize, pos: Option<Pos>, acts: &[Act], saved: f64) -> Change {
    let record = pos.and_then(|pos| core.ledger().record_at(pos));
    let reference = record.and_then(|record| record.reference.clone());
    let why = pos.map_or("", |pos| reasons.get(pos));
    let has = |wanted: fn(&Act) -> bool| acts.iter().any(wanted);
    let (what, why, reference) = if has(|act| matches!(act, Act::Drop)) {
        dropped(core, index, pos, reference)
    } else if has(|act| matches!(act, Act::Replace { .. })) {
        let with_summary = has(|act| matches!(act, Act::Append { .. }));
        let (what, why) = match record.map(|record| &record.archive) {
            Some(Archive::Same { original }) => {
                ("duplicate".to_owned(), format!("the same output stands as `{original}`; {why}"))
            }
            Some(Archive::Spilled { path, .. }) => ("spilled".to_owned(), format!("{why}; the whole is in {path}")),
            Some(Archive::Recovered) => {
                ("recovered".to_owned(), "an original that was fetched back some prompts ago".to_owned())
            }
            _ if with_summary => ("summarized".to_owned(), format!("{why}; the summary of its batch stands here")),
            _ => ("summarized".to_owned(), format!("{why}; a summary stands for it")),
        };
        (what, why, reference)
    } else if has(|act| matches!(act, Act::Append { .. })) {
        ("summary".to_owned(), format!("{why}; the summary of its batch stands behind it"), reference)
    } else {
        let mut what = Vec::new();
        let mut why = Vec::new();
        let mut purged = None;
        if has(|act| matches!(act, Act::Arguments { .. })) {
            what.push("arguments");
            why.push("the call failed and is some turns old; its result stays");
            purged = pos.and_then(|pos| core.ledger().purged(pos).first()).map(|one| one.reference.clone());
        }
        if has(|act| matches!(act, Act::DropThinking)) {
            what.push("thinking");
            why.push("old thinking, which the model does not need again");
        }
        if what.is_empty() {
            what.push("ids");
            why.push("the reasoning item that the id names has gone");
        }
        (what.join(", "), why.join("; "), purged.filter(|reference| !reference.is_empty()))
    };
    Change { what, why, saved_tokens: saved, r#ref: reference }
}

fn dropped(
    core: &Session,
    index: usize,
    pos: Option<Pos>,
    reference: Option<String>,
) -> (String, String, Option<String>) {
    if core.window().is_orphan(index) {
        let why = "no call in this request asks for this result; a provider would refuse it";
        return ("orphan".to_owned(), why.to_owned(), None);
    }
    let blocks = core.ledger().blocks().iter();
    let block =
        pos.and_then(|pos| blocks.filter(|block| block.shown).find(|block| block.start < pos && pos < block.end));
    let id = block.map_or("", |block| block.id.as_str());
    let why = format!("its task is done and behind the newest ones; {id} stands for all of it");
    (format!("in block {id}"), why, reference.or_else(|| block.map(|block| block.id.clone())))
}
