//! What a block says, and whether it is worth it (condense.md section 9).

use super::chains::PlannedBlock;
use super::commit::Draft;
use super::flush::{FlushPlan, Ground};
use crate::capture::batch::{self, QUERY_TOOL, is_error};
use crate::ledger::epoch::Block;
use crate::ledger::record::{Archive, BlockRecord};
use crate::order;
use crate::text::{labels, stub, units};
use crate::transcript::branch::Pos;
use crate::transcript::head::{Body, Head};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What an inserted message costs beside its text, in UTF-16 units of JSON: role, content, braces, escapes.
pub(super) const ENVELOPE: u64 = 80;

/// The texts of results that this very flush summarizes.
type Fresh<'a> = FxHashMap<Pos, &'a str>;

/// The parts of a block.
struct Parts<'a> {
    /// Results that stay word for word, and those that go.
    protected: Vec<Pos>,
    hidden: Vec<Pos>,
    /// Blocks it takes the place of.
    old: Vec<&'a BlockRecord>,
    /// Distinct texts: of the blocks, of summaries shown now, of summaries made with this flush.
    known: Vec<&'a str>,
    fresh: Vec<&'a str>,
}

impl<'g> Ground<'g> {
    fn parts<'a>(&self, planned: &PlannedBlock, fresh: &Fresh<'a>) -> Parts<'a>
    where
        'g: 'a,
    {
        let field = self.field();
        let (protected, hidden): (Vec<Pos>, Vec<Pos>) =
            planned.results.iter().partition(|&&pos| field.is_protected(pos));
        let ledger: &'g _ = self.ledger;
        let old: Vec<&BlockRecord> =
            ledger.blocks().iter().filter(|block| planned.merged.contains(&block.id)).collect();
        let covered_to = old.iter().map(|block| block.end).max();
        let news = hidden.iter().copied().filter(|&pos| covered_to.is_none_or(|end| pos >= end));
        let mut summaries: Vec<usize> = Vec::new();
        let mut fresh_texts: Vec<&str> = Vec::new();
        for pos in news {
            if let Some(summary) = ledger.summary_of(pos).filter(|summary| !summaries.contains(summary)) {
                summaries.push(summary);
            }
            // The texts of a batch follow one another.
            if let Some(text) =
                fresh.get(&pos).filter(|text| !fresh_texts.last().is_some_and(|last| std::ptr::eq(*last, **text)))
            {
                fresh_texts.push(text);
            }
        }
        let bodies = old.iter().map(|block| block.body.as_str());
        let known = bodies.chain(summaries.into_iter().map(|summary| ledger.summary(summary).text.as_str())).collect();
        Parts { protected, hidden, old, known, fresh: fresh_texts }
    }

    /// UTF-16 units that go when the block hides its span, as they are shown now: stubs and summaries, not originals.
    fn hidden_units(&self, planned: &PlannedBlock, parts: &Parts<'_>, fresh: &Fresh<'_>) -> u64 {
        let covered = |pos: Pos| parts.old.iter().any(|block| block.start < pos && pos < block.end);
        let mut sum: u64 = parts.old.len() as u64 * ENVELOPE;
        for pos in planned.start + 1..planned.end {
            let Some(head) = self.branch.head(pos).filter(|_| self.branch.projected(pos) && !covered(pos)) else {
                continue;
            };
            match &head.body {
                Body::Assistant { calls, .. } if !calls.is_empty() => sum += head.units(),
                Body::Result { .. } if parts.hidden.binary_search(&pos).is_ok() => {
                    let record = self.ledger.record_at(pos);
                    let stubbed = fresh.contains_key(&pos)
                        || record.is_some_and(|record| !matches!(record.archive, Archive::Whole));
                    sum += if stubbed { head.units().min(100) } else { head.units() };
                }
                _ => {}
            }
        }
        let texts = parts.known.iter().chain(&parts.fresh);
        sum + texts.map(|text| units::len(text) as u64).sum::<u64>()
    }

    /// The body without a fusion. `refs` are those of the hidden results, `uncovered` those of them that no text tells of.
    fn plain_body(
        &self,
        planned: &PlannedBlock,
        parts: &Parts<'_>,
        refs: &[String],
        uncovered: &[(Pos, String)],
    ) -> String {
        let texts: Vec<&str> = parts.known.iter().chain(&parts.fresh).copied().collect();
        if texts.is_empty() {
            return self.deterministic(planned, &parts.hidden, refs);
        }
        let only_old = parts.old.len() > 1 && parts.old.len() == texts.len();
        let mut body = if only_old { merged_body(refs, &parts.old) } else { texts.join("\n\n") };
        self.tell_uncovered(&mut body, uncovered);
        // However much there is to say, it is bounded: what a task says would grow with every segment of it.
        if units::len(&body) > planned.limit { self.deterministic(planned, &parts.hidden, refs) } else { body }
    }

    fn tell_uncovered(&self, body: &mut String, uncovered: &[(Pos, String)]) {
        if !uncovered.is_empty() {
            body.push_str("\n\nAlso in this span:");
        }
        for (pos, reference) in uncovered {
            _ = write!(body, "\n- `{reference}` {}", self.describe(*pos));
        }
    }

    /// Whether the block without a fusion is shorter than what it hides, refs not yet given counted as they will look.
    pub(super) fn is_shorter(&self, planned: &PlannedBlock) -> bool {
        let fresh = Fresh::default();
        let parts = self.parts(planned, &fresh);
        let mut named = Names { next: self.ledger.next_ref(), ..Names::default() };
        named.name(self, &parts.hidden, |_| None);
        let body = self.plain_body(planned, &parts, &named.refs, &named.uncovered);
        block_units(&planned.id, &named.refs, &body) < self.hidden_units(planned, &parts, &fresh)
    }
}

