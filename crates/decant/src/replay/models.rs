//! The models that a session talks to.

use super::options::Options;
use super::terms::{PriceSource, Prices, Terms, is_listed, terms};
use crate::epoch::flush;
use crate::json::Value;

/// One model, and what is assumed of it.
#[derive(Clone, Debug)]
pub struct Speaker {
    pub provider: String,
    pub api: String,
    pub model: String,
    pub terms: Terms,
    pub prices: PriceSource,
    /// Its first bills, for prices: tokens and dollars of input, output, cache read, cache write.
    bills: [(f64, f64); 4],
}

const PARTS: [&str; 4] = ["input", "output", "cacheRead", "cacheWrite"];

/// All models of a path, in the order they come.
#[derive(Clone, Debug, Default)]
pub struct Speakers(pub Vec<Speaker>);

impl Speakers {
    /// The place of the model that wrote this assistant message; new ones are added.
    pub fn of(&mut self, message: &Value) -> u32 {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or("");
        let (provider, api, model) = (text("provider"), text("api"), text("model"));
        let known = self.0.iter().position(|one| one.provider == provider && one.api == api && one.model == model);
        let at = known.unwrap_or_else(|| {
            self.0.push(Speaker {
                provider: provider.to_owned(),
                api: api.to_owned(),
                model: model.to_owned(),
                terms: terms(provider, api, model),
                prices: PriceSource::Unknown,
                bills: [(0.0, 0.0); 4],
            });
            self.0.len() - 1
        });
        if let Some(usage) = message.get("usage") {
            for (part, bill) in PARTS.iter().zip(&mut self.0[at].bills) {
                let tokens = number(Some(usage), part);
                let dollars = number(usage.get("cost"), part);
                // Only bills of a certain size say what a token costs.
                if tokens > 0.0 && dollars > 0.0 {
                    bill.0 += tokens;
                    bill.1 += dollars;
                }
            }
        }
        at as u32
    }

    /// Fixes what is assumed of each, once all bills are known.
    pub fn settle(&mut self, options: &Options) {
        for one in &mut self.0 {
            let price = |part: usize| {
                let (tokens, dollars) = one.bills[part];
                (tokens > 0.0).then(|| dollars / tokens * 1e6)
            };
            let table = terms(&one.provider, &one.api, &one.model);
            // Without the two that every session has, the rest is no price list.
            let billed =
                price(0).or_else(|| price(3).map(|write| write / 1.25)).zip(price(1)).map(|(input, output)| {
                    let share = |of: f64| of / table.prices.input * input;
                    Prices {
                        input,
                        output,
                        cache_read: price(2).unwrap_or_else(|| share(table.prices.cache_read)),
                        cache_write: price(3).unwrap_or_else(|| share(table.prices.cache_write)),
                    }
                });
            one.prices = match billed {
                _ if options.prices.is_some() => PriceSource::Set,
                Some(_) => PriceSource::Bills,
                None if is_listed(&one.model) => PriceSource::List,
                None => PriceSource::Unknown,
            };
            one.terms = options.refine(table, billed);
        }
    }

    pub fn get(&self, at: u32) -> Option<&Speaker> {
        self.0.get(at as usize)
    }

    /// Where all prices come from, each source once.
    pub fn price_sources(&self) -> Vec<PriceSource> {
        let mut sources: Vec<PriceSource> = self.0.iter().map(|one| one.prices).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// Whether what the session cost can be said.
    pub fn prices_are_known(&self) -> bool {
        self.0.iter().all(|one| one.prices != PriceSource::Unknown)
    }

    /// A model as a flush wants to know it.
    pub fn model(&self, at: u32) -> flush::Model {
        self.get(at).map_or_else(flush::Model::default, |one| flush::Model {
            api: one.api.clone(),
            id: one.model.clone(),
            window: one.terms.window as u32,
        })
    }
}

/// Tokens that the reply was, as billed; 0 where the log does not say.
pub fn output_tokens(message: &Value) -> f64 {
    number(message.get("usage"), "output")
}

/// Tokens that the request was, as billed; 0 where the log does not say.
pub fn input_tokens(message: &Value) -> f64 {
    ["input", "cacheRead", "cacheWrite"].iter().map(|key| number(message.get("usage"), key)).sum()
}

fn number(from: Option<&Value>, key: &str) -> f64 {
    let number = from.and_then(|from| from.get(key)).and_then(Value::as_f64);
    number.filter(|number| number.is_finite() && *number > 0.0).unwrap_or(0.0)
}
