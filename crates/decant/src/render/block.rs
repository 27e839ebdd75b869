//! Blocks in a request: where they stand, what they hide (condense.md section 9).

use super::forms::Forms;
use super::plan::{Act, Edit};
use crate::ledger::Ledger;
use crate::ledger::record::BlockRecord;
use crate::order;
use crate::transcript::branch::{Branch, Pos};
use crate::transcript::entry::EntryKind;
use crate::transcript::head::{Body, Head};
use crate::transcript::window::Window;
use rustc_hash::{FxHashMap, FxHashSet};

/// A block whose bounds are both in the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    /// Its place in [`Ledger::blocks`].
    pub block: usize,
    /// The prompt it stands behind, and the first message behind it.
    pub start: u32,
    pub end: u32,
}

/// The blocks that are shown, in order, and how many are not though something of what they would hide is in the request:
/// one whose bounds were cut away hides nothing (fail closed), nor does one that overlaps another, has somebody else's
/// calls in it, or gains nothing. Of what pi's compaction took altogether nothing is sent, and nothing is amiss.
pub(super) fn resolve(window: &Window, branch: &Branch, ledger: &Ledger, forms: &Forms) -> (Vec<Resolved>, u32) {
    let shown: Vec<usize> = (0..ledger.blocks().len()).filter(|&block| ledger.blocks()[block].shown).collect();
    if shown.is_empty() {
        return (Vec::new(), 0);
    }
    let mut bounds: FxHashMap<Pos, Option<u32>> = FxHashMap::default();
    for block in shown.iter().map(|&block| &ledger.blocks()[block]) {
        bounds.insert(block.start, None);
        bounds.insert(block.end, None);
    }
    // How many calls and results of others stand before each index, where they stand at all.
    let mut foreign: Vec<u32> = Vec::new();
    let mut here: Vec<Pos> = Vec::new();
    for (index, place) in window.places().iter().enumerate() {
        match place {
            Some(pos) => {
                here.push(*pos);
                if let Some(bound) = bounds.get_mut(pos) {
                    *bound = Some(index as u32);
                }
            }
            None if !matches!(window.head(index, branch).body, Body::Plain) => foreign.push(index as u32),
            None => {}
        }
    }
    let mut resolved: Vec<Resolved> = Vec::new();
    for &block in &shown {
        let record = &ledger.blocks()[block];
        let (Some(Some(start)), Some(Some(end))) = (bounds.get(&record.start), bounds.get(&record.end)) else {
            continue;
        };
        let inside = foreign.partition_point(|index| index <= start)..foreign.partition_point(|index| index < end);
        let one = Resolved { block, start: *start, end: *end };
        if start < end && inside.is_empty() && gains(one, window, branch, ledger, forms) {
            resolved.push(one);
        }
    }
    // By start; of those that begin together the longest first.
    order::by_number(&mut resolved, |one| (u64::from(one.start) << 32) | u64::from(u32::MAX - one.end));
    let mut taken = 0;
    resolved.retain(|one| {
        let free = one.start >= taken;
        if free {
            taken = one.end;
        }
        free
    });
    let is_sent = |record: &BlockRecord| {
        here.get(here.partition_point(|&pos| pos <= record.start)).is_some_and(|&pos| pos < record.end)
    };
    let hiding: FxHashSet<usize> = resolved.iter().map(|one| one.block).collect();
    let lost = shown.iter().filter(|block| !hiding.contains(block) && is_sent(&ledger.blocks()[**block])).count();
    (resolved, lost as u32)
}

/// Whether a block is shorter than what it hides (law 7). When it was made it was, but then another's context edit cut its
/// results short; and in a request that was rendered before there is nothing left to hide (law 1).
fn gains(one: Resolved, window: &Window, branch: &Branch, ledger: &Ledger, forms: &Forms) -> bool {
    let form = forms.block(one.block);
    let protected = &ledger.blocks()[one.block].protected;
    let quoted = |text: u32| u64::from(forms.units(text) + forms.units(forms.protected_end()));
    let mut shown = u64::from(forms.units(form.head) + forms.units(forms.block_end()));
    let most = shown + form.protected.iter().map(|&text| quoted(text)).sum::<u64>();
    let mut hidden = 0;
    for index in one.start as usize + 1..one.end as usize {
        let place = window.places()[index];
        let head = window.head(index, branch);
        if let Some(nth) = protected.iter().position(|&pos| Some(pos) == place) {
            shown += quoted(form.protected[nth]);
        } else if hides(head, place, branch) && !window.is_orphan(index) {
            hidden += head.units();
            // Nearly every block is through after a message or two, and each request asks for all of them.
            if hidden > most {
                return true;
            }
        }
    }
    hidden > shown
}

/// Whether a message inside a block is hidden by it: calls, results, and the original's summaries of them. Prompts,
/// replies and what others put there stay.
pub(super) fn hides(head: &Head, place: Option<Pos>, branch: &Branch) -> bool {
    match &head.body {
        Body::Assistant { calls, failed } => !calls.is_empty() || *failed,
        Body::Result { .. } => true,
        Body::Plain => {
            place.is_some_and(|pos| matches!(branch.entries()[pos as usize].kind, EntryKind::OursMessage { .. }))
        }
    }
}

/// The message of a block: its body, then each protected output word for word. The units of what it adds.
pub(super) fn show(
    one: Resolved,
    window: &Window,
    branch: &Branch,
    ledger: &Ledger,
    forms: &Forms,
    edits: &mut Vec<Edit>,
) -> u64 {
    let index = one.start + 1;
    let form = forms.block(one.block);
    let mut units = u64::from(forms.units(form.head) + forms.units(forms.block_end()));
    edits.push(Edit { index, act: Act::Insert { text: form.head } });
    let record = &ledger.blocks()[one.block];
    if !record.protected.is_empty() {
        for message in one.start + 1..one.end {
            let Some(place) = window.places()[message as usize] else { continue };
            let Some(head) = record.protected.binary_search(&place).ok().map(|nth| form.protected[nth]) else {
                continue;
            };
            edits.push(Edit { index, act: Act::Extend { text: head } });
            edits.push(Edit { index, act: Act::Quote { message } });
            edits.push(Edit { index, act: Act::Extend { text: forms.protected_end() } });
            units += u64::from(forms.units(head) + forms.units(forms.protected_end()));
            units += window.head(message as usize, branch).units();
        }
    }
    edits.push(Edit { index, act: Act::Extend { text: forms.block_end() } });
    units
}
