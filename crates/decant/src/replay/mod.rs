//! A transcript as the requests it was: what each sent, what a prefix cache would have served and what it cost, without
//! pruning and as configured.
//!
//! No time is measured and no model asked: two replays of a file agree to the last token.

pub mod cache;
mod change;
mod compose;
mod decide;
mod detail;
mod explain;
mod follow;
mod models;
mod options;
mod outline;
mod overview;
mod pieces;
mod report;
mod run;
mod show;
mod summaries;
pub mod terms;
mod texts;
mod totals;

pub use change::Change;
pub use detail::{MessageText, MessageView, Row};
pub use options::Options;
pub use outline::{Group, Outline, Share};
pub use overview::{Finding, Leaf, Overview};
pub use pieces::{KINDS, Kind, Sizes};
pub use run::{Request, Side};
pub use show::Image;
pub use totals::{Billed, Summaries, Totals};

use crate::config::schema::Problem;
use crate::json::{Value, stringify};
use crate::recall::query::{Ask, Piece};
use crate::transcript::SessionEntry;
use crate::transcript::import::{self, ImportError, Imported};
use detail::Detail;
use follow::Follow;
use run::Run;
use texts::Texts;

/// A transcript under replay.
#[derive(Debug)]
pub struct Replay {
    imported: Imported,
    options: Options,
    /// The branch, as places in the transcript's entries.
    path: Vec<usize>,
    run: Run,
    /// The request that was looked at last.
    detail: Option<(usize, Detail)>,
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Answer {
    pub text: String,
    pub found: bool,
    pub images: Vec<Image>,
}

impl Replay {
    /// Reads a transcript of any known format and replays the branch that its agent would continue. `watch` is told how
    /// much is done of how much; false ends it with [`ImportError::Cancelled`].
    pub fn new(bytes: &[u8], settings: &Value, watch: &mut dyn FnMut(f64, f64) -> bool) -> Result<Self, ImportError> {
        // Reading is about half of the work.
        let total = bytes.len() as f64 * 2.0;
        let imported = import::read(bytes, &mut |done| watch(done as f64, total))?;
        if imported.transcript.entries.is_empty() {
            let found = "a session without a single entry".to_owned();
            return Err(ImportError::NotATranscript { found });
        }
        let path = imported.transcript.path(imported.transcript.entries.len() - 1);
        let mut replay = Self { imported, options: Options::read(settings).0, path, run: Run::default(), detail: None };
        let run = replay.replayed(&mut |share| watch(bytes.len() as f64 * (1.0 + share), total));
        replay.run = run.ok_or(ImportError::Cancelled)?;
        watch(total, total);
        Ok(replay)
    }

    fn entries(&self) -> Vec<&SessionEntry> {
        self.path.iter().map(|&at| &self.imported.transcript.entries[at]).collect()
    }

    fn cwd(&self) -> &str {
        self.imported.transcript.header.value.get("cwd").and_then(Value::as_str).unwrap_or("")
    }

    fn replayed(&self, watch: &mut dyn FnMut(f64) -> bool) -> Option<Run> {
        let follow = Follow::new(self.entries(), self.options.as_recorded);
        let len = self.path.len().max(1) as f64;
        run::run(follow, self.cwd(), &self.options, &mut |done| watch(done as f64 / len))
    }

    fn again(&mut self) {
        self.detail = None;
        if let Some(run) = self.replayed(&mut |_| true) {
            self.run = run;
        }
    }

    /// Replays the branch that ends at this entry; false where there is none.
    pub fn select_leaf(&mut self, id: &str) -> bool {
        let Some(leaf) = self.imported.transcript.place(id) else { return false };
        self.path = self.imported.transcript.path(leaf);
        self.again();
        true
    }

    /// Replays with other settings; what was wrong with them.
    pub fn set_settings(&mut self, settings: &Value) -> Vec<Problem> {
        let (options, problems) = Options::read(settings);
        self.options = options;
        self.again();
        problems
    }

    pub fn overview(&self) -> Overview {
        let transcript = &self.imported.transcript;
        let entries = self.entries();
        let speaker = self.run.requests.last().and_then(|last| self.run.speakers.get(last.speaker));
        let named = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        let next = |side: fn(&Request) -> f64| self.run.next.as_ref().map_or(0.0, side);
        Overview {
            format: self.imported.format.name(),
            title: self.imported.title.clone(),
            bytes: self.imported.bytes as f64,
            entries: transcript.entries.len() as u32,
            messages: overview::count_messages(entries.iter().copied()),
            model: speaker.and_then(|one| named(&one.model)),
            provider: speaker.and_then(|one| named(&one.provider)),
            leaves: overview::leaves(transcript),
            leaf: entries.last().map_or_else(String::new, |entry| entry.id.to_string()),
            not_understood: self.imported.not_understood.clone(),
            findings: overview::findings(transcript, &entries, &self.run),
            has_decisions: entries.iter().any(|entry| follow::is_pruners(entry)),
            unseen: cache::tokens(self.run.unseen),
            billed: self.run.billed,
            prices: self.run.speakers.price_sources(),
            next_off: next(|next| next.off.sent.tokens),
            next_on: next(|next| next.on.sent.tokens),
        }
    }

