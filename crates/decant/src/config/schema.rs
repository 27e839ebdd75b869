//! Every setting once: its key, what it accepts, its default, and a sentence for people.

use crate::json::{Object, Value};

/// What a setting accepts.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Boolean {
        default: bool,
    },
    /// A whole number of at least `min`; a fraction is floored, as the original does. `presets` are what the settings
    /// overlay steps through.
    Count {
        default: u32,
        min: u32,
        presets: &'static [u32],
    },
    /// A whole number, or null for none.
    Ceiling {
        default: Option<u32>,
        presets: &'static [u32],
    },
    /// A number above 0 and up to 1, or null for off. Off by default.
    Fraction {
        presets: &'static [f64],
    },
    /// A number above 0 and up to 1.
    Share {
        default: f64,
        presets: &'static [f64],
    },
    Choice {
        choices: &'static [&'static str],
    },
    /// `default` or `provider/model`.
    Model,
    /// A list of strings.
    List {
        default: &'static [&'static str],
    },
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Dots go into nested objects.
    pub key: &'static str,
    pub kind: Kind,
    pub help: &'static str,
    /// The `/pruner` subcommand that sets it.
    pub command: Option<&'static str>,
}

const fn row(key: &'static str, kind: Kind, command: Option<&'static str>, help: &'static str) -> Row {
    Row { key, kind, help, command }
}

