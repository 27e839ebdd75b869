//! What ages with a flush: the arguments of failed calls, and old thinking.

use super::commit::Draft;
use super::flush::{FlushPlan, Ground, Model};
use crate::capture::batch::is_error;
use crate::config::{ThinkingPolicy, Timing};
use crate::ledger::epoch::Purge;
use crate::text::{stub, units};
use crate::transcript::branch::{Branch, Pair, Pos};
use crate::transcript::head::{Body, Head, Role};

/// A failed call whose arguments go.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPurge {
    pub result: Pos,
    pub pair: Pair,
}

impl Ground<'_> {
    /// Failed calls that have cooled down, with arguments long enough to be worth a mark. Only in closed tool cycles: the
    /// content of an open one goes out as it was stored (report 53).
    pub fn plan_purges(&self) -> Vec<PlannedPurge> {
        let purge = &self.config.purge_errors;
        if !purge.enabled || purge.timing == Timing::Live {
            return Vec::new();
        }
        let turns = self.branch.turn_count();
        let due = (0..self.branch.len() as Pos).filter_map(|result| {
            let head = self.branch.head(result).filter(|head| is_error(head))?;
            let pair = self.branch.pair(result)?;
            let call = self.branch.call(result)?;
            // Turns behind the failed one: the assistant's own does not count.
            let age = turns - self.branch.turn(pair.assistant)? - 1;
            let old = age >= purge.cooldown_turns && call.args_units >= purge.min_arg_chars.max(1);
            let known = self.ledger.purged(pair.assistant).iter().any(|purged| purged.call == pair.call);
            let open = self.field().is_protected(result) || !self.branch.cycle_closed(pair.assistant);
            let here = self.branch.projected(result) && self.branch.projected(pair.assistant);
            (old && here && !known && !open && head.role == Role::ToolResult).then_some(PlannedPurge { result, pair })
        });
        due.collect()
    }

    /// The place before which thinking goes from now on; none where nothing more goes.
    pub fn plan_thinking(&self, model: &Model) -> Option<Pos> {
        let strip = &self.config.thinking_strip;
        if !strip.enabled || strip.boundary == Timing::Live {
            return None;
        }
        let keep = strip.keep_last_turns.max(1) as usize;
        let assistants: Vec<Pos> = places(self.branch, |head| matches!(head.body, Body::Assistant { .. }));
        let first_kept = *assistants.get(assistants.len().checked_sub(keep)?)?;
        let before = match strip.policy {
            ThinkingPolicy::Always => first_kept,
            // Whole closed cycles: a gap inside one voids what is left of it (peers.md 4.3).
            ThinkingPolicy::Provider if keeps_old_thinking(model) => {
                *places(self.branch, |head| head.role == Role::User).iter().rfind(|&&pos| pos <= first_kept)?
            }
            ThinkingPolicy::Provider => return None,
        };
        let done = self.ledger.thinking_before();
        let new = |&pos: &Pos| pos < before && done.is_none_or(|done| pos >= done);
        let thinks = |pos: Pos| self.branch.head(pos).is_some_and(|head| head.thinking_blocks > 0);
        assistants.iter().copied().filter(new).any(thinks).then_some(before)
    }
}

fn places(branch: &Branch, wanted: impl Fn(&Head) -> bool) -> Vec<Pos> {
    let all = branch.kept_from()..branch.len() as Pos;
    all.filter(|&pos| branch.projected(pos) && branch.head(pos).is_some_and(&wanted)).collect()
}

/// Whether the provider carries the thinking of closed cycles along, so that dropping it helps (peers.md 4.3). Older
/// Claudes drop it themselves, at no cost, and so it stays; where the rule is not known it stays too.
fn keeps_old_thinking(model: &Model) -> bool {
    match model.api.as_str() {
        "anthropic-messages" | "bedrock-converse-stream" => claude_keeps(&model.id),
        "openai-responses" | "azure-openai-responses" | "openai-codex-responses" => true,
        _ => false,
    }
}

/// Opus from 4.5, Sonnet and Haiku from 4.6, and every family from 5.
fn claude_keeps(id: &str) -> bool {
    let Some(at) = id.find("claude-") else { return false };
    let mut parts = id[at + "claude-".len()..].split(['-', '.', ':', '@']);
    let family = parts.next().unwrap_or_default();
    // A part of more than two digits is a date.
    let mut number = || parts.next().filter(|part| part.len() <= 2).and_then(|part| part.parse::<u32>().ok());
    let Some(major) = number() else { return false };
    let minor = number().unwrap_or(0);
    let since = if family == "opus" { (4, 5) } else { (4, 6) };
    family.chars().all(|c| c.is_ascii_alphabetic()) && (major, minor) >= since
}

impl Draft<'_> {
    /// Replaces the planned arguments; a failed result without a ref gets one, through which they come back.
    pub(super) fn purges(&mut self, plan: &FlushPlan, next_ref: &mut u64) {
        for &PlannedPurge { result, pair } in &plan.purges {
            let ground = self.ground;
            let Some(call) = ground.branch.call(result) else { continue };
            let hidden = self.blocks.iter().any(|block| {
                let place = |id: &String| ground.symbols.find(id).and_then(|id| ground.branch.pos(id)).unwrap_or(0);
                place(&block.start) < pair.assistant && pair.assistant < place(&block.end)
            });
            // Another flush was quicker.
            let purged = ground.ledger.purged(pair.assistant).iter().any(|purged| purged.call == pair.call);
            let mut shown = ground.ledger.blocks().iter().filter(|block| block.shown);
            let gone = shown.any(|block| block.start < pair.assistant && pair.assistant < block.end);
            if hidden || purged || gone || !ground.branch.projected(result) {
                continue;
            }
            let known = ground.ledger.record_at(result).and_then(|record| record.reference.clone());
            let reference = known.or_else(|| self.fresh_ref(result)).unwrap_or_else(|| {
                *next_ref += 1;
                format!("t{}", *next_ref - 1)
            });
            let mark = units::len(&stub::purged(call.args_units, &reference)) as u64 + u64::from(stub::PURGED_UNITS);
            if mark >= u64::from(call.args_units) {
                continue;
            }
            self.removed += u64::from(call.args_units);
            self.added += mark;
            self.purges.push(Purge {
                result: ground.result(result, Some(reference)),
                assistant: ground.branch.id(pair.assistant).map_or("", |id| ground.symbols.name(id)).to_owned(),
                call: pair.call,
                units: call.args_units,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_of_claude_are_told_apart() {
        for (id, keeps) in [
            ("claude-3-5-sonnet-20241022", false),
            ("claude-sonnet-4-20250514", false),
            ("claude-sonnet-4-5-20250929", false),
            ("claude-sonnet-4-6", true),
            ("claude-opus-4-1", false),
            ("claude-opus-4-5-20251101", true),
            ("us.anthropic.claude-opus-4-6-v1:0", true),
            ("claude-haiku-4-5", false),
            ("claude-sonnet-5", true),
            ("anthropic/claude-opus-4.7", true),
            ("gpt-5", false),
        ] {
            let model = Model { api: "anthropic-messages".to_owned(), id: id.to_owned(), window: 0 };
            assert_eq!(keeps_old_thinking(&model), keeps, "{id}");
        }
    }
}
