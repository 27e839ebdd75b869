//! What a provider's prefix cache would have served.
//!
//! Two kinds. With breakpoints (Anthropic, Bedrock): pi sets one behind the system prompt and tools, and one on the last
//! message; a request is looked up from there back, at most 20 blocks, so after a rewrite far up nothing of the talk is
//! found, though its beginning is the same. Automatic (OpenAI and most others): the longest common beginning counts.
//! Both want a smallest prefix, and both forget what was not used for the length of a lifetime (pi-host.md 4.5).

use super::pieces::Stack;

/// How a provider's cache works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheTerms {
    /// How many content blocks a lookup goes back from a breakpoint; none where the cache is automatic.
    pub lookback: Option<u32>,
    /// The smallest prefix that is kept, in tokens.
    pub minimum: f64,
    /// How long a prefix is kept after its last use, in ms.
    pub lifetime: f64,
}

/// What a request sends, in tokens: `cached + fresh`; of the fresh ones, `written` into the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sent {
    pub tokens: f64,
    pub cached: f64,
    pub fresh: f64,
    pub written: f64,
}

/// Why a request found no more in the cache than it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// All of the request before was found.
    None,
    /// The first request to this model.
    First,
    /// Too short to be kept.
    Short,
    /// The lifetime was over.
    Expired,
    /// What was sent before has changed.
    Rewritten,
    /// The breakpoint of the request before is too far back.
    Lookback,
}

/// What pi takes a token for.
pub const UNITS_PER_TOKEN: u64 = 4;

/// UTF-16 units as tokens, as pi estimates them.
pub fn tokens(units: u64) -> f64 {
    units as f64 / UNITS_PER_TOKEN as f64
}

/// The caches of all models that a session talks to.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
struct Slot {
    model: u32,
    /// Pieces of the last request that are still as they were.
    valid: usize,
    /// Of the last request.
    len: usize,
    time: f64,
    /// Where earlier requests ended, and when that prefix was last used; each longer than the one before.
    ends: Vec<(usize, f64)>,
}

impl Cache {
    /// The pieces from `from` on are not what they were.
    pub fn rewritten(&mut self, from: usize) {
        for slot in &mut self.slots {
            slot.valid = slot.valid.min(from);
            let kept = slot.ends.partition_point(|&(end, _)| end <= from);
            slot.ends.truncate(kept);
        }
    }

    /// Sends a request to `model` at `time` ms; NaN where the log has no times, then nothing expires.
    pub fn request(&mut self, model: u32, terms: &CacheTerms, stack: &Stack, time: f64) -> (Sent, Miss) {
        let known = self.slots.iter().position(|slot| slot.model == model);
        let at = known.unwrap_or_else(|| {
            self.slots.push(Slot { model, valid: 0, len: 0, time, ends: Vec::new() });
            self.slots.len() - 1
        });
        let slot = &mut self.slots[at];
        // A clock that goes backwards says nothing.
        let alive = |since: f64| time.is_nan() || since.is_nan() || time - since <= terms.lifetime;
        let all = stack.units(stack.len());
        let (hit, mut miss) = if known.is_none() {
            (None, Miss::First)
        } else if !alive(slot.time) {
            slot.ends.clear();
            (None, Miss::Expired)
        } else if let Some(lookback) = terms.lookback {
            let (hit, miss) = slot.look_up(stack, lookback);
            (Some(hit), miss)
        } else {
            (Some(slot.valid), if slot.valid < slot.len { Miss::Rewritten } else { Miss::None })
        };
        let long = |units: &u64| tokens(*units) >= terms.minimum;
        let found = hit.map(|hit| stack.units(hit));
        let kept = found.filter(long);
        if kept.is_none() && miss == Miss::None {
            miss = Miss::Short;
        }
        let cached = kept.unwrap_or(0);
        let written = if long(&all) { all - cached } else { 0 };
        slot.valid = stack.len();
        slot.len = stack.len();
        slot.time = time;
        if slot.ends.last().is_none_or(|&(end, _)| end < stack.len()) {
            slot.ends.push((stack.len(), time));
        }
        let sent =
            Sent { tokens: tokens(all), cached: tokens(cached), fresh: tokens(all - cached), written: tokens(written) };
        (sent, miss)
    }
}

