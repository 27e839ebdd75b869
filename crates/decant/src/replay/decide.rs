//! What the extension would have done at this point: flush, spill.

use super::cache::tokens;
use super::run::{Driver, Turn};
use super::summaries::{Asked, Origin, summary};
use crate::epoch::flush::Answer;
use crate::epoch::spill::Written;
use crate::ledger::EPOCH_TYPE;
use crate::ledger::epoch::{Epoch, Usage};
use crate::text::units;
use crate::transcript::entry::{Entry, EntryKind};

impl Driver<'_> {
    fn decides(&self) -> bool {
        self.options.config.enabled && !self.options.as_recorded
    }

    /// Flushes all that is due.
    pub fn flush(&mut self, trigger: &str) {
        if !self.decides() {
            return;
        }
        let model = self.run.speakers.model(self.speaker);
        let Some(plan) = self.run.core.plan_flush(trigger, &model, &self.texts) else { return };
        let id = plan.id;
        let asked: Vec<Asked> = plan
            .due
            .iter()
            .map(|due| Asked {
                results: due.batch.results.clone(),
                refs: due.refs.clone(),
                prompt_units: units::len(&due.prompt) as u64,
            })
            .collect();
        let prices = self.run.speakers.get(self.speaker).map(|one| one.terms.prices);
        let mut answers = Vec::with_capacity(asked.len());
        for batch in &asked {
            let (text, origin) = summary(batch, &self.run.core, &self.recorded, &self.texts);
            let (input, output) = (tokens(batch.prompt_units), tokens(units::len(&text) as u64));
            let cost = prices.map_or(0.0, |prices| (input * prices.input + output * prices.output) / 1e6);
            self.bill.note_summary(origin == Origin::Recorded, input, output, cost);
            answers.push(Some(Answer { text, usage: Usage { input, output, cost, calls: 1.0 } }));
        }
        let Ok(committed) = self.run.core.commit_flush(id, &answers, &[]) else { return };
        if let Ok(epoch) = committed.epoch {
            if epoch.rewrites() {
                self.because(words(trigger));
                self.bill.epochs += 1.0;
            }
            self.bill.blocks += epoch.blocks.len() as f64;
            self.write(&epoch);
        }
    }

    /// Puts huge results of a finished turn into files, which nobody writes here.
    pub fn spill(&mut self, turn: &Turn) {
        let Some(threshold) = self.options.config.spill_threshold else { return };
        let branch = self.run.core.branch();
        let huge =
            turn.results.iter().filter(|&&pos| branch.head(pos).is_some_and(|head| head.text_units >= threshold));
        let ids = huge.filter_map(|&pos| branch.id(pos)).map(|id| self.run.core.name(id).to_owned());
        let ids: Vec<String> = ids.collect();
        if ids.is_empty() || !self.decides() {
            return;
        }
        let (_, _, spills) = self.run.core.capture(&ids, &self.texts);
        let files = spills.into_iter().map(|spill| Written {
            bytes: crate::capture::source::Source::text(&self.texts, &spill.entry)
                .map_or(0.0, |text| text.len() as f64),
            path: format!("session-blobs/{}", spill.file_name),
            entry: spill.entry,
        });
        let files: Vec<Written> = files.collect();
        if let Some(epoch) = self.run.core.commit_spill(&files, &self.texts) {
            self.bill.spilled += epoch.batches.len() as f64;
            self.write(&epoch);
        }
    }

    /// Appends an epoch to the branch, as the extension appends its entry.
    fn write(&mut self, epoch: &Epoch) {
        let core = &mut self.run.core;
        let id = format!("decant-epoch-{}", core.branch().len());
        let id = core.symbols().intern(&id);
        let timestamp = core.branch().entries().iter().rev().find_map(|entry| match &entry.kind {
            EntryKind::Message(head) => Some(head.timestamp),
            _ => None,
        });
        let timestamp = timestamp.filter(|time| time.is_finite()).unwrap_or(0.0);
        let kind = EntryKind::Ours { custom_type: EPOCH_TYPE.into(), timestamp, data: epoch.write() };
        self.run.extend(Entry { id, kind });
    }
}

/// What a trigger is called on the page.
pub fn words(trigger: &str) -> &'static str {
    match trigger {
        "agent-message" => "flush after a reply",
        "budget" => "flush, the context was full",
        "delta" => "flush, the context had jumped",
        _ => "flush",
    }
}
