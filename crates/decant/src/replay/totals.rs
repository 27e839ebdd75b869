//! Sums over all requests.

use super::run::Side;
use serde::Serialize;

/// Tokens and dollars of a whole path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub requests: f64,
    /// Tokens: `cached + fresh`; of the fresh ones `written` into a cache.
    pub sent: f64,
    pub cached: f64,
    pub fresh: f64,
    pub written: f64,
    /// Tokens of the replies.
    pub output: f64,
    /// Dollars, with replies and summarizer.
    pub cost: f64,
    /// The largest request, in tokens.
    pub largest: f64,
    /// Requests in which something was not as it had been sent before.
    pub rewrites: f64,
    /// Flushes that changed what is sent, blocks they made, results put into files.
    pub epochs: f64,
    pub blocks: f64,
    pub spilled: f64,
    pub summaries: Summaries,
}

/// What the provider counted, as far as the log says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Billed {
    /// Requests whose reply has a bill.
    pub requests: f64,
    /// Tokens of all of them, and of the largest.
    pub sent: f64,
    pub largest: f64,
}

impl Billed {
    /// Adds a request of so many tokens; 0 where the log does not say.
    pub(super) fn count(&mut self, tokens: f64) {
        self.requests += f64::from(u8::from(tokens > 0.0));
        self.sent += tokens;
        self.largest = self.largest.max(tokens);
    }
}

/// Summarizer calls that a session would have made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summaries {
    pub calls: f64,
    /// Texts that stood in the session, and stand-ins made without a model.
    pub recorded: f64,
    pub deterministic: f64,
    /// Tokens.
    pub input: f64,
    pub output: f64,
    /// Dollars, at the prices of the session's model.
    pub cost: f64,
}

impl Totals {
    /// Adds a request; `output` in tokens, `reply` in dollars.
    pub(super) fn count(&mut self, side: &Side, output: f64, reply: f64) {
        self.requests += 1.0;
        self.sent += side.sent.tokens;
        self.cached += side.sent.cached;
        self.fresh += side.sent.fresh;
        self.written += side.sent.written;
        self.output += output;
        self.cost += side.cost + reply;
        self.largest = self.largest.max(side.sent.tokens);
        self.rewrites += f64::from(u8::from(side.rewrite.is_some()));
    }

    pub(super) fn note_summary(&mut self, recorded: bool, input: f64, output: f64, cost: f64) {
        let summaries = &mut self.summaries;
        summaries.calls += 1.0;
        *(if recorded { &mut summaries.recorded } else { &mut summaries.deterministic }) += 1.0;
        summaries.input += input;
        summaries.output += output;
        summaries.cost += cost;
    }

    /// Adds what happened between two requests.
    pub(super) fn add_summarizer(&mut self, bill: &Self) {
        self.epochs += bill.epochs;
        self.blocks += bill.blocks;
        self.spilled += bill.spilled;
        self.cost += bill.summaries.cost;
        let (to, from) = (&mut self.summaries, &bill.summaries);
        to.calls += from.calls;
        to.recorded += from.recorded;
        to.deterministic += from.deterministic;
        to.input += from.input;
        to.output += from.output;
        to.cost += from.cost;
    }
}
