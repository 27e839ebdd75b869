//! What `/pruner tree` shows: the branch's epochs, flat.

use decant::ledger::epoch::{BatchResult, EpochBatch, Purge};
use decant::ledger::record::{Archive, Record};
use decant::session::Session;
use decant::transcript::branch::Pos;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EpochDto<'a> {
    reason: &'a str,
    trigger: &'a str,
    timestamp: f64,
    saved_units: f64,
    batches: Vec<EpochBatchDto<'a>>,
    blocks: Vec<BlockDto<'a>>,
}

#[derive(Serialize)]
struct BlockDto<'a> {
    id: &'a str,
    body: &'a str,
    refs: &'a [String],
    merged: &'a [String],
    results: Vec<EpochResultDto<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EpochBatchDto<'a> {
    turn: u32,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    raw_units: f64,
    results: Vec<EpochResultDto<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EpochResultDto<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<&'a str>,
    entry_id: &'a str,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    units: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spill_path: Option<&'a str>,
}

/// The epochs of the branch for the tree; before them what the original archived, whose entries are no epochs of ours.
/// Every ref of the ledger is in it.
pub fn epochs(session: &Session) -> Vec<EpochDto<'_>> {
    let epochs = session.ledger().epochs().iter().map(|folded| EpochDto {
        reason: &folded.epoch.reason,
        trigger: &folded.epoch.trigger,
        timestamp: folded.mark.timestamp,
        saved_units: folded.epoch.removed_units as f64 - folded.epoch.added_units as f64,
        batches: (folded.epoch.batches.iter().map(|batch| epoch_batch(batch, session)))
            .chain(folded.epoch.purges.iter().map(|purge| purge_batch(purge, session)))
            .collect(),
        blocks: (folded.epoch.blocks.iter())
            .map(|block| BlockDto {
                id: &block.id,
                body: &block.body,
                refs: &block.refs,
                merged: &block.merged,
                results: block.results.iter().map(|result| epoch_result(result, session)).collect(),
            })
            .collect(),
    });
    originals(session).into_iter().chain(epochs).collect()
}

/// What the original archived on this branch, as one epoch, as far as it wrote it down: not when it pruned (the time is
/// that of the newest result in it) and not what that saved. None where it was never here.
fn originals(session: &Session) -> Option<EpochDto<'_>> {
    let ours = || session.ledger().epochs().iter().map(|folded| &folded.epoch);
    // Refs and block ids are no names across the two of us: the original counts anew from `t1` and `b1`.
    let known: FxHashSet<(&str, &str)> =
        ours().flat_map(|epoch| &epoch.blocks).map(|block| (block.id.as_str(), block.body.as_str())).collect();
    let mut named: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for result in ours().flat_map(|epoch| &epoch.batches).flat_map(|batch| &batch.results) {
        if let Some(reference) = &result.reference {
            *named.entry((&result.entry, reference)).or_default() += 1;
        }
    }
    let mut batches: Vec<EpochBatchDto<'_>> = Vec::new();
    let mut newest = 0.0;
    for record in session.ledger().records() {
        if is_ours(record, &mut named, session) {
            continue;
        }
        newest = record.timestamp.unwrap_or(0.0).max(newest);
        let turn = record.turn.unwrap_or(0);
        let result = archived_result(record, session);
        match batches.last_mut().filter(|batch| batch.turn == turn) {
            Some(batch) => {
                batch.raw_units += result.units;
                batch.results.push(result);
            }
            None => batches.push(EpochBatchDto {
                turn,
                outcome: "archived",
                text: None,
                raw_units: result.units,
                results: vec![result],
            }),
        }
    }
    let blocks: Vec<BlockDto<'_>> = (session.ledger().blocks().iter())
        .filter(|block| !known.contains(&(block.id.as_str(), block.body.as_str())))
        .map(|block| BlockDto { id: &block.id, body: &block.body, refs: &block.refs, merged: &[], results: Vec::new() })
        .collect();
    (!batches.is_empty() || !blocks.is_empty()).then_some(EpochDto {
        reason: "pi-condense",
        trigger: "",
        timestamp: newest,
        saved_units: 0.0,
        batches,
        blocks,
    })
}