fn block_units(id: &str, refs: &[String], body: &str) -> u64 {
    (units::len(&stub::block(id, refs, body)) + units::len(stub::BLOCK_END)) as u64 + ENVELOPE
}

/// The refs of a block's results.
#[derive(Default)]
struct Names {
    next: u64,
    refs: Vec<String>,
    /// Results that get their ref with the block: no text tells of them.
    uncovered: Vec<(Pos, String)>,
}

impl Names {
    fn name(&mut self, ground: &Ground<'_>, hidden: &[Pos], fresh: impl Fn(Pos) -> Option<String>) {
        for &pos in hidden {
            let known = ground.ledger.record_at(pos).and_then(|record| record.reference.clone());
            if let Some(reference) = known.or_else(|| fresh(pos)) {
                self.refs.push(reference);
            } else if ground.symbols.name(batch::tool(ground.branch, pos)) != QUERY_TOOL {
                let reference = format!("t{}", self.next);
                self.next += 1;
                self.refs.push(reference.clone());
                self.uncovered.push((pos, reference));
            }
        }
    }
}

impl Draft<'_> {
    /// Makes the planned blocks. `fused` are the summarizer's texts in the order of the blocks that asked for one; `failed`
    /// are results whose summary did not come: they stay in the context, and so does their chain (issue 3).
    pub(super) fn blocks(&mut self, plan: &FlushPlan, fused: &[Option<String>], failed: &[Pos], next_ref: &mut u64) {
        let mut fused = fused.iter();
        for planned in &plan.blocks {
            let text = if planned.fusion.is_some() { fused.next().cloned().flatten() } else { None };
            // A fusion has no labels to keep: what looks like one is an echo.
            let text = text.map(|text| labels::strip(&text)).filter(|text| !text.is_empty());
            if !planned.results.iter().any(|pos| failed.contains(pos)) {
                self.block(planned, text, next_ref);
            }
        }
    }

    fn block(&mut self, planned: &PlannedBlock, fused: Option<String>, next_ref: &mut u64) {
        let ground = self.ground;
        let in_place = |pos: Pos| ground.branch.projected(pos) && ground.branch.head(pos).is_some();
        if !in_place(planned.start) || !in_place(planned.end) || !planned.results.iter().all(|&pos| in_place(pos)) {
            return;
        }
        // Another flush was quicker.
        let overlaps = |block: &BlockRecord| block.start < planned.end && planned.start < block.end;
        let mut shown = ground.ledger.blocks().iter().filter(|block| block.shown);
        if shown.any(|block| overlaps(block) && !planned.merged.contains(&block.id)) {
            return;
        }
        let fresh: Fresh<'_> = (self.fresh.iter())
            .filter_map(|(&pos, fresh)| Some((pos, self.batches[fresh.batch].text.as_deref()?)))
            .collect();
        let parts = ground.parts(planned, &fresh);
        let mut names = Names { next: *next_ref, ..Names::default() };
        names.name(&ground, &parts.hidden, |pos| self.fresh_ref(pos));
        let Names { next, refs, uncovered } = names;
        let plain = ground.plain_body(planned, &parts, &refs, &uncovered);
        let fused = fused.map(|text| {
            // It knows what was there when it was asked for; what came since follows it.
            let mut body =
                [text.as_str()].into_iter().chain(parts.fresh.iter().copied()).collect::<Vec<_>>().join("\n\n");
            ground.tell_uncovered(&mut body, &uncovered);
            body
        });
        let body = fused.filter(|body| units::len(body) <= planned.limit).filter(|body| {
            // One that is no shorter than the texts it was made of was not worth it.
            units::len(body) < units::len(&plain) || parts.old.len() > 1
        });
        let body = body.unwrap_or(plain);
        let whole = ground.hidden_units(planned, &parts, &fresh);
        let shown = block_units(&planned.id, &refs, &body);
        if shown >= whole {
            return;
        }
        // The newest reply keeps its thinking, and would lose it one request late (law 2).
        let newest = (planned.end + 1..ground.branch.len() as Pos)
            .all(|pos| ground.branch.head(pos).is_none_or(|head| !matches!(head.body, Body::Assistant { .. })));
        let name = |pos: Pos| ground.branch.id(pos).map_or("", |id| ground.symbols.name(id)).to_owned();
        let archived = uncovered.iter().map(|(pos, reference)| ground.result(*pos, Some(reference.clone()))).collect();
        let block = Block {
            id: planned.id.clone(),
            start: name(planned.start),
            end: name(planned.end),
            strip_reply: planned.strip_reply && !newest,
            body,
            refs,
            results: archived,
            protected: parts.protected.iter().copied().map(name).collect(),
            merged: planned.merged.clone(),
        };
        *next_ref = next;
        self.removed += whole;
        self.added += shown;
        self.blocks.push(block);
    }

    /// The ref that this flush has just given to the result at `pos`.
    pub(super) fn fresh_ref(&self, pos: Pos) -> Option<String> {
        self.fresh.get(&pos).map(|fresh| fresh.reference.clone())
    }
}