impl Slot {
    /// The longest prefix that a lookup finds from a breakpoint behind the last piece.
    fn look_up(&self, stack: &Stack, lookback: u32) -> (usize, Miss) {
        let last = stack.blocks(stack.len());
        let end = self.ends.last().map(|&(end, _)| end).filter(|&end| end <= stack.len());
        let near = end.filter(|&end| last - stack.blocks(end) <= u64::from(lookback));
        match near {
            Some(end) if end == self.len => (end, Miss::None),
            Some(end) => (end, Miss::Rewritten),
            None => {
                let lead = stack.lead().min(self.valid);
                (lead, if self.valid < self.len { Miss::Rewritten } else { Miss::Lookback })
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "quarters and list prices are exact")]
mod tests {
    use super::super::pieces::{Kind, Piece, Sizes};
    use super::*;
    use proptest::prelude::*;

    const AUTOMATIC: CacheTerms = CacheTerms { lookback: None, minimum: 1_024.0, lifetime: 300_000.0 };
    const BREAKPOINTS: CacheTerms = CacheTerms { lookback: Some(20), ..AUTOMATIC };

    fn stack(lengths: &[u64]) -> Stack {
        let mut stack = Stack::default();
        for (at, &units) in lengths.iter().enumerate() {
            let kind = if at == 0 { Kind::System } else { Kind::User };
            stack.push(Piece { key: at as u64, sizes: Sizes::one(kind, units), blocks: 1 });
        }
        stack
    }

    #[test]
    fn what_was_sent_before_is_cached_while_it_lives() {
        for terms in [AUTOMATIC, BREAKPOINTS] {
            let mut cache = Cache::default();
            let (sent, miss) = cache.request(0, &terms, &stack(&[8_000, 8_000]), 0.0);
            assert_eq!((sent.cached, sent.fresh, sent.written, miss), (0.0, 4_000.0, 4_000.0, Miss::First));
            let (sent, miss) = cache.request(0, &terms, &stack(&[8_000, 8_000, 400]), 299_000.0);
            assert_eq!((sent.cached, sent.fresh, miss), (4_000.0, 100.0, Miss::None));
            let (sent, miss) = cache.request(0, &terms, &stack(&[8_000, 8_000, 400, 4]), 700_000.0);
            assert_eq!((sent.cached, sent.fresh, miss), (0.0, 4_101.0, Miss::Expired));
        }
    }

    #[test]
    fn a_rewrite_leaves_what_stands_before_it_and_with_breakpoints_the_system_prompt() {
        for (terms, cached) in [(AUTOMATIC, 4_000.0), (BREAKPOINTS, 2_000.0)] {
            let mut cache = Cache::default();
            let mut lengths = vec![8_000; 40];
            cache.request(0, &terms, &stack(&lengths), 0.0);
            lengths[2] = 100;
            cache.rewritten(2);
            let (sent, miss) = cache.request(0, &terms, &stack(&lengths), 1.0);
            assert_eq!((sent.cached, miss), (cached, Miss::Rewritten));
        }
    }

    #[test]
    fn a_breakpoint_is_found_within_twenty_blocks() {
        for (blocks, miss) in [(20, Miss::None), (21, Miss::Lookback)] {
            let mut cache = Cache::default();
            cache.request(0, &BREAKPOINTS, &stack(&[8_000; 10]), 0.0);
            assert_eq!(cache.request(0, &BREAKPOINTS, &stack(&vec![8_000; 10 + blocks]), 1.0).1, miss);
        }
    }

    #[test]
    fn every_model_has_a_cache_of_its_own_and_short_prefixes_have_none() {
        let mut cache = Cache::default();
        let long = stack(&[8_000, 8_000]);
        cache.request(0, &AUTOMATIC, &long, 0.0);
        assert_eq!(cache.request(1, &AUTOMATIC, &long, 1.0).1, Miss::First);
        assert_eq!(cache.request(0, &AUTOMATIC, &long, 2.0).0.fresh, 0.0);
        let mut cache = Cache::default();
        cache.request(0, &AUTOMATIC, &stack(&[400]), 0.0);
        let (sent, miss) = cache.request(0, &AUTOMATIC, &stack(&[400, 400]), 1.0);
        assert_eq!((sent.cached, sent.written, miss), (0.0, 0.0, Miss::Short));
    }

    proptest! {
        #[test]
        fn cached_and_fresh_are_what_is_sent(
            steps in prop::collection::vec((0_u32..2, 0_usize..30, 0_u64..9_000, 0.0..400_000.0_f64), 1..40),
            automatic: bool,
        ) {
            let terms = if automatic { AUTOMATIC } else { BREAKPOINTS };
            let mut cache = Cache::default();
            let (mut lengths, mut time) = (Vec::new(), 0.0);
            for (model, at, units, gap) in steps {
                if at < lengths.len() {
                    lengths[at] = units;
                    cache.rewritten(at);
                } else {
                    lengths.push(units);
                }
                time += gap;
                let (sent, _) = cache.request(model, &terms, &stack(&lengths), time);
                prop_assert_eq!(sent.cached + sent.fresh, sent.tokens);
                prop_assert!(sent.cached >= 0.0 && sent.fresh >= 0.0 && sent.written <= sent.fresh);
                prop_assert!(sent.cached == 0.0 || sent.cached >= terms.minimum);
            }
        }
    }
}
