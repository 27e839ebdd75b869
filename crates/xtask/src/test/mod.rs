//! `cargo xtask test`: every check and test, one table, one closing line.

mod count;
mod parts;
mod table;

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::UsageError;
use crate::build::{self, Profile};
use crate::setup;
use crate::shell;
use crate::workspace::Workspace;
use count::Counts;
use parts::{Counting, Part};
use table::Row;

/// A part that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(25 * 60);

pub struct Request {
    pub list: bool,
    pub profile: Profile,
    pub only: Vec<String>,
}

pub fn test(workspace: &Workspace, request: &Request) -> Result<bool> {
    let all = parts::all(workspace);
    if request.list {
        for part in &all {
            println!("{:13} {}", part.name, part.what);
        }
        return Ok(true);
    }
    for name in &request.only {
        if !all.iter().any(|part| part.name == *name) {
            let known: Vec<_> = all.iter().map(|part| part.name.as_str()).collect();
            return Err(UsageError(format!("there is no part `{name}`. The parts are: {}.", known.join(", "))).into());
        }
    }
    let chosen = all.iter().filter(|part| request.only.is_empty() || request.only.contains(&part.name));
    let mut built: Option<Result<(), String>> = None;
    let rows: Vec<Row> = chosen
        .map(|part| {
            let began = Instant::now();
            eprintln!("{}: {}", part.name, part.what);
            let (counts, note) = run(workspace, part, request.profile, &mut built);
            // Worded so that it is no closing line: only the last line of all is one.
            eprintln!("  {} passed and {} failed in {}", counts.passed, counts.failed, shell::seconds(began.elapsed()));
            Row { name: part.name.clone(), counts, time: began.elapsed(), note }
        })
        .collect();
    print!("\n{}", table::render(&rows));
    Ok(rows.iter().all(|row| row.counts.failed == 0))
}

fn run(
    workspace: &Workspace,
    part: &Part,
    profile: Profile,
    built: &mut Option<Result<(), String>>,
) -> (Counts, String) {
    if let Err(error) = setup::ensure(workspace, &part.needs) {
        eprintln!("{error:#}");
        return (Counts::FAILURE, "not run: something it needs is missing".to_owned());
    }
    if part.built {
        let outcome = built.get_or_insert_with(|| prepare(workspace, profile).map_err(|error| format!("{error:#}")));
        if let Err(error) = outcome {
            eprintln!("{error}");
            return (Counts::FAILURE, "not run: the build failed".to_owned());
        }
    }
    let commands = match (part.commands)(workspace) {
        Ok(commands) => commands,
        Err(error) => {
            eprintln!("{error:#}");
            return (Counts::FAILURE, "not run".to_owned());
        }
    };
    let log = workspace.log(&format!("test-{}", part.name));
    let _ = std::fs::remove_file(&log);
    let mut counts = Counts::default();
    let mut notes = Vec::new();
    for mut command in commands {
        let finished = match shell::logged(&mut command, &log, LIMIT) {
            Ok(finished) => finished,
            Err(error) => {
                eprintln!("{error:#}");
                counts += Counts::FAILURE;
                continue;
            }
        };
        let (counted, note) = judge(part.counting, &finished);
        if counted.failed > 0 {
            println!("{}\n(all of it: {})", shell::shown(&finished.output), log.display());
        }
        counts += counted;
        notes.extend(note);
    }
    (counts, notes.join("; "))
}

fn prepare(workspace: &Workspace, profile: Profile) -> Result<()> {
    setup::ensure(workspace, build::NEEDS)?;
    build::build(workspace, profile)?;
    build::build_page(workspace, profile)
}

/// A runner that fails without a failed test (it did not compile, it crashed) has failed once; one that ran no test has
/// tested nothing, which is no success.
fn judge(counting: Counting, finished: &shell::Finished) -> (Counts, Option<String>) {
    let counted = match counting {
        Counting::Check => {
            return (if finished.ok { Counts::SUCCESS } else { Counts::FAILURE }, timed_out(finished));
        }
        Counting::Cargo => count::cargo(&finished.output),
        Counting::Node => count::node(&finished.output),
    };
    let mut counts = counted.unwrap_or_default();
    let mut note = timed_out(finished);
    if !finished.ok && counts.failed == 0 {
        counts.failed = 1;
        note = note.or_else(|| Some("the runner itself failed".to_owned()));
    } else if finished.ok && counts.passed + counts.skipped == 0 {
        counts.failed = 1;
        note = Some("ran no test".to_owned());
    }
    (counts, note)
}

fn timed_out(finished: &shell::Finished) -> Option<String> {
    finished.timed_out.then(|| format!("ended after {}", shell::seconds(LIMIT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(ok: bool, output: &str) -> shell::Finished {
        shell::Finished { ok, timed_out: false, output: output.to_owned() }
    }

    #[test]
    fn a_crash_and_an_empty_run_are_failures() {
        let green = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        assert_eq!(judge(Counting::Cargo, &finished(true, green)).0, Counts { passed: 3, failed: 0, skipped: 1 });
        assert_eq!(judge(Counting::Cargo, &finished(false, green)).0.failed, 1);
        assert_eq!(judge(Counting::Cargo, &finished(true, "")).1.as_deref(), Some("ran no test"));
        assert_eq!(judge(Counting::Cargo, &finished(false, "error: could not compile")).0, Counts::FAILURE);
    }
}
