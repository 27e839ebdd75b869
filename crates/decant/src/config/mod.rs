//! The settings, read from the `contextPrune` object of pi's settings.json as the original wrote it (condense.md section
//! 17). A value that does not fit is named and its default used; an unknown key is left alone.

pub mod schema;
mod shape;
pub mod stamp;

use crate::json::Value;
use schema::{Problem, SCHEMA};
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

/// What one summary speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Batching {
    /// The results of one assistant message.
    Turn,
    /// All results of one prompt.
    AgentMessage,
}

/// When a change takes effect that could also move with every turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// With a flush: the history does not change between two.
    Epoch,
    /// At once, as seed 000 has it.
    Live,
}

/// Whose thinking may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkingPolicy {
    /// As the provider's rules have it; kept where they are not known.
    Provider,
    /// Everybody's, as seed 000 has it.
    Always,
}

/// `chainCompression`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainCompression {
    pub enabled: bool,
    pub rolling_window: u32,
    pub keep_open_turns: u32,
    pub strip_final_assistant_thinking: bool,
    pub fuse_range_summary: bool,
    pub max_share: f64,
}

/// `purgeErrors`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PurgeErrors {
    pub enabled: bool,
    pub cooldown_turns: u32,
    pub min_arg_chars: u32,
    pub timing: Timing,
}

/// `thinkingStrip`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingStrip {
    pub enabled: bool,
    pub keep_last_turns: u32,
    pub policy: ThinkingPolicy,
    pub boundary: Timing,
}

/// All settings, each valid. What each means stands in [`schema::SCHEMA`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "they are a user's switches, each with a name of its own")]
pub struct Config {
    pub enabled: bool,
    pub show_prune_status_line: bool,
    pub prune_on: PruneOn,
    pub flush: Flush,
    pub flush_wait_ms: u32,
    pub batching_mode: Batching,
    pub summarizer_model: String,
    pub summarizer_thinking: String,
    pub summarizer_concurrency: u32,
    pub summarizer_max_chars_per_result: u32,
    pub summarizer_idle_timeout_ms: u32,
    pub summarizer_max_timeout_ms: u32,
    pub min_batch_chars: u32,
    pub dedup_by_content_hash: bool,
    pub quiet_oversized_skips: bool,
    pub recovery_grace_turns: u32,
    pub protected_tools: Vec<String>,
    pub protected_paths: Vec<String>,
    pub spill_threshold: Option<u32>,
    pub spill_preview_bytes: u32,
    pub chain_compression: ChainCompression,
    pub purge_errors: PurgeErrors,
    pub thinking_strip: ThinkingStrip,
    pub auto_budget_threshold: Option<f64>,
    pub budget_turn_delta: Option<f64>,
    pub budget_ceiling_tokens: Option<u32>,
}

impl Default for Config {
    fn default() -> Self {
        Self::read(&Value::Null).0
    }
}

impl Config {
    /// Reads the settings object; what is missing has its default, what does not fit is reported and has it too.
    pub fn read(raw: &Value) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let nothing = Value::Null;
        let raw = if raw.is_null() || raw.as_object().is_some() {
            raw
        } else {
            let message = "contextPrune: expected an object; using the defaults".to_owned();
            problems.push(Problem { key: "contextPrune".to_owned(), message });
            &nothing
        };
        problems.extend(shape::problems(raw));
        let values = Values(SCHEMA.iter().map(|row| (row.key, row.read(raw, &mut problems))).collect());
        let config = Self {
            enabled: values.boolean("enabled"),
            show_prune_status_line: values.boolean("showPruneStatusLine"),
            prune_on: match values.text("pruneOn") {
                "on-demand" => PruneOn::OnDemand,
                _ => PruneOn::AgentMessage,
            },
            flush: match values.text("flush") {
                "blocking" => Flush::Blocking,
                _ => Flush::Background,
            },
            flush_wait_ms: values.count("flushWaitMs"),
            batching_mode: match values.text("batchingMode") {
                "agent-message" => Batching::AgentMessage,
                _ => Batching::Turn,
            },
            summarizer_model: values.text("summarizerModel").to_owned(),
            summarizer_thinking: values.text("summarizerThinking").to_owned(),
            summarizer_concurrency: values.count("summarizerConcurrency"),
            summarizer_max_chars_per_result: values.count("summarizerMaxCharsPerResult"),
            summarizer_idle_timeout_ms: values.count("summarizerIdleTimeoutMs"),
            summarizer_max_timeout_ms: values.count("summarizerMaxTimeoutMs"),
            min_batch_chars: values.count("minBatchChars"),
            dedup_by_content_hash: values.boolean("dedupByContentHash"),
            quiet_oversized_skips: values.boolean("quietOversizedSkips"),
            recovery_grace_turns: values.count("recoveryGraceTurns"),
            protected_tools: values.list("protectedTools"),
            protected_paths: values.list("protectedPaths"),
            spill_threshold: values.number("spillThreshold").map(|units| units as u32),
            spill_preview_bytes: values.count("spillPreviewBytes"),
            chain_compression: ChainCompression {
                enabled: values.boolean("chainCompression.enabled"),
                rolling_window: values.count("chainCompression.rollingWindow"),
                keep_open_turns: values.count("chainCompression.keepOpenTurns"),
                strip_final_assistant_thinking: values.boolean("chainCompression.stripFinalAssistantThinking"),
                fuse_range_summary: values.boolean("chainCompression.fuseRangeSummary"),
                max_share: values.number("chainCompression.maxShare").unwrap_or_default(),
            },
            purge_errors: PurgeErrors {
                enabled: values.boolean("purgeErrors.enabled"),
                cooldown_turns: values.count("purgeErrors.cooldownTurns"),
                min_arg_chars: values.count("purgeErrors.minArgChars"),
                timing: values.timing("purgeErrors.timing"),
            },
            thinking_strip: ThinkingStrip {
                enabled: values.boolean("thinkingStrip.enabled"),
                keep_last_turns: values.count("thinkingStrip.keepLastTurns"),
                policy: match values.text("thinkingStrip.policy") {
                    "always" => ThinkingPolicy::Always,
                    _ => ThinkingPolicy::Provider,
                },
                boundary: values.timing("thinkingStrip.boundary"),
            },
            auto_budget_threshold: values.number("autoBudgetThreshold"),
            budget_turn_delta: values.number("budgetTurnDelta"),
            budget_ceiling_tokens: values.number("budgetCeilingTokens").map(|tokens| tokens as u32),
        };
        (config, problems)
    }
}

