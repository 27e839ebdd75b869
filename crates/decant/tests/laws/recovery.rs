//! Law 4: what is not shown whole comes back byte for byte by the ref that stands for it.

use crate::alignment::{Became, align};
use crate::checks::Checked;
use crate::support::judge::Pairing;
use crate::support::recall::{Recalled, recall};
use crate::support::walk::{Point, Walk};
use crate::support::{load, text_of};
use decant::capture::batch::QUERY_TOOL;
use decant::capture::entries::Entries;
use decant::capture::source::Source;
use decant::json::Value;
use decant::session::Session;
use decant::text::stub;
use proptest::prelude::*;

/// The whole text at once.
const WHOLE: usize = usize::MAX;

/// Pages of an odd size, so that they would cut inside characters; of a long text not too many.
fn page_of(message: &Value) -> usize {
    (text_of(message).len() / 5).max(333) | 1
}

pub fn recoverable(walk: &mut Walk<'_>, points: &[usize]) -> Checked {
    // A session's last point and one on the way; the query is asked page by page, of the running session and of one that
    // was loaded.
    let middle = points.get(points.len() / 2).copied();
    for at in middle.into_iter().chain(points.last().copied()) {
        if at < walk.at {
            continue;
        }
        walk.go(at);
        let point = walk.point();
        let source: Entries<'_> = point.entries.iter().collect();
        let alignment = align(&point, &walk.session)?;
        let loaded = load(point.entries, &walk.config);
        for (index, one) in alignment.messages.iter().enumerate() {
            let entry = point.projected[index].entry.id.to_string();
            match (&one.became, point.pairings[index]) {
                // What was fetched back comes back by what it was fetched with.
                (Became::Stub(text), _) if text == stub::RECOVERED => {}
                (Became::Stub(text), _) => {
                    let reference = named_in(text);
                    for (session, limit) in [(&walk.session, WHOLE), (&loaded, page_of(&point.messages[index]))] {
                        comes_back(&point, index, &reference, &recall(session, &source, &reference, limit))?;
                    }
                }
                (Became::Dropped, Pairing::Answer) if !one.quoted && !is_query(&point.messages[index]) => {
                    let last = hidden_ref(&walk.session, &entry).unwrap_or_default();
                    let refs: Vec<&str> = alignment.inserted.iter().flat_map(|text| refs_of(text)).collect();
                    let recalled = refs.iter().map(|reference| recall(&loaded, &source, reference, WHOLE));
                    let own: Vec<Recalled> =
                        recalled.flatten().filter(|one| one.entry.as_deref() == Some(&entry)).collect();
                    comes_back(&point, index, &last, &own)?;
                }
                // What nothing calls has no stub, but its entry can be asked for (report 6).
                (Became::Dropped, Pairing::Orphan) => {
                    comes_back(&point, index, &entry, &recall(&walk.session, &source, &entry, WHOLE))?;
                }
                _ => {}
            }
            for (call, mark) in &one.purged {
                arguments_come_back(&point, index, *call, mark, &walk.session, &source)?;
            }
        }
        all_refs_answer(&walk.session, &source)?;
    }
    Ok(())
}

/// The name a stub gives: what stands in its last backticks.
pub fn named_in(stub: &str) -> String {
    stub.trim_end_matches(|c| c != '`')
        .trim_end_matches('`')
        .rsplit_once("ref `")
        .map_or("", |(_, name)| name)
        .to_owned()
}

/// An output of the query tool that a block hides is an original elsewhere.
fn is_query(message: &Value) -> bool {
    message.get("toolName").and_then(Value::as_str) == Some(QUERY_TOOL)
}

fn hidden_ref(session: &Session, entry: &str) -> Option<String> {
    session.ledger().record_at(session.place(entry)?)?.reference.clone()
}

/// The refs that a block's first line lists.
fn refs_of(block: &str) -> impl Iterator<Item = &str> {
    let refs = block.lines().next().and_then(|line| line.split_once("tools=\"")?.1.split('"').next());
    refs.unwrap_or_default().split(',').filter(|one| !one.is_empty())
}

/// Replaced arguments stand in the answer to the ref of their mark.
fn arguments_come_back(
    point: &Point<'_>,
    index: usize,
    call: u32,
    mark: &str,
    session: &Session,
    source: &Entries<'_>,
) -> Checked {
    let reference = mark.split("ref=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("");
    let entry = point.projected[index].entry.id.to_string();
    let arguments = source.arguments(&entry, call).unwrap_or_default();
    let recalled = recall(session, source, reference, WHOLE);
    let found = recalled.iter().any(|one| one.found && one.header.contains(&arguments));
    prop_assert!(found, "the arguments of message {} are not under `{}`: {:?}", index, reference, recalled);
    Ok(())
}

fn comes_back(point: &Point<'_>, index: usize, name: &str, recalled: &[Recalled]) -> Checked {
    let message = &point.messages[index];
    // Another's edit left nothing of it.
    if message.get("content").is_none() {
        return Ok(());
    }
    let text = text_of(message);
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or(&[]);
    let images: Vec<Value> =
        blocks.iter().filter(|block| block.get("type").and_then(Value::as_str) == Some("image")).cloned().collect();
    // The original's spilled results never had a ref: their bare id may name several.
    let found = recalled.iter().any(|one| one.found && one.text == text && one.images == images);
    prop_assert!(found, "`{}` for message {} brings back {:?}", name, index, recalled);
    if recalled.len() > 1 {
        prop_assert!(recalled.iter().all(|one| one.header.contains('@')), "several occurrences are told apart");
    }
    Ok(())
}

/// Every ref of the ledger names one result, and the text of that one.
fn all_refs_answer(session: &Session, source: &Entries<'_>) -> Checked {
    for record in session.ledger().records() {
        let Some(reference) = &record.reference else { continue };
        let recalled = recall(session, source, reference, WHOLE);
        prop_assert_eq!(recalled.len(), 1, "`{}`", reference);
        let entry = session.name(record.entry);
        let Some(text) = source.js_text(entry) else { continue };
        prop_assert_eq!(&recalled[0].text, &text.to_string_lossy().into_owned(), "`{}`", reference);
    }
    Ok(())
}