/// Refs in few words: `t1-t9, t12`.
fn ranges(refs: &[String]) -> String {
    let number = |reference: &String| reference.strip_prefix('t').and_then(|digits| digits.parse::<u64>().ok());
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < refs.len() {
        let mut end = at;
        while end + 1 < refs.len() && number(&refs[end]).is_some_and(|this| number(&refs[end + 1]) == Some(this + 1)) {
            end += 1;
        }
        if end > at + 1 {
            out.push(format!("{}-{}", refs[at], refs[end]));
            at = end + 1;
        } else {
            out.push(refs[at].clone());
            at += 1;
        }
    }
    out.join(", ")
}

impl Ground<'_> {
    /// The body of a span without any summary: counts, first and last call, refs. No clock, no model.
    fn deterministic(&self, planned: &PlannedBlock, results: &[Pos], refs: &[String]) -> String {
        let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
        for &pos in results {
            *tools.entry(self.symbols.name(batch::tool(self.branch, pos))).or_default() += 1;
        }
        let mut tools: Vec<(&str, usize)> = tools.into_iter().collect();
        // The most used first; those used as often stay in the order of their names.
        order::by_number(&mut tools, |&(_, count)| u64::MAX - count as u64);
        let tools: Vec<String> = tools.iter().map(|(name, count)| format!("{name} x{count}")).collect();
        let mut body = format!(
            "Deterministic chain compression (no per-batch summary existed for this span; raw outputs recoverable via \
             context_tree_query).\nCalls: {}\nTools: {}",
            results.len(),
            tools.join(", ")
        );
        let times =
            [planned.start, planned.end].map(|pos| self.branch.head(pos).map_or(f64::NAN, |head| head.timestamp));
        if times.iter().all(|time| time.is_finite()) {
            let seconds = ((times[1] - times[0]) / 1_000.0).round().max(0.0);
            _ = write!(body, "\nSpan: {seconds} s");
        }
        for (label, pos) in [("First", results.first()), ("Last", results.last())] {
            if let Some(&pos) = pos {
                _ = write!(body, "\n{label}: {}", self.describe(pos));
            }
        }
        _ = write!(body, "\nRefs: {}", ranges(refs));
        body
    }

    /// One call in a line: tool, path, how it ended, how long its output is.
    fn describe(&self, pos: Pos) -> String {
        let tool = self.symbols.name(batch::tool(self.branch, pos));
        let path = self.branch.call(pos).map_or("", |call| self.symbols.name(call.path));
        let path: String = units::head(path, 200).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let (status, length) = self
            .branch
            .head(pos)
            .map_or(("OK", 0), |head: &Head| (if is_error(head) { "ERROR" } else { "OK" }, head.text_units));
        let space = if path.is_empty() { "" } else { " " };
        format!("{tool}{space}{path} ({status}, {length} chars)")
    }
}

/// The body of merged blocks where no summarizer made one: what is bounded however many there are. Their refs stay.
fn merged_body(refs: &[String], old: &[&BlockRecord]) -> String {
    let mut body = format!("{} older blocks in one; originals recoverable via context_tree_query.", old.len());
    for block in old {
        // The first line of what each said; the rest is behind the refs.
        let line = block.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        _ = write!(body, "\n- {} ({} results): {}", block.id, block.refs.len(), units::head(line, 160));
    }
    _ = write!(body, "\nRefs: {}", ranges(refs));
    body
}
