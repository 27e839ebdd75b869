//! A branch grown entry by entry, with the request at each point.

use super::judge::{Pairing, pairings};
use super::{CWD, Rendered, extend, known, messages, projected, render, render_known};
use decant::config::Config;
use decant::json::Value;
use decant::session::Session;
use decant::transcript::{Projected, SessionEntry};

pub struct Walk<'e> {
    pub entries: &'e [SessionEntry],
    pub config: Config,
    /// The session as it runs: entries appended one by one, requests read on.
    pub session: Session,
    /// How many entries it has.
    pub at: usize,
    last: Vec<Value>,
}

/// A request and what goes out for it.
pub struct Point<'e> {
    /// The entries so far.
    pub entries: &'e [SessionEntry],
    pub projected: Vec<Projected<'e>>,
    pub messages: Vec<Value>,
    pub pairings: Vec<Pairing>,
    pub rendered: Rendered,
}

impl<'e> Walk<'e> {
    pub fn new(entries: &'e [SessionEntry], config: &Config) -> Self {
        Self { entries, config: config.clone(), session: Session::new(config.clone(), CWD), at: 0, last: Vec::new() }
    }

    /// Appends up to `at` entries, one at a time.
    pub fn go(&mut self, at: usize) {
        for entry in &self.entries[self.at..at] {
            extend(&mut self.session, [entry]);
        }
        self.at = at;
    }

    /// The request here, read anew.
    pub fn point(&mut self) -> Point<'e> {
        let entries = &self.entries[..self.at];
        let projected = projected(entries);
        let messages: Vec<Value> = projected.iter().map(|one| one.message.as_ref().clone()).collect();
        let rendered = render(&mut self.session, &messages);
        self.last.clone_from(&messages);
        Point { entries, projected, pairings: pairings(&messages), messages, rendered }
    }

    /// The request here, read on from the last one.
    pub fn read_on(&mut self) -> Rendered {
        let messages = messages(&self.entries[..self.at]);
        let known = known(&self.last, &messages);
        let rendered = render_known(&mut self.session, &messages, known);
        self.last = messages;
        rendered
    }
}

/// Every point of a session, or `most` of them at equal distances; always the last.
pub fn points(length: usize, most: usize) -> Vec<usize> {
    let step = length.div_ceil(most).max(1);
    (1..=length).filter(|at| at % step == 0 || *at == length).collect()
}
