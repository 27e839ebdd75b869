//! Running commands: quiet, logged, with a time limit.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How much of a failed command's output is shown; all of it is in the log.
const SHOWN_LINES: usize = 400;

/// A command without what `cargo run` put into our environment: a nested cargo would take it for its own, and the
/// library path of one toolchain must not reach the compiler of another.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text.starts_with("CARGO_BIN_") {
            command.env_remove(name);
        }
    }
    command.env_remove("CARGO").env_remove("LD_LIBRARY_PATH");
    command.stdin(Stdio::null());
    command
}

/// Trimmed standard output, or `None` when the command is missing or fails.
pub fn query(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first executable called `name` on the PATH.
pub fn which(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

pub struct Finished {
    pub ok: bool,
    pub timed_out: bool,
    pub output: String,
}

/// Runs with both outputs in `log` (appended when it exists).
pub fn logged(command: &mut Command, log: &Path, limit: Duration) -> Result<Finished> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let file = File::options().create(true).append(true).open(log);
    let file = file.with_context(|| format!("cannot write the log {}", log.display()))?;
    let start = file.metadata()?.len();
    command.stdout(file.try_clone()?).stderr(file);
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = match command.spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("`{program}` is not installed or not on the PATH"),
        other => other.with_context(|| format!("cannot run `{program}`"))?,
    };
    let began = Instant::now();
    let (ok, timed_out) = loop {
        if let Some(status) = child.try_wait()? {
            break (status.success(), false);
        }
        if began.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break (false, true);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let bytes = fs::read(log)?;
    let from = usize::try_from(start).unwrap_or(0).min(bytes.len());
    Ok(Finished { ok, timed_out, output: String::from_utf8_lossy(&bytes[from..]).into_owned() })
}

/// Runs quietly; on failure the error carries the end of the output and where all of it is.
pub fn must(command: &mut Command, log: &Path, limit: Duration) -> Result<()> {
    let _ = fs::remove_file(log);
    let finished = logged(command, log, limit)?;
    if finished.ok {
        return Ok(());
    }
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).take(4).collect();
    let what = format!("{program} {}", arguments.join(" "));
    let why = if finished.timed_out { format!("took longer than {}", seconds(limit)) } else { "failed".to_owned() };
    bail!("`{what}` {why} (all of it: {}):\n{}", log.display(), tail(&finished.output, 40))
}

pub fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.trim_end().lines().collect();
    let from = all.len().saturating_sub(lines);
    all[from..].join("\n")
}

/// What a person needs of a failed command's output: neither cargo's list of what it compiles nor, where `node --test`
/// repeats what failed at its end, the tests that passed.
pub fn shown(text: &str) -> String {
    let text = text.rfind("✖ failing tests:").map_or(text, |at| &text[at..]);
    let progress = ["Compiling ", "Checking ", "Downloaded ", "Downloading "];
    let kept: Vec<&str> =
        text.lines().filter(|line| !progress.iter().any(|word| line.trim_start().starts_with(word))).collect();
    tail(&kept.join("\n"), SHOWN_LINES)
}

pub fn seconds(duration: Duration) -> String {
    let all = duration.as_secs();
    if all < 60 { format!("{:.1} s", duration.as_secs_f64()) } else { format!("{} min {:02} s", all / 60, all % 60) }
}

/// Announces a step in one line, runs it, says how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("{what} ...");
    let began = Instant::now();
    let value = work()?;
    eprintln!("  done in {}", seconds(began.elapsed()));
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_over_its_time_is_ended_and_said_so() {
        let log = std::env::temp_dir().join(format!("xtask-shell-{}.log", std::process::id()));
        let began = Instant::now();
        let error = must(command("sleep").arg("30"), &log, Duration::from_millis(100)).expect_err("too long");
        assert!(began.elapsed() < Duration::from_secs(10));
        assert!(error.to_string().contains("took longer than 0.1 s"), "{error}");
        let _ = fs::remove_file(log);
    }

    #[test]
    fn a_missing_program_is_named() {
        let log = std::env::temp_dir().join(format!("xtask-shell-missing-{}.log", std::process::id()));
        let error = must(&mut command("no-such-program"), &log, Duration::from_secs(1)).expect_err("missing");
        assert!(error.to_string().contains("`no-such-program` is not installed"), "{error}");
        let _ = fs::remove_file(log);
    }

    #[test]
    fn what_failed_is_shown_without_what_passed_or_was_compiled() {
        assert_eq!(shown("   Compiling serde v1.0.0\nerror: no\n"), "error: no");
        assert_eq!(shown("✔ a\n✖ b\nℹ pass 1\n\n✖ failing tests:\n\n✖ b\n"), "✖ failing tests:\n\n✖ b");
    }

    #[test]
    fn the_tail_is_the_end() {
        assert_eq!(tail("a\nb\nc\n", 2), "b\nc");
        assert_eq!(tail("a", 2), "a");
    }
}
