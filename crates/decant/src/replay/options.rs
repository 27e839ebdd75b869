//! What a replay is told beside the settings of pruning: the key `replay` of the same object, which pi does not know.

use super::terms::{Prices, Terms};
use crate::config::Config;
use crate::config::schema::Problem;
use crate::json::Value;

/// The settings of one replay.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub config: Config,
    /// Fold what a pruner decided in the session, and decide nothing.
    pub as_recorded: bool,
    /// Dollars per million tokens, for every model.
    pub prices: Option<Prices>,
    /// Tokens, for every model.
    pub window: Option<f64>,
    /// ms
    pub lifetime: Option<f64>,
    /// The settings as they came, to hand out again.
    pub raw: Value,
}

impl Options {
    /// Reads the `contextPrune` object with its `replay` key; what does not fit is named and its default used.
    pub fn read(raw: &Value) -> (Self, Vec<Problem>) {
        let (config, mut problems) = Config::read(raw);
        let mut options = Self { config, raw: raw.clone(), ..Self::default() };
        if let Some(replay) = raw.get("replay") {
            let mut number = |from: &Value, path: &str, key: &str| {
                let value = from.get(key).filter(|value| !value.is_null())?;
                let number = value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
                if number.is_none() {
                    let message = format!("{path}{key}: expected a number of at least 0; using the model's");
                    problems.push(Problem { key: format!("{path}{key}"), message });
                }
                number
            };
            options.window = number(replay, "replay.", "contextWindow");
            options.lifetime = number(replay, "replay.", "cacheLifetimeMs");
            if let Some(prices) = replay.get("prices").filter(|prices| prices.as_object().is_some()) {
                let mut price = |key| number(prices, "replay.prices.", key);
                if let (Some(input), Some(output)) = (price("input"), price("output")) {
                    let cache_read = price("cacheRead").unwrap_or(input * 0.1);
                    let cache_write = price("cacheWrite").unwrap_or(input);
                    options.prices = Some(Prices { input, output, cache_read, cache_write });
                }
            }
            options.as_recorded = replay.get("asRecorded").and_then(Value::as_bool).unwrap_or(false);
        }
        (options, problems)
    }

    /// What is assumed of a model: the settings', else what the session's own bills say, else the table's.
    pub fn refine(&self, terms: Terms, billed: Option<Prices>) -> Terms {
        let mut terms = terms;
        terms.prices = self.prices.or(billed).unwrap_or(terms.prices);
        terms.window = self.window.unwrap_or(terms.window);
        terms.cache.lifetime = self.lifetime.unwrap_or(terms.cache.lifetime);
        terms
    }
}
