//! A single huge result goes into a file at once, before it is ever sent (condense.md section 7): nothing that was sent
//! changes, so it is an entry of its own and no rewrite.

use super::flush::{Ground, Hashes};
use crate::capture::source::Source;
use crate::config::stamp::Stamp;
use crate::ledger::epoch::{BatchResult, Epoch, EpochBatch, File, Outcome, Placement};
use crate::text::{stub, units};
use crate::transcript::branch::Pos;
use crate::transcript::head::Head;

/// A result to write into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    pub entry: String,
    /// Names the occurrence, so that no two results of a session share a file.
    pub file_name: String,
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Written {
    pub entry: String,
    pub path: String,
    /// Length in bytes of UTF-8.
    pub bytes: f64,
}

impl Ground<'_> {
    /// Which of these results, all of them due, are to be spilled: as long as the threshold, not archived under another ref.
    pub fn spills(&self, due: &[Pos], hashes: &mut Hashes, source: &dyn Source) -> Vec<Spill> {
        let Some(threshold) = self.config.spill_threshold else { return Vec::new() };
        let long = |pos: &Pos| self.branch.head(*pos).is_some_and(|head| head.text_units >= threshold);
        let mut spills = Vec::new();
        for pos in due.iter().copied().filter(long) {
            // The same output again needs no second file: the next flush makes it a duplicate.
            let hash = self.hash(pos, hashes, source);
            if hash.is_some_and(|hash| self.ledger.original_of(&hash, self.branch).is_some()) {
                continue;
            }
            let Some(id) = self.branch.id(pos) else { continue };
            let entry = self.symbols.name(id);
            let call = self.branch.head(pos).map_or("", |head| self.symbols.name(head.answers()));
            spills.push(Spill { entry: entry.to_owned(), file_name: format!("{}_{}.txt", safe(call), safe(entry)) });
        }
        spills
    }

    /// The epoch of spilled results; none where no file helps.
    pub fn commit_spill(&self, files: &[Written], hashes: &Hashes, source: &dyn Source) -> Option<Epoch> {
        let mut epoch = Epoch { stamp: Some(Stamp::of(self.config)), ..Epoch::new("spill", "") };
        for (file, number) in files.iter().zip(self.ledger.next_ref()..) {
            let Some(pos) = self.symbols.find(&file.entry).and_then(|id| self.branch.pos(id)) else { continue };
            let Some(text) = source.text(&file.entry) else { continue };
            if self.ledger.attempted(pos) {
                continue;
            }
            let reference = format!("t{number}");
            let preview = preview(&text, self.config.spill_preview_bytes as usize);
            let result = BatchResult {
                hash: hashes.get(&pos).cloned(),
                file: Some(File { path: file.path.clone(), bytes: file.bytes, preview: preview.to_owned() }),
                ..self.result(pos, Some(reference.clone()))
            };
            let shown = stub::spilled(&result.tool, Some(file.bytes), preview, &file.path, &reference);
            let whole = self.branch.head(pos).map_or(0, Head::units);
            let shown = units::len(&shown) as u64;
            if shown >= whole {
                continue;
            }
            epoch.removed_units += whole;
            epoch.added_units += shown;
            let turn = self.turn(pos);
            epoch.batches.push(EpochBatch {
                turn,
                outcome: Outcome::Spilled,
                text: None,
                placement: Placement::Message,
                raw_units: whole,
                results: vec![result],
            });
        }
        (!epoch.batches.is_empty()).then_some(epoch)
    }
}

/// A name that every file system takes; at most 60 characters, since some providers' call ids are hundreds long.
fn safe(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    name.chars().map(plain).take(60).collect()
}

/// The head of a text in at most `bytes` bytes of UTF-8: whole characters, and whole lines where there are any.
fn preview(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    match head.rfind('\n') {
        Some(line) if line > 0 && end < text.len() => &head[..line],
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_ends_at_a_line_or_at_least_a_character() {
        assert_eq!(preview("one\ntwo\nthree", 10), "one\ntwo");
        assert_eq!(preview("one\ntwo", 100), "one\ntwo");
        assert_eq!(preview("\nabcdef", 4), "\nabc");
        assert_eq!(preview("aé🦀", 4), "aé");
        assert_eq!(preview("abc", 0), "");
    }

    #[test]
    fn a_file_name_is_plain() {
        assert_eq!(safe("call|fc_1/..\\x"), "call_fc_1____x");
        assert_eq!(safe(&"x".repeat(500)).len(), 60);
    }
}
