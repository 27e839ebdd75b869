//! What models cost, how large their windows are and how their caches work: list prices of early 2026, where the session
//! and the settings say nothing better.

use super::cache::CacheTerms;
use serde::Serialize;

/// Dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

impl Prices {
    /// Anthropic's: a cached read is a tenth, a write a quarter more (design section 8).
    const fn claude(input: f64, output: f64) -> Self {
        Self { input, output, cache_read: input * 0.1, cache_write: input * 1.25 }
    }

    /// Where writing is free and a cached read this share of the input.
    const fn automatic(input: f64, output: f64, share: f64) -> Self {
        Self { input, output, cache_read: input * share, cache_write: input }
    }
}

/// All that is assumed of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    pub prices: Prices,
    /// Tokens.
    pub window: f64,
    pub cache: CacheTerms,
}

/// ms
const LIFETIME: f64 = 300_000.0;

/// Part of the model's id, prices, window. The first that fits counts.
const MODELS: &[(&str, Prices, f64)] = &[
    ("opus-4-1", Prices::claude(15.0, 75.0), 200_000.0),
    ("opus-4-0", Prices::claude(15.0, 75.0), 200_000.0),
    ("opus-4-2025", Prices::claude(15.0, 75.0), 200_000.0),
    ("3-opus", Prices::claude(15.0, 75.0), 200_000.0),
    ("opus", Prices::claude(5.0, 25.0), 200_000.0),
    ("3-5-haiku", Prices::claude(0.8, 4.0), 200_000.0),
    ("haiku", Prices::claude(1.0, 5.0), 200_000.0),
    ("sonnet", Prices::claude(3.0, 15.0), 200_000.0),
    ("gpt-5-mini", Prices::automatic(0.25, 2.0, 0.1), 400_000.0),
    ("gpt-5-nano", Prices::automatic(0.05, 0.4, 0.1), 400_000.0),
    ("gpt-5.2", Prices::automatic(1.75, 14.0, 0.1), 400_000.0),
    ("gpt-5", Prices::automatic(1.25, 10.0, 0.1), 400_000.0),
    ("codex", Prices::automatic(1.25, 10.0, 0.1), 272_000.0),
    ("gpt-4.1", Prices::automatic(2.0, 8.0, 0.25), 1_000_000.0),
    ("gpt-4o-mini", Prices::automatic(0.15, 0.6, 0.5), 128_000.0),
    ("gpt-4o", Prices::automatic(2.5, 10.0, 0.5), 128_000.0),
    ("o4-mini", Prices::automatic(1.1, 4.4, 0.25), 200_000.0),
    ("o3", Prices::automatic(2.0, 8.0, 0.25), 200_000.0),
    ("flash-lite", Prices::automatic(0.1, 0.4, 0.25), 1_000_000.0),
    ("flash", Prices::automatic(0.3, 2.5, 0.1), 1_000_000.0),
    ("gemini", Prices::automatic(1.25, 10.0, 0.1), 1_000_000.0),
    ("deepseek", Prices::automatic(0.28, 0.42, 0.1), 128_000.0),
    ("kimi", Prices::automatic(0.6, 2.5, 0.25), 256_000.0),
    ("glm", Prices::automatic(0.6, 2.2, 0.2), 200_000.0),
    ("qwen", Prices::automatic(0.5, 1.5, 0.2), 256_000.0),
    ("grok", Prices::automatic(0.2, 1.5, 0.1), 256_000.0),
];

/// Of a model that nothing is known of, those of the commonest one.
const UNKNOWN: (Prices, f64) = (Prices::claude(3.0, 15.0), 200_000.0);

/// Where a model's prices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PriceSource {
    /// The settings.
    Set,
    /// The session's own bills.
    Bills,
    /// The table here.
    List,
    /// Nobody knows them: those of the commonest model stand in.
    Unknown,
}

/// The table's line for a model, by its id in lower case with dashes for dots.
fn listed(id: &str) -> Option<&'static (&'static str, Prices, f64)> {
    MODELS.iter().find(|(part, ..)| id.contains(&part.replace('.', "-")))
}

fn id_of(model: &str) -> String {
    model.to_lowercase().replace('.', "-")
}

/// Whether the table has prices for this model.
pub fn is_listed(model: &str) -> bool {
    listed(&id_of(model)).is_some()
}

/// What to assume of a model.
pub fn terms(provider: &str, api: &str, model: &str) -> Terms {
    let id = id_of(model);
    let found = listed(&id);
    let (prices, window) = found.map_or(UNKNOWN, |&(_, prices, window)| (prices, window));
    let claude = id.contains("claude") || matches!(api, "anthropic-messages" | "bedrock-converse-stream");
    let (lookback, minimum) = if claude || provider == "anthropic" {
        (Some(20), claude_minimum(&id))
    } else if id.contains("gemini") && id.contains("pro") {
        (None, 4_096.0)
    } else {
        (None, 1_024.0)
    };
    Terms { prices, window, cache: CacheTerms { lookback, minimum, lifetime: LIFETIME } }
}

/// The newest Opus and Haiku keep nothing below 4,096 tokens, Haiku 3 nothing below 2,048, the others 1,024.
fn claude_minimum(id: &str) -> f64 {
    let new_opus = ["opus-4-5", "opus-4-6", "opus-4-7", "opus-5"].iter().any(|part| id.contains(part));
    if new_opus || id.contains("haiku-4-5") {
        4_096.0
    } else if id.contains("haiku") {
        2_048.0
    } else {
        1_024.0
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "quarters and list prices are exact")]
mod tests {
    use super::*;

    #[test]
    fn models_have_their_own_terms() {
        let of = |api: &str, model: &str| terms("", api, model);
        let old = of("anthropic-messages", "claude-opus-4-1-20250805");
        let new = of("anthropic-messages", "claude-opus-4.5");
        assert_eq!((old.prices.input, new.prices.input), (15.0, 5.0));
        assert_eq!((old.cache.minimum, new.cache.minimum), (1_024.0, 4_096.0));
        assert_eq!(old.cache.lookback, Some(20));
        let gpt = of("openai-responses", "gpt-5.2-codex");
        assert_eq!((gpt.prices.input, gpt.cache.lookback, gpt.window), (1.75, None, 400_000.0));
        assert_eq!(of("", "nobody-knows").prices.input, 3.0);
        assert!(is_listed("claude-opus-4.5") && is_listed("GPT-5.2-Codex") && !is_listed("nobody-knows"));
    }
}