/// All settings, in the order in which they are shown. The first choice is the default.
pub const SCHEMA: &[Row] = &[
    row("enabled", Kind::Boolean { default: true }, Some("on"), "Prune the requests of this and every session."),
    row("showPruneStatusLine", Kind::Boolean { default: true }, None, "Show the status line in the footer."),
    row(
        "pruneOn",
        Kind::Choice { choices: &["agent-message", "on-demand"] },
        Some("prune-on"),
        "Flush when the agent has answered, or only on /pruner now.",
    ),
    row(
        "flush",
        Kind::Choice { choices: &["background", "blocking"] },
        None,
        "Summarize while the agent goes on, or make the turn wait.",
    ),
    row(
        "flushWaitMs",
        Kind::Count { default: 30_000, min: 0, presets: &[0, 2_000, 10_000, 30_000, 60_000] },
        None,
        "How long the end of a session waits for a flush, ms (in the TUI at most 2,000).",
    ),
    row(
        "batchingMode",
        Kind::Choice { choices: &["turn", "agent-message"] },
        Some("batching"),
        "One summary for each assistant message with tools, or one for all of a prompt.",
    ),
    row(
        "summarizerModel",
        Kind::Model,
        Some("model"),
        "Model for summaries: default (the session's) or provider/model.",
    ),
    row(
        "summarizerThinking",
        Kind::Choice { choices: &["default", "off", "minimal", "low", "medium", "high", "xhigh"] },
        Some("thinking"),
        "Thinking level of the summarizer.",
    ),
    row(
        "summarizerConcurrency",
        Kind::Count { default: 4, min: 1, presets: &[1, 2, 4, 8] },
        None,
        "How many batches of one flush are summarized at once.",
    ),
    row(
        "summarizerMaxCharsPerResult",
        Kind::Count { default: 2_000, min: 200, presets: &[1_000, 2_000, 4_000, 8_000, 16_000] },
        None,
        "How much of each result the summarizer sees, in characters.",
    ),
    row(
        "summarizerIdleTimeoutMs",
        Kind::Count { default: 20_000, min: 0, presets: &[0, 10_000, 20_000, 45_000, 90_000] },
        None,
        "Give up a summarizer call that shows nothing for this long, ms; 0: never.",
    ),
    row(
        "summarizerMaxTimeoutMs",
        Kind::Count { default: 180_000, min: 0, presets: &[0, 120_000, 180_000, 300_000, 600_000] },
        None,
        "Give up a summarizer call after this long, ms; 0: never.",
    ),
    row(
        "minBatchChars",
        Kind::Count { default: 1_000, min: 0, presets: &[0, 500, 1_000, 2_000, 5_000] },
        Some("min-batch-chars"),
        "Leave batches with less text than this as they are, in characters.",
    ),
    row(
        "dedupByContentHash",
        Kind::Boolean { default: true },
        Some("dedup"),
        "Do not summarize the same output twice.",
    ),
    row(
        "quietOversizedSkips",
        Kind::Boolean { default: false },
        None,
        "Say nothing of batches that were left as they are.",
    ),
    row(
        "recoveryGraceTurns",
        Kind::Count { default: 3, min: 0, presets: &[0, 1, 3, 5, 8] },
        Some("recovery-grace"),
        "Keep an output the agent fetched back for this many prompts.",
    ),
    row("protectedTools", Kind::List { default: &[] }, Some("protected-tools"), "Tools whose output is never pruned."),
    row(
        "protectedPaths",
        Kind::List { default: &["**/skills/**/*.md"] },
        Some("protected-paths"),
        "Files whose content is never pruned, as glob patterns.",
    ),
    row(
        "spillThreshold",
        Kind::Ceiling { default: Some(65_536), presets: &[16_384, 65_536, 262_144, 1_048_576] },
        Some("spill"),
        "Put a single result of at least this size into a file at once, in characters; null: never.",
    ),
    row(
        "spillPreviewBytes",
        Kind::Count { default: 2_048, min: 0, presets: &[0, 512, 2_048, 8_192] },
        None,
        "How much of such a result stays in the context, in bytes.",
    ),
    row(
        "chainCompression.enabled",
        Kind::Boolean { default: true },
        None,
        "Put old, finished prompts with all their tool calls into one block each.",
    ),
    row(
        "chainCompression.rollingWindow",
        Kind::Count { default: 3, min: 0, presets: &[1, 2, 3, 5, 10] },
        None,
        "How many of the newest finished prompts stay as they are.",
    ),
    row(
        "chainCompression.keepOpenTurns",
        Kind::Count { default: 8, min: 1, presets: &[4, 8, 16, 32] },
        None,
        "How many of the newest turns of an unfinished prompt stay when a budget trigger flushes.",
    ),
    row(
        "chainCompression.stripFinalAssistantThinking",
        Kind::Boolean { default: true },
        None,
        "Drop the thinking of the reply that ends a block.",
    ),
    row(
        "chainCompression.fuseRangeSummary",
        Kind::Boolean { default: true },
        None,
        "Let the summarizer make one text of a block's summaries.",
    ),
    row(
        "chainCompression.maxShare",
        Kind::Share { default: 0.15, presets: &[0.05, 0.1, 0.15, 0.25] },
        None,
        "Merge the oldest blocks when all blocks fill more than this share of the window.",
    ),
    row(
        "purgeErrors.enabled",
        Kind::Boolean { default: true },
        None,
        "Replace the arguments of failed calls when they are old and long.",
    ),
    row(
        "purgeErrors.cooldownTurns",
        Kind::Count { default: 2, min: 0, presets: &[1, 2, 3, 5, 10] },
        None,
        "How many turns the arguments of a failed call stay.",
    ),
    row(
        "purgeErrors.minArgChars",
        Kind::Count { default: 500, min: 0, presets: &[100, 500, 1_000, 5_000] },
        None,
        "Leave arguments shorter than this, in characters.",
    ),
    row(
        "purgeErrors.timing",
        Kind::Choice { choices: &["epoch", "live"] },
        None,
        "With the next flush, or (live) at once, which rewrites the history between flushes.",
    ),
    row(
        "thinkingStrip.enabled",
        Kind::Boolean { default: true },
        None,
        "Drop old thinking where the provider allows it.",
    ),
    row(
        "thinkingStrip.keepLastTurns",
        Kind::Count { default: 16, min: 1, presets: &[4, 8, 16, 32, 64] },
        None,
        "How many of the newest assistant messages keep their thinking.",
    ),
    row(
        "thinkingStrip.policy",
        Kind::Choice { choices: &["provider", "always"] },
        None,
        "Drop it only where that helps and is allowed, or always.",
    ),
    row(
        "thinkingStrip.boundary",
        Kind::Choice { choices: &["epoch", "live"] },
        None,
        "Fixed between flushes, or (live) moving with each turn, which rewrites the history between flushes.",
    ),
    row(
        "autoBudgetThreshold",
        Kind::Fraction { presets: &[0.6, 0.7, 0.8, 0.9] },
        None,
        "Flush in the middle of a task when the context fills this share of the window.",
    ),
    row(
        "budgetTurnDelta",
        Kind::Fraction { presets: &[0.1, 0.2, 0.3] },
        None,
        "Flush when one turn fills this share of the window.",
    ),
    row(
        "budgetCeilingTokens",
        Kind::Ceiling { default: Some(300_000), presets: &[100_000, 200_000, 300_000, 500_000] },
        None,
        "For both: take the window for no larger than this, in tokens; null: as advertised.",
    ),
];

/// A setting that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    pub key: String,
    /// What was expected and what is used instead.
    pub message: String,
}