    pub fn requests(&self) -> &[Request] {
        &self.run.requests
    }

    /// What changed history, as requests name it by number.
    pub fn rewrite_reasons(&self) -> &[String] {
        &self.run.reasons
    }

    /// Without pruning, and as configured.
    pub fn totals(&self) -> (&Totals, &Totals) {
        (&self.run.off, &self.run.on)
    }

    /// The session as it stood at request `index`; one behind the last is the request that would come next.
    fn detail(&mut self, index: usize) -> Option<&Detail> {
        if self.detail.as_ref().is_none_or(|(at, _)| *at != index) {
            let request = *self.run.requests.get(index).or(self.run.next.as_ref())?;
            let path: Vec<&SessionEntry> = self.path.iter().map(|&at| &self.imported.transcript.entries[at]).collect();
            let cwd = self.imported.transcript.header.value.get("cwd").and_then(Value::as_str).unwrap_or("");
            let recorded = self.options.as_recorded;
            let earlier = self.detail.take().map(|(_, detail)| detail);
            let detail = Detail::new(&path, &mut self.run, &request, &self.options.config, cwd, recorded, earlier);
            self.detail = Some((index, detail));
        }
        self.detail.as_ref().map(|(_, detail)| detail)
    }

    /// Request `index` before and after in outline, and what it is made of.
    pub fn request(&mut self, index: usize) -> Option<&Outline> {
        self.detail(index).map(Detail::outline)
    }

    /// The rows of request `index` at these places.
    pub fn rows(&mut self, index: usize, places: &[u32]) -> Option<Vec<Row>> {
        self.detail(index)?;
        let (_, detail) = self.detail.as_ref()?;
        Some(detail.rows(&self.entries(), places))
    }

    /// A whole message of request `index`, of the list before or after.
    pub fn message(&mut self, index: usize, message: usize, after: bool) -> Option<MessageText> {
        self.detail(index)?;
        let (_, detail) = self.detail.as_ref()?;
        detail.text(&self.entries(), message, after)
    }

    /// What `context_tree_query` would have answered at request `index`.
    pub fn query(&mut self, index: usize, id: &str) -> Answer {
        let nothing = Answer { text: String::new(), found: false, images: Vec::new() };
        if self.detail(index).is_none() {
            return nothing;
        }
        let Some((_, detail)) = self.detail.as_ref() else { return nothing };
        let texts = Texts::new(&self.entries());
        let found = detail.core.query(&[id.to_owned()], Ask { offset: 0, limit: usize::MAX }, &texts);
        let mut answer = Answer { found: found.iter().any(|one| one.found), ..nothing };
        for (nth, one) in found.iter().enumerate() {
            if nth > 0 {
                answer.text.push_str("---\n\n");
            }
            for piece in &one.pieces {
                match piece {
                    Piece::Text(text) => answer.text.push_str(text),
                    Piece::Cut { entry, start, end } => {
                        let text = texts.content(entry).map(texts::text_of).unwrap_or_default();
                        let at = |units| crate::text::units::byte_at(&text, units);
                        answer.text.push_str(&text[at(*start)..at(*end)]);
                    }
                    Piece::Images { entry } => {
                        let message = texts
                            .content(entry)
                            .map(|content| Value::from(crate::json::Object::from_iter([("content", content.clone())])));
                        answer.images.extend(message.iter().flat_map(show::images));
                    }
                }
            }
        }
        answer
    }

    /// Short sentences on what the cache did for request `index`.
    pub fn explain_cache(&self, index: usize) -> Vec<String> {
        explain::explain(&self.run, index)
    }

    /// The messages of request `index` as they go out, as JSON.
    pub fn export_rendered(&mut self, index: usize) -> Option<String> {
        self.detail(index)?;
        let (_, detail) = self.detail.as_ref()?;
        Some(stringify(&Value::Array(detail.rendered(&self.entries()))))
    }

    /// All of it in Markdown.
    pub fn report(&self) -> String {
        report::report(&self.overview(), &self.run)
    }

    /// The settings as they belong into pi's settings.json: `{ "contextPrune": ... }`, with what is only for the replay
    /// left out.
    pub fn settings_json(&self) -> String {
        let mut own = self.options.raw.as_object().cloned().unwrap_or_default();
        own.remove("replay");
        let settings = crate::json::Object::from_iter([("contextPrune", Value::from(own))]);
        let mut out = String::new();
        texts::indent(&settings.into(), 0, &mut out);
        out
    }
}

#[cfg(test)]
mod tests;
