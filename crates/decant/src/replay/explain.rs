//! Prefix caching, explained with the numbers of a request.

use super::cache::Miss;
use super::models::Speaker;
use super::run::{Request, Run};
use super::terms::PriceSource;

/// A whole number with commas between thousands.
pub fn count(number: f64) -> String {
    // As the page rounds: halves up, where the formatter rounds them to even.
    let digits = format!("{:.0}", number.abs().round());
    let mut out = String::new();
    if number <= -0.5 {
        out.push('-');
    }
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Dollars, with as many digits as say something.
pub fn dollars(amount: f64) -> String {
    if amount.abs() >= 1.0 { format!("${amount:.2}") } else { format!("${amount:.4}") }
}

/// What is said of request number `index`.
pub fn explain(run: &Run, index: usize) -> Vec<String> {
    let Some(request) = run.requests.get(index) else { return Vec::new() };
    let Some(speaker) = run.speakers.get(request.speaker) else { return Vec::new() };
    let on = request.on.sent;
    let number = index + 1;
    let mut lines = vec![format!(
        "Request {number} carries {} tokens. {} of them stood at the beginning of a request before, word for word, and \
         come from the cache; {} are read anew.",
        count(on.tokens),
        count(on.cached),
        count(on.fresh)
    )];
    lines.extend(price_line(speaker, request));
    lines.extend(miss_line(run, index, speaker));
    let off = request.off.sent;
    if off == on {
        lines.push("Without pruning it would be the same.".to_owned());
    } else {
        let (tokens, cached) = (count(off.tokens), count(off.cached));
        let instead = if speaker.prices == PriceSource::Unknown {
            String::new()
        } else {
            format!(": {} instead of {}", dollars(request.off.cost), dollars(request.on.cost))
        };
        lines
            .push(format!("Without pruning it would carry {tokens} tokens, {cached} of them from the cache{instead}."));
    }
    lines.extend(rewrite_line(run, request, speaker));
    lines
}

fn price_line(speaker: &Speaker, request: &Request) -> Option<String> {
    let prices = &speaker.terms.prices;
    let share = prices.cache_read / prices.input * 100.0;
    let source = match speaker.prices {
        PriceSource::Set => "as set",
        PriceSource::Bills => "as this session was billed",
        PriceSource::List => "list price",
        PriceSource::Unknown => return None,
    };
    let write = if request.on.sent.written > 0.0 && prices.cache_write > prices.input {
        format!(", one that is read anew and kept {:.2}", prices.cache_write)
    } else {
        String::new()
    };
    let name = if speaker.model.is_empty() { "the model" } else { &speaker.model };
    Some(format!(
        "A million tokens from the cache of {name} cost ${:.2}, {share:.0} % of the ${:.2} of fresh ones{write} ({source}): \
         {} for this request.",
        prices.cache_read,
        prices.input,
        dollars(request.on.cost)
    ))
}

fn miss_line(run: &Run, index: usize, speaker: &Speaker) -> Option<String> {
    let cache = &speaker.terms.cache;
    let request = &run.requests[index];
    let minutes = cache.lifetime / 60_000.0;
    Some(match request.on.miss {
        Miss::None => return None,
        Miss::First => "It is the first request to this model, so there is nothing in its cache yet.".to_owned(),
        Miss::Short => {
            format!(
                "What was sent before is shorter than the {} tokens that this cache keeps at least.",
                count(cache.minimum)
            )
        }
        Miss::Expired => {
            let before = run.requests[..index].iter().rev().find(|one| one.speaker == request.speaker);
            let gap = before.map_or(f64::NAN, |one| (request.timestamp - one.timestamp) / 60_000.0);
            format!("{gap:.0} minutes had passed since the request before; this cache forgets after {minutes:.0}.")
        }
        Miss::Rewritten => {
            "What was sent before had changed, and a cache only knows a beginning that is the same.".to_owned()
        }
        Miss::Lookback => format!(
            "So many blocks came at once that the cache did not find the end of the request before: it looks back {} \
             blocks.",
            cache.lookback.unwrap_or(20)
        ),
    })
}

/// What a rewrite cost, and when it is earned back.
fn rewrite_line(run: &Run, request: &Request, speaker: &Speaker) -> Option<String> {
    let reason = run.reasons.get(request.on.rewrite? as usize)?;
    let extra = request.on.cost - request.off.cost;
    let prices = &speaker.terms.prices;
    let shorter = request.off.sent.tokens - request.on.sent.tokens;
    let per_request = shorter * prices.cache_read / 1e6;
    if speaker.prices == PriceSource::Unknown {
        return Some(format!("History changed here ({reason})."));
    }
    if extra <= 0.0 || per_request <= 0.0 {
        return Some(format!("History changed here ({reason}), and the request is cheaper for it at once."));
    }
    Some(format!(
        "History changed here ({reason}): that costs {} once. Each later request is {} tokens shorter, which saves {} from \
         the cache: earned back after {} requests.",
        dollars(extra),
        count(shorter),
        dollars(per_request),
        count((extra / per_request).ceil())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_legible() {
        assert_eq!(
            [0.0, 999.4, 1_000.0, 1_234_567.0, -1_000.0].map(count),
            ["0", "999", "1,000", "1,234,567", "-1,000"]
        );
        assert_eq!((dollars(0.01234), dollars(12.345)), ("$0.0123".to_owned(), "$12.35".to_owned()));
    }
}