impl Row {
    /// The default as it would stand in the settings.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Boolean { default } => default.into(),
            Kind::Count { default, .. } => default.into(),
            Kind::Ceiling { default, .. } => default.map_or(Value::Null, Value::from),
            Kind::Fraction { .. } => Value::Null,
            Kind::Share { default, .. } => default.into(),
            Kind::Choice { choices } => choices.first().copied().unwrap_or_default().into(),
            Kind::Model => "default".into(),
            Kind::List { default } => Value::Array(default.iter().map(|&one| one.into()).collect()),
        }
    }

    /// What the settings have under this key.
    fn find<'a>(&self, raw: &'a Value) -> Option<&'a Value> {
        self.key.split('.').try_fold(raw, |value, part| value.get(part))
    }

    /// The value that counts: what the settings have if it fits, else the default and a problem.
    pub fn read(&self, raw: &Value, problems: &mut Vec<Problem>) -> Value {
        let Some(value) = self.find(raw) else { return self.default() };
        self.accept(value).unwrap_or_else(|| {
            let default = self.default();
            let used = crate::json::stringify(&default);
            problems.push(Problem {
                key: self.key.to_owned(),
                message: format!("{}: expected {}; using {used}", self.key, self.expected()),
            });
            default
        })
    }

    fn accept(&self, value: &Value) -> Option<Value> {
        let whole = |value: &Value, min: u32| {
            let number = value.as_f64().filter(|number| number.is_finite() && *number >= f64::from(min))?;
            Some(Value::Number(number.floor()))
        };
        match self.kind {
            Kind::Boolean { .. } => value.as_bool().map(Value::from),
            Kind::Count { min, .. } => whole(value, min),
            Kind::Ceiling { .. } | Kind::Fraction { .. } if value.is_null() => Some(Value::Null),
            Kind::Ceiling { .. } => whole(value, 1),
            Kind::Fraction { .. } | Kind::Share { .. } => {
                value.as_f64().filter(|share| *share > 0.0 && *share <= 1.0).map(Value::from)
            }
            Kind::Choice { choices } => value.as_str().filter(|text| choices.contains(text)).map(Value::from),
            Kind::Model => {
                let named = |text: &str| {
                    text.split_once('/').is_some_and(|(provider, id)| !provider.is_empty() && !id.is_empty())
                };
                value.as_str().filter(|text| *text == "default" || named(text)).map(Value::from)
            }
            Kind::List { .. } => {
                let list = value.as_array()?;
                list.iter().all(|one| one.as_str().is_some()).then(|| value.clone())
            }
        }
    }

    /// What it accepts, in words.
    fn expected(&self) -> String {
        match self.kind {
            Kind::Boolean { .. } => "true or false".to_owned(),
            Kind::Count { min, .. } => format!("a number of at least {min}"),
            Kind::Ceiling { .. } => "a number of at least 1, or null".to_owned(),
            Kind::Fraction { .. } => "a number above 0 and up to 1, or null".to_owned(),
            Kind::Share { .. } => "a number above 0 and up to 1".to_owned(),
            Kind::Choice { choices } => format!("one of {}", choices.join(", ")),
            Kind::Model => "\"default\" or \"provider/model\"".to_owned(),
            Kind::List { .. } => "a list of strings".to_owned(),
        }
    }

    /// The row as the settings overlay gets it.
    pub fn describe(&self) -> Value {
        let numbers = |numbers: &[u32]| Value::Array(numbers.iter().map(|&number| number.into()).collect());
        let (kind, nullable, presets) = match self.kind {
            Kind::Boolean { .. } => ("boolean", false, None),
            Kind::Count { presets, .. } => ("count", false, Some(numbers(presets))),
            Kind::Ceiling { presets, .. } => ("count", true, Some(numbers(presets))),
            Kind::Fraction { presets } => {
                ("fraction", true, Some(Value::Array(presets.iter().map(|&share| share.into()).collect())))
            }
            Kind::Share { presets, .. } => {
                ("fraction", false, Some(Value::Array(presets.iter().map(|&share| share.into()).collect())))
            }
            Kind::Choice { .. } => ("choice", false, None),
            Kind::Model => ("model", false, None),
            Kind::List { .. } => ("list", false, None),
        };
        let mut object = Object::new();
        object.insert("key", self.key);
        object.insert("kind", kind);
        object.insert("default", self.default());
        object.insert("nullable", nullable);
        if let Kind::Choice { choices } = self.kind {
            object.insert("choices", Value::Array(choices.iter().map(|&choice| choice.into()).collect()));
        }
        if let Some(presets) = presets {
            object.insert("presets", presets);
        }
        object.insert("help", self.help);
        if let Some(command) = self.command {
            object.insert("command", command);
        }
        Value::Object(object)
    }
}
