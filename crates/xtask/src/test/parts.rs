//! The parts, in the order they run: the quick checks first, the real browser and the real pi last.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::setup::{Need, browser, cargo_tool, wasm_target};
use crate::shell;
use crate::workspace::Workspace;

/// How the tests of a part are counted; a check counts as one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    Check,
    Cargo,
    Node,
}

/// All are run, whether or not one fails.
pub type Commands = Box<dyn Fn(&Workspace) -> Result<Vec<Command>>>;

pub struct Part {
    pub name: String,
    pub what: String,
    pub needs: Vec<Need>,
    /// Whether it needs `cargo xtask build` done.
    pub built: bool,
    pub counting: Counting,
    pub commands: Commands,
}

/// Longest time for one `node --test` test, in ms: a real pi starts in two seconds, npm installs in ten.
const NODE_TEST_TIMEOUT: &str = "--test-timeout=180000";

/// Folders of TypeScript that have their own `tsconfig.json`.
const TYPESCRIPT: &[&str] = &["pkg-ts", "tests", "www"];

pub fn all(workspace: &Workspace) -> Vec<Part> {
    let mut parts = vec![
        check("rustfmt", "format of the Rust code", &[Need::RustTools], |workspace| {
            Ok(vec![cargo(workspace, &["fmt", "--all", "--check", "--", "--color=never"])])
        }),
        check("biome", "format and lint of the TypeScript code", &[Need::Npm], |workspace| {
            let mut command = workspace.command(workspace.bin("biome"), &[]);
            command.args(["check", "--error-on-warnings", "--max-diagnostics=50"]);
            Ok(vec![command])
        }),
        check("clippy", "lint of the Rust code", &[Need::RustTools], |workspace| {
            let mut command = cargo(workspace, &["clippy", "--workspace", "--exclude=decant-wasm", "--all-targets"]);
            command.args(["--", "-D", "warnings"]);
            Ok(vec![command])
        }),
        check("clippy-wasm", "lint of the boundary, for wasm", &[Need::WasmTarget, Need::WasmClippy], clippy_wasm),
        Part {
            name: "rust".to_owned(),
            what: "unit and property tests of the Rust code".to_owned(),
            needs: vec![],
            built: false,
            counting: Counting::Cargo,
            commands: Box::new(|workspace| Ok(vec![native_tests(workspace)])),
        },
        Part {
            name: "wasm".to_owned(),
            what: "the boundary on JavaScript objects, in headless Chrome".to_owned(),
            needs: vec![Need::WasmTarget, Need::WasmBindgen, Need::WasmPack, Need::Browser],
            built: false,
            counting: Counting::Cargo,
            commands: Box::new(wasm_tests),
        },
        Part { built: true, ..check("types", "TypeScript types (tsc)", &[Need::Npm], type_checks) },
    ];
    parts.push(node("unit", "unit tests of the extension", workspace.root.join("pkg-ts"), vec![Need::Npm]));
    parts.extend(rooms(&workspace.root.join("tests")));
    parts
}

fn check(
    name: &str,
    what: &str,
    needs: &[Need],
    commands: impl Fn(&Workspace) -> Result<Vec<Command>> + 'static,
) -> Part {
    Part {
        name: name.to_owned(),
        what: what.to_owned(),
        needs: needs.to_vec(),
        built: false,
        counting: Counting::Check,
        commands: Box::new(commands),
    }
}

/// Every folder of `tests/` that holds a `*.test.ts` is a part of its own name.
fn rooms(tests: &Path) -> Vec<Part> {
    let mut folders: Vec<PathBuf> = tests.read_dir().map_or_else(
        |_| Vec::new(),
        |entries| entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect(),
    );
    folders.sort();
    folders
        .into_iter()
        .filter(|folder| !test_files(folder).is_empty())
        .map(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let what = format!("tests/{name}, against the built package");
            let tool = if name == "browser" { Need::Browser } else { Need::Tmux };
            node(&name, &what, folder, vec![Need::Npm, tool])
        })
        .collect()
}

fn node(name: &str, what: &str, folder: PathBuf, needs: Vec<Need>) -> Part {
    let commands = move |workspace: &Workspace| {
        let files = test_files(&folder);
        if files.is_empty() {
            bail!("there is no *.test.ts in {}", folder.display());
        }
        let mut command = workspace.command(workspace.node(), &[]);
        command.args(["--test", "--test-reporter=spec", NODE_TEST_TIMEOUT]).args(files);
        Ok(vec![command])
    };
    Part {
        name: name.to_owned(),
        what: what.to_owned(),
        needs,
        built: true,
        counting: Counting::Node,
        commands: Box::new(commands),
    }
}

fn test_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let generated = ["node_modules", "dist", "wasm", "output"].contains(&name.as_str());
            if entry.path().is_dir() && !generated {
                open.push(entry.path());
            } else if name.ends_with(".test.ts") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = workspace.command("cargo", &[]);
    // A snapshot that differs is a failure, never a new file.
    command.args(arguments).env("INSTA_UPDATE", "no");
    command
}

fn native_tests(workspace: &Workspace) -> Command {
    if shell::query(shell::command("cargo").args(["nextest", "--version"])).is_some() {
        cargo(workspace, &["nextest", "run", "--workspace", "--no-fail-fast", "--no-tests=pass"])
    } else {
        cargo(workspace, &["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"])
    }
}

fn clippy_wasm(workspace: &Workspace) -> Result<Vec<Command>> {
    let mut command =
        cargo(workspace, &["clippy", "--package=decant-wasm", "--all-targets", "--all-features", "--target"]);
    command.args([wasm_target::TARGET, "--", "-D", "warnings"]);
    wasm_toolchain(workspace)?.apply(&mut command);
    Ok(vec![command])
}

fn wasm_toolchain(workspace: &Workspace) -> Result<wasm_target::Toolchain> {
    wasm_target::find(workspace).context("the wasm target is missing; `cargo xtask setup` adds it")
}

fn wasm_tests(workspace: &Workspace) -> Result<Vec<Command>> {
    let bindgen = cargo_tool::wasm_bindgen(workspace)?.find(workspace).context("wasm-bindgen is missing")?;
    let pack = cargo_tool::wasm_pack().find(workspace).context("wasm-pack is missing")?;
    let driver = browser::driver().context("chromedriver is missing")?;
    // wasm-pack takes wasm-bindgen's test runner from the PATH.
    let tools: Vec<PathBuf> = bindgen.parent().map(Path::to_path_buf).into_iter().collect();
    let mut command = workspace.command(pack, &tools);
    command.current_dir(workspace.root.join("crates/decant-wasm"));
    command.args(["test", "--headless", "--chrome", "--chromedriver"]).arg(driver).args(["--mode", "no-install"]);
    // Seconds; a busy machine needs more than the 20 it would give Chrome to start and finish.
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    wasm_toolchain(workspace)?.apply(&mut command);
    Ok(vec![command])
}

fn type_checks(workspace: &Workspace) -> Result<Vec<Command>> {
    let projects: Vec<_> =
        TYPESCRIPT.iter().filter(|folder| workspace.root.join(folder).join("tsconfig.json").is_file()).collect();
    if projects.is_empty() {
        bail!("there is no tsconfig.json in any of {}", TYPESCRIPT.join(", "));
    }
    let compile = |folder: &&&str| {
        let mut command = workspace.command(workspace.bin("tsc"), &[]);
        command.args(["--noEmit", "--project", folder]);
        command
    };
    Ok(projects.iter().map(compile).collect())
}
