//! The laws on session files of other people, with flushes of ours written into them.

#![expect(clippy::disallowed_methods, reason = "a test reads files; the core does not")]

use crate::checks::{self, Check};
use crate::recovery;
use crate::support::walk::{Walk, points};
use crate::support::{World, answer, config, files};
use decant::transcript::{SessionEntry, Transcript};
use std::collections::BTreeSet;

const LAWS: [(&str, Check); 9] = [
    ("pure", checks::pure),
    ("prefix-stable", checks::prefix_stable),
    ("paired", checks::paired),
    ("recoverable", recovery::recoverable),
    ("occurrence", checks::occurrence),
    ("branch truth", checks::branch_truth),
    ("never longer", checks::never_longer),
    ("thinking whole or not", checks::thinking_whole),
    ("JavaScript's text", checks::javascripts_text),
];

/// Bytes of session that one walk may render.
const BUDGET: usize = 5_000_000;

#[test]
fn the_laws_hold_on_every_file_at_hand() -> Result<(), String> {
    let mut checked = 0;
    for path in files::all() {
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        let transcript = Transcript::read(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        for branch in branches(&transcript) {
            let entries = with_flushes(&branch);
            let points = points(entries.len(), (BUDGET / bytes.len()).max(4));
            for (name, law) in LAWS {
                let mut walk = Walk::new(&entries, &config());
                law(&mut walk, &points).map_err(|error| format!("{} is not {name}: {error}", path.display()))?;
            }
            checked += 1;
        }
    }
    eprintln!("{checked} branches");
    Ok(())
}

/// Root to leaf, for every leaf.
fn branches(transcript: &Transcript) -> Vec<Vec<SessionEntry>> {
    let parents: BTreeSet<String> = transcript
        .entries
        .iter()
        .filter_map(|entry| entry.value.get("parentId")?.as_text())
        .map(ToString::to_string)
        .collect();
    let leaves = transcript.entries.iter().map(|entry| entry.id.to_string()).filter(|id| !parents.contains(id));
    leaves.map(|leaf| transcript.branch(&leaf).into_iter().cloned().collect()).collect()
}

/// The branch with a flush every so many entries, in the middle of turns too.
fn with_flushes(branch: &[SessionEntry]) -> Vec<SessionEntry> {
    let mut world = World::new(config());
    for (nth, entry) in branch.iter().enumerate() {
        world.push(entry.clone());
        if nth % 9 == 8
            && let Some((plan, due)) = world.plan("now")
        {
            // Now and then a summary fails.
            let answers: Vec<_> =
                (0..due).map(|at| (at % 5 != 4).then(|| answer("- [[1:read]] seen\n- [[2:bash]] done"))).collect();
            world.commit(plan, &answers);
        }
    }
    world.entries
}