/// Whether a record was made by an epoch of ours. `named`: how many results of our batches have this entry and this ref;
/// each has made one record, and what is over is the original's, which may give the same ref to the same result.
fn is_ours<'a>(record: &'a Record, named: &mut FxHashMap<(&'a str, &'a str), usize>, session: &'a Session) -> bool {
    match record.archive {
        // Forms that only we give; what hides a call archives its result even where a torn entry says no ref.
        Archive::Whole | Archive::Same { .. } | Archive::Recovered => {
            take(record, named, session);
            true
        }
        Archive::Entry | Archive::Inline { .. } | Archive::Spilled { .. } => take(record, named, session),
    }
}

/// Takes the record's result out of `named`; whether it was there.
fn take<'a>(record: &'a Record, named: &mut FxHashMap<(&'a str, &'a str), usize>, session: &'a Session) -> bool {
    let Some(reference) = &record.reference else { return false };
    match named.get_mut(&(session.name(record.entry), reference.as_str())) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}

/// A record of the original. Where its entry is not on the branch, the record has what there is of the text.
fn archived_result<'a>(record: &'a Record, session: &'a Session) -> EpochResultDto<'a> {
    let (archived_units, spill_path) = match &record.archive {
        Archive::Inline { text, .. } => (text.encode_utf16().count() as f64, None),
        Archive::Spilled { bytes, path, .. } => (bytes.unwrap_or(0.0), Some(path.as_str())),
        Archive::Entry | Archive::Whole | Archive::Same { .. } | Archive::Recovered => (0.0, None),
    };
    EpochResultDto {
        r#ref: record.reference.as_deref(),
        // An alias has the entry of its original, and its own place.
        entry_id: session.name(record.at.and_then(|at| session.branch().id(at)).unwrap_or(record.entry)),
        tool: session.name(record.tool),
        path: path_of(record.at, session),
        units: units_of(record.at, session).unwrap_or(archived_units),
        same: None,
        spill_path,
    }
}

fn path_of(at: Option<Pos>, session: &Session) -> Option<&str> {
    let path = session.name(session.branch().call(at?)?.path);
    (!path.is_empty()).then_some(path)
}

fn units_of(at: Option<Pos>, session: &Session) -> Option<f64> {
    session.branch().head(at?).map(|head| head.units() as f64)
}

fn epoch_result<'a>(result: &'a BatchResult, session: &'a Session) -> EpochResultDto<'a> {
    let at = session.place(&result.entry);
    EpochResultDto {
        r#ref: result.reference.as_deref(),
        entry_id: &result.entry,
        tool: &result.tool,
        path: path_of(at, session),
        units: units_of(at, session).unwrap_or(0.0),
        same: result.same.as_deref(),
        spill_path: result.file.as_ref().map(|file| file.path.as_str()),
    }
}

fn epoch_batch<'a>(batch: &'a EpochBatch, session: &'a Session) -> EpochBatchDto<'a> {
    let results = batch.results.iter().map(|result| epoch_result(result, session));
    EpochBatchDto {
        turn: batch.turn,
        outcome: batch.outcome.name(),
        text: batch.text.as_deref(),
        raw_units: batch.raw_units as f64,
        results: results.collect(),
    }
}

/// A failed call whose arguments were replaced; its result stays as it is.
fn purge_batch<'a>(purge: &'a Purge, session: &'a Session) -> EpochBatchDto<'a> {
    let result = EpochResultDto { units: purge.units.into(), ..epoch_result(&purge.result, session) };
    let turn = session.place(&purge.result.entry).and_then(|at| session.branch().turn_of_result(at));
    EpochBatchDto {
        turn: turn.unwrap_or(0),
        outcome: "purged",
        text: None,
        raw_units: purge.units.into(),
        results: vec![result],
    }
}