/// The value of every row of the schema, already of the row's kind.
struct Values(Vec<(&'static str, Value)>);

impl Values {
    fn get(&self, key: &str) -> &Value {
        self.0.iter().find(|(name, _)| *name == key).map_or(&Value::Null, |(_, value)| value)
    }

    fn boolean(&self, key: &str) -> bool {
        self.get(key).as_bool().unwrap_or_default()
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.get(key).as_f64()
    }

    fn count(&self, key: &str) -> u32 {
        self.number(key).unwrap_or_default() as u32
    }

    fn text(&self, key: &str) -> &str {
        self.get(key).as_str().unwrap_or_default()
    }

    fn timing(&self, key: &str) -> Timing {
        if self.text(key) == "live" { Timing::Live } else { Timing::Epoch }
    }

    fn list(&self, key: &str) -> Vec<String> {
        let list = self.get(key).as_array().unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
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
        let config = Config::default();
        assert!(config.enabled && config.dedup_by_content_hash);
        assert_eq!((config.min_batch_chars, config.spill_threshold), (1_000, Some(65_536)));
        assert_eq!(config.protected_paths, ["**/skills/**/*.md"]);
        assert_eq!(config.budget_ceiling_tokens, Some(300_000));
    }

    /// A key of the schema that no field reads, or the other way round, would be a setting that does nothing.
    #[test]
    fn every_key_is_a_field_and_every_field_a_key() {
        let fields = serde_json::to_value(Config::default()).expect("JSON");
        let mut fields: Vec<String> = (fields.as_object().expect("an object").iter())
            .flat_map(|(key, value)| match value.as_object() {
                Some(inner) => inner.keys().map(|name| format!("{key}.{name}")).collect(),
                None => vec![key.clone()],
            })
            .collect();
        let mut keys: Vec<&str> = SCHEMA.iter().map(|row| row.key).collect();
        fields.sort_unstable();
        keys.sort_unstable();
        assert_eq!(keys, fields);
    }

    #[test]
    fn what_fits_is_taken_and_unknown_keys_are_left_alone() {
        let (config, problems) = read(
            r#"{"enabled":false,"minBatchChars":12.9,"flush":"blocking","autoBudgetThreshold":0.5,"later":[1],
                "budgetCeilingTokens":null,"protectedPaths":[],"protectedTools":["todo"]}"#,
        );
        assert_eq!((config.enabled, config.min_batch_chars, config.flush), (false, 12, Flush::Blocking));
        assert_eq!((config.auto_budget_threshold, config.budget_ceiling_tokens), (Some(0.5), None));
        assert_eq!((config.protected_paths.len(), config.protected_tools.len()), (0, 1));
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn what_does_not_fit_is_named_and_its_default_used() {
        let (config, problems) = read(
            r#"{"enabled":"yes","minBatchChars":-1,"summarizerModel":"haiku","pruneOn":7,"protectedPaths":"x",
                "protectedTools":[1],"autoBudgetThreshold":1.5,"spillThreshold":0}"#,
        );
        assert_eq!(config, Config::default());
        assert_eq!(
            problems,
            [
                "enabled: expected true or false; using true",
                "pruneOn: expected one of agent-message, on-demand; using \"agent-message\"",
                "summarizerModel: expected \"default\" or \"provider/model\"; using \"default\"",
                "minBatchChars: expected a number of at least 0; using 1000",
                "protectedTools: expected a list of strings; using []",
                "protectedPaths: expected a list of strings; using [\"**/skills/**/*.md\"]",
                "spillThreshold: expected a number of at least 1, or null; using 65536",
                "autoBudgetThreshold: expected a number above 0 and up to 1, or null; using null",
            ]
        );
        assert_eq!(read("[]").1, ["contextPrune: expected an object; using the defaults"]);
    }
}
