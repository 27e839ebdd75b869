//! Assistant messages that stay: old thinking, and the arguments of failed calls.

use super::Scene;
use super::plan::{Act, Edit};
use crate::config::Timing;
use crate::text::stub;
use crate::transcript::branch::Pos;
use crate::transcript::head::{Body, Call};

/// An assistant message that stays in the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub index: u32,
    pub place: Option<Pos>,
    /// The reply that ends a block which takes its thinking.
    pub ends_block: bool,
}

impl Scene<'_> {
    /// The edits of all that stay, in order; the units they save.
    pub(super) fn assistant_edits(&self, kept: &[Kept], edits: &mut Vec<Edit>) -> u64 {
        self.thinking(kept, edits) + self.arguments(kept, edits)
    }

    fn thinking(&self, kept: &[Kept], edits: &mut Vec<Edit>) -> u64 {
        let strip = &self.config.thinking_strip;
        let live = (strip.enabled && strip.boundary == Timing::Live)
            .then(|| kept.len().saturating_sub(strip.keep_last_turns.max(1) as usize));
        let mut saved = 0;
        for (nth, one) in kept.iter().enumerate() {
            // The newest keeps its own (law 8).
            if nth + 1 == kept.len() {
                break;
            }
            let head = self.window.head(one.index as usize, self.branch);
            let old = one.place.is_some_and(|pos| Some(pos) < self.ledger.thinking_before());
            let sliding = live.is_some_and(|boundary| nth < boundary);
            // Without its thinking this would be a message of nothing, which a provider refuses.
            let empty = head.text_units == 0 && head.calls().is_empty();
            if !(old || sliding || one.ends_block) || head.thinking_blocks == 0 || empty {
                continue;
            }
            saved += u64::from(head.thinking_units);
            edits.push(Edit { index: one.index, act: Act::DropThinking });
            if head.calls().iter().any(|call| self.symbols.name(call.id).contains('|')) {
                edits.push(Edit { index: one.index, act: Act::CutIds });
                self.cut_results(one.index, edits);
            }
        }
        saved
    }

    /// The results of the assistant message at `index` follow its ids.
    fn cut_results(&self, index: u32, edits: &mut Vec<Edit>) {
        for at in index as usize + 1..self.window.len() {
            match self.window.head(at, self.branch).body {
                Body::Assistant { .. } => break,
                // An orphan is dropped already.
                Body::Result { .. } if self.window.is_orphan(at) => {}
                Body::Result { .. } => edits.push(Edit { index: at as u32, act: Act::CutIds }),
                Body::Plain => {}
            }
        }
    }

    fn arguments(&self, kept: &[Kept], edits: &mut Vec<Edit>) -> u64 {
        let mut saved = 0;
        if self.ledger.has_purged() {
            for one in kept {
                for (nth, purged) in one.place.iter().flat_map(|&pos| self.ledger.purged(pos).iter().enumerate()) {
                    let text = self.forms.purge(one.place.unwrap_or_default(), nth);
                    // As they are now: a context edit can have taken the call away, and another stand at its place.
                    let calls = self.window.head(one.index as usize, self.branch).calls();
                    let same = |call: &&Call| call.id == purged.id;
                    let at = match calls.get(purged.call as usize).filter(same) {
                        Some(_) => Some(purged.call as usize),
                        None if calls.iter().filter(same).count() == 1 => calls.iter().position(|call| same(&call)),
                        None => None,
                    };
                    if let Some(at) = at {
                        saved += self.replace(one.index, at as u32, calls[at].args_units, text, edits);
                    }
                }
            }
        }
        let purge = &self.config.purge_errors;
        if purge.enabled && purge.timing == Timing::Live {
            saved += self.live_arguments(kept, edits);
        }
        saved
    }

    fn replace(&self, index: u32, call: u32, units: u32, text: u32, edits: &mut Vec<Edit>) -> u64 {
        let mark = self.forms.units(text) + stub::PURGED_UNITS;
        if units <= mark {
            return 0;
        }
        edits.push(Edit { index, act: Act::Arguments { call, text } });
        u64::from(units - mark)
    }

    /// Seed 000 to the letter: failed calls are purged as they age, with every request.
    fn live_arguments(&self, kept: &[Kept], edits: &mut Vec<Edit>) -> u64 {
        let purge = &self.config.purge_errors;
        let mut saved = 0;
        for index in 0..self.window.len() {
            let head = self.window.head(index, self.branch);
            let Body::Result { is_error: true, .. } = head.body else { continue };
            let Some(pair) = self.window.places()[index].and_then(|pos| self.branch.pair(pos)) else { continue };
            // A result stands behind its own assistant message, with none between.
            let before = kept.partition_point(|one| (one.index as usize) < index);
            let after = kept.len() - before;
            let own = before.checked_sub(1).map(|last| kept[last]).filter(|one| one.place == Some(pair.assistant));
            let Some(one) = own else { continue };
            let Some(call) = self.branch.head(pair.assistant).and_then(|head| head.calls().get(pair.call as usize))
            else {
                continue;
            };
            let purged = self.ledger.purged(pair.assistant).iter().any(|purged| purged.call == pair.call);
            if purged || after < purge.cooldown_turns as usize || call.args_units < purge.min_arg_chars {
                continue;
            }
            if let Some(text) = self.forms.live_purge(call.args_units) {
                saved += self.replace(one.index, pair.call, call.args_units, text, edits);
            }
        }
        saved
    }
}
