//! `cargo xtask`: set-up, build, demo, playground, test and bench. Each installs what it needs and is missing, and nothing else.

mod build;
mod run;
mod setup;
mod shell;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use crate::workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask <command>

  setup              install what the other commands need and is not there yet
  build [--dev]      build the wasm, the extension bundle and the page; --dev is quick and unoptimized
  demo               a real pi session with a scripted model, pruned and recovered (no network, no key)
  playground         build the page that shows what pi-decant does to a transcript, and serve it on this machine;
                     --dev as above, a port after `--`
  test               run every check and test; ends with a table and `N passed, N failed`
       --only PART   run one part (repeat for more); --list names the parts; --dev tests the quick build
  bench [NAME]       time the boundary beside structuredClone; NAME picks one benchmark
  fmt                format Rust and TypeScript

  --no-system        leave system packages alone: say what is missing and how to get it

Options after `--` go to the demo, the page's server or the benchmark itself.";

const COMMANDS: &str = "setup, build, demo, playground, test, bench, fmt";

/// A mistake in the command line, told apart from work that failed by its exit code.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(if error.is::<UsageError>() { 2 } else { 1 })
        }
    }
}

/// `Ok(false)`: it ran and something failed, which has already been said.
fn dispatch(arguments: &[String]) -> Result<bool> {
    let Some((command, rest)) = arguments.split_first() else {
        println!("{USAGE}");
        return Ok(true);
    };
    let (options, passed_on) = match rest.iter().position(|argument| argument == "--") {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    let mut options = Options::new(command, options);
    let workspace = Workspace::locate(!options.flag("--no-system"));
    match command.as_str() {
        "setup" => {
            options.finish()?;
            setup::everything(&workspace)
        }
        "build" => {
            let profile = build::Profile::from_dev(options.flag("--dev"));
            options.finish()?;
            setup::ensure(&workspace, build::NEEDS)?;
            build::build(&workspace, profile)?;
            build::build_page(&workspace, profile)?;
            Ok(true)
        }
        "demo" => {
            options.finish()?;
            run::demo(&workspace, passed_on)
        }
        "playground" => {
            let profile = build::Profile::from_dev(options.flag("--dev"));
            options.finish()?;
            run::playground(&workspace, profile, passed_on)
        }
        "bench" => {
            let names = options.words();
            options.finish()?;
            run::bench(&workspace, &names, passed_on)
        }
        "test" => {
            let request = test::Request {
                list: options.flag("--list"),
                profile: build::Profile::from_dev(options.flag("--dev")),
                only: options.values("--only")?,
            };
            options.finish()?;
            test::test(&workspace, &request)
        }
        "fmt" => {
            options.finish()?;
            run::format(&workspace)
        }
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(true)
        }
        unknown => Err(UsageError(format!("there is no command `{unknown}`. The commands are: {COMMANDS}.")).into()),
    }
}

/// The options of one command; what nobody asked for is an error naming it.
struct Options<'a> {
    command: &'a str,
    left: Vec<&'a str>,
}

impl<'a> Options<'a> {
    fn new(command: &'a str, options: &'a [String]) -> Self {
        Self { command, left: options.iter().map(String::as_str).collect() }
    }

    fn flag(&mut self, name: &str) -> bool {
        let before = self.left.len();
        self.left.retain(|option| *option != name);
        self.left.len() < before
    }

    /// `--name VALUE`, `--name=VALUE` and `--name A,B`, as often as given.
    fn values(&mut self, name: &str) -> Result<Vec<String>> {
        let mut values = Vec::new();
        let mut left = Vec::new();
        let mut options = std::mem::take(&mut self.left).into_iter();
        while let Some(option) = options.next() {
            let value = if option == name {
                Some(options.next().ok_or_else(|| UsageError(format!("{name} needs a value")))?)
            } else {
                option.strip_prefix(name).and_then(|tail| tail.strip_prefix('='))
            };
            match value {
                Some(value) => values.extend(value.split(',').map(str::to_owned)),
                None => left.push(option),
            }
        }
        self.left = left;
        Ok(values)
    }

    fn words(&mut self) -> Vec<String> {
        let (words, left) = self.left.iter().partition(|option| !option.starts_with('-'));
        self.left = left;
        let words: Vec<&str> = words;
        words.into_iter().map(str::to_owned).collect()
    }

    fn finish(&self) -> Result<()> {
        match self.left.first() {
            None => Ok(()),
            Some(option) => Err(UsageError(format!(
                "`{}` does not know `{option}`. `cargo xtask help` lists what it knows.",
                self.command
            ))
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn values_are_taken_in_every_spelling_and_the_rest_is_left() {
        let given = options(&["--only", "e2e", "--dev", "--only=laws,unit", "stray"]);
        let mut parsed = Options::new("test", &given);
        assert_eq!(parsed.values("--only").expect("values"), ["e2e", "laws", "unit"]);
        assert!(parsed.flag("--dev"));
        assert!(!parsed.flag("--dev"));
        let error = parsed.finish().expect_err("a stray word");
        assert!(error.to_string().contains("`stray`"), "{error}");
        assert!(error.is::<UsageError>());
    }

    #[test]
    fn a_value_that_is_missing_is_a_usage_error() {
        let given = options(&["--only"]);
        assert!(Options::new("test", &given).values("--only").expect_err("no value").is::<UsageError>());
    }

    #[test]
    fn an_unknown_command_is_named_with_the_known_ones() {
        let error = dispatch(&options(&["playgrond"])).expect_err("unknown");
        assert!(error.is::<UsageError>());
        assert!(error.to_string().contains("`playgrond`") && error.to_string().contains(COMMANDS), "{error}");
    }
}
