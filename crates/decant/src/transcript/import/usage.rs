//! What a request used, in pi's words.

use crate::json::{Object, Value};

/// Tokens of one request; `input` without what the cache served.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokens {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    /// Dollars, where the log has them.
    pub cost: f64,
}

impl Tokens {
    /// pi's `usage`.
    pub fn write(self) -> Value {
        let mut cost = Object::new();
        for key in ["input", "output", "cacheRead", "cacheWrite"] {
            cost.insert(key, 0.0);
        }
        cost.insert("total", self.cost);
        let mut usage = Object::new();
        usage.insert("input", self.input);
        usage.insert("output", self.output);
        usage.insert("cacheRead", self.cache_read);
        usage.insert("cacheWrite", self.cache_write);
        usage.insert("totalTokens", self.input + self.output + self.cache_read + self.cache_write);
        usage.insert("cost", cost);
        usage.into()
    }

    /// As Anthropic's API reports it.
    pub fn anthropic(usage: &Value) -> Self {
        Self {
            input: number(usage, "input_tokens"),
            output: number(usage, "output_tokens"),
            cache_read: number(usage, "cache_read_input_tokens"),
            cache_write: number(usage, "cache_creation_input_tokens"),
            cost: 0.0,
        }
    }

    /// As OpenAI's APIs report it: `input` with what the cache served.
    pub fn openai(usage: &Value) -> Self {
        let first = |keys: [&str; 2]| keys.iter().map(|key| number(usage, key)).fold(0.0, f64::max);
        let details = usage.get("prompt_tokens_details").or_else(|| usage.get("input_tokens_details"));
        let cached = details.map_or(0.0, |details| number(details, "cached_tokens"));
        let cached = cached.max(number(usage, "cached_input_tokens"));
        Self {
            input: (first(["prompt_tokens", "input_tokens"]) - cached).max(0.0),
            output: first(["completion_tokens", "output_tokens"]),
            cache_read: cached,
            cache_write: 0.0,
            cost: 0.0,
        }
    }
}

/// A number that makes sense as a count; else 0.
pub fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).filter(|number| number.is_finite() && *number >= 0.0).unwrap_or(0.0)
}
