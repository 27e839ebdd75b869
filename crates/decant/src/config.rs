//! Every setting: its key, its default, what is accepted. Nowhere else.
//!
//! Settings are read from the `contextPrune` object of pi's settings.json, as the original wrote it (condense.md
//! section 17). A value that does not fit is named and its default used; an unknown key is left alone.

use crate::json::Value;
use serde::Serialize;

/// How a due flush runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flush {
    /// Summaries are made while the agent goes on.
    Background,
    /// The turn waits for its summaries, as the original does.
    Blocking,
}

/// What makes a flush due, beside the budget triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PruneOn {
    /// A reply without tool calls.
    AgentMessage,
    /// `/pruner now` only.
    OnDemand,
}

/// All settings, each valid.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// Installing is switching on; `false` in settings of the original is kept.
    pub enabled: bool,
    pub show_prune_status_line: bool,
    /// `default` (the session's model) or `provider/id`.
    pub summarizer_model: String,
    pub summarizer_thinking: String,
    pub prune_on: PruneOn,
    pub flush: Flush,
    /// How long the end of a session waits for a flush under way, ms (in the TUI at most 2,000).
    pub flush_wait_ms: u32,
    /// A batch with less raw text than this, in UTF-16 units, is not worth a summary.
    pub min_batch_chars: u32,
    /// A summarizer call without any event for this long is given up, ms; 0: never.
    pub summarizer_idle_timeout_ms: u32,
    /// A summarizer call is given up after this long, ms; 0: never.
    pub summarizer_max_timeout_ms: u32,
    /// Say nothing of batches whose summary would have been longer than the results.
    pub quiet_oversized_skips: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            show_prune_status_line: true,
            summarizer_model: "default".to_owned(),
            summarizer_thinking: "default".to_owned(),
            prune_on: PruneOn::AgentMessage,
            flush: Flush::Background,
            flush_wait_ms: 30_000,
            min_batch_chars: 1_000,
            summarizer_idle_timeout_ms: 20_000,
            summarizer_max_timeout_ms: 180_000,
            quiet_oversized_skips: false,
        }
    }
}

/// A setting that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub key: String,
    /// What was expected and what is used instead.
    pub message: String,
}

const THINKING: &[&str] = &["default", "off", "minimal", "low", "medium", "high", "xhigh"];

impl Config {
    /// Reads the settings object; what is missing has its default, what does not fit is reported and has it too.
    pub fn read(raw: &Value) -> (Self, Vec<Problem>) {
        let mut config = Self::default();
        let mut reader = Reader { raw, problems: Vec::new() };
        if !raw.is_null() && raw.as_object().is_none() {
            reader.problem("contextPrune", "an object", "the defaults");
            return (config, reader.problems);
        }
        reader.boolean("enabled", &mut config.enabled);
        reader.boolean("showPruneStatusLine", &mut config.show_prune_status_line);
        reader.model("summarizerModel", &mut config.summarizer_model);
        if let Some(level) = reader.choice("summarizerThinking", THINKING) {
            THINKING[level].clone_into(&mut config.summarizer_thinking);
        }
        match reader.choice("pruneOn", &["agent-message", "on-demand"]) {
            Some(0) => config.prune_on = PruneOn::AgentMessage,
            Some(_) => config.prune_on = PruneOn::OnDemand,
            None => {}
        }
        match reader.choice("flush", &["background", "blocking"]) {
            Some(0) => config.flush = Flush::Background,
            Some(_) => config.flush = Flush::Blocking,
            None => {}
        }
        reader.count("flushWaitMs", &mut config.flush_wait_ms);
        reader.count("minBatchChars", &mut config.min_batch_chars);
        reader.count("summarizerIdleTimeoutMs", &mut config.summarizer_idle_timeout_ms);
        reader.count("summarizerMaxTimeoutMs", &mut config.summarizer_max_timeout_ms);
        reader.boolean("quietOversizedSkips", &mut config.quiet_oversized_skips);
        (config, reader.problems)
    }
}

struct Reader<'a> {
    raw: &'a Value,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, key: &str, expected: &str, used: &str) {
        self.problems
            .push(Problem { key: key.to_owned(), message: format!("{key}: expected {expected}; using {used}") });
    }

    fn boolean(&mut self, key: &str, target: &mut bool) {
        match self.raw.get(key) {
            None => {}
            Some(Value::Bool(value)) => *target = *value,
            Some(_) => self.problem(key, "true or false", if *target { "true" } else { "false" }),
        }
    }

    /// A finite number of at least 0, floored as the original does.
    fn count(&mut self, key: &str, target: &mut u32) {
        match self.raw.get(key) {
            None => {}
            Some(Value::Number(value)) if value.is_finite() && *value >= 0.0 => *target = value.floor() as u32,
            Some(_) => self.problem(key, "a number of at least 0", &target.to_string()),
        }
    }

    fn choice(&mut self, key: &str, choices: &[&str]) -> Option<usize> {
        let value = self.raw.get(key)?;
        let found = value.as_str().and_then(|text| choices.iter().position(|choice| *choice == text));
        if found.is_none() {
            self.problem(key, &format!("one of {}", choices.join(", ")), choices[0]);
        }
        found
    }

    fn model(&mut self, key: &str, target: &mut String) {
        match self.raw.get(key).map(|value| value.as_str()) {
            None => {}
            Some(Some(text))
                if text == "default" || text.split_once('/').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()) =>
            {
                text.clone_into(target);
            }
            Some(_) => self.problem(key, "\"default\" or \"provider/model\"", "\"default\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn read(text: &str) -> (Config, Vec<String>) {
        let (config, problems) = Config::read(&json::parse(text.as_bytes()).expect("JSON"));
        (config, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn nothing_set_is_the_default() {
        assert_eq!(read("{}"), (Config::default(), vec![]));
        assert_eq!(read("null"), (Config::default(), vec![]));
    }

    #[test]
    fn what_fits_is_taken_and_unknown_keys_are_left_alone() {
        let (config, problems) = read(r#"{"enabled":false,"minBatchChars":12.9,"flush":"blocking","later":[1]}"#);
        assert_eq!((config.enabled, config.min_batch_chars, config.flush), (false, 12, Flush::Blocking));
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn what_does_not_fit_is_named_and_its_default_used() {
        let (config, problems) = read(r#"{"enabled":"yes","minBatchChars":-1,"summarizerModel":"haiku","pruneOn":7}"#);
        assert_eq!(config, Config::default());
        assert_eq!(
            problems,
            [
                "enabled: expected true or false; using true",
                "summarizerModel: expected \"default\" or \"provider/model\"; using \"default\"",
                "pruneOn: expected one of agent-message, on-demand; using agent-message",
                "minBatchChars: expected a number of at least 0; using 1000",
            ]
        );
        assert_eq!(read("[]").1, ["contextPrune: expected an object; using the defaults"]);
    }
}
