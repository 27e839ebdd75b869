//! `demo`, `playground`, `bench`, `fmt`: commands that hand the terminal to a script.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::build::{self, Profile};
use crate::setup::{self, Need};
use crate::workspace::Workspace;

pub fn demo(workspace: &Workspace, passed_on: &[String]) -> Result<bool> {
    let script = workspace.root.join("tests/demo/demo.ts");
    prepare(workspace)?;
    run(workspace.command(workspace.node(), &[]).arg(script).args(passed_on))
}

/// Serves the page until it is ended from the terminal.
pub fn playground(workspace: &Workspace, profile: Profile, passed_on: &[String]) -> Result<bool> {
    let script = workspace.root.join("www/serve.ts");
    setup::ensure(workspace, build::NEEDS)?;
    build::build_page(workspace, profile)?;
    run(workspace.command(workspace.node(), &[]).arg(script).args(passed_on))
}

pub fn bench(workspace: &Workspace, names: &[String], passed_on: &[String]) -> Result<bool> {
    let scripts = benchmarks(&workspace.root.join("tests/bench"))?;
    let chosen = |script: &PathBuf| names.is_empty() || names.iter().any(|name| named(script).starts_with(name));
    let picked: Vec<_> = scripts.iter().filter(|script| chosen(script)).collect();
    if picked.is_empty() {
        let known: Vec<_> = scripts.iter().map(|script| named(script)).collect();
        bail!("there is no benchmark `{}`; there are: {}", names.join(" "), known.join(", "));
    }
    prepare(workspace)?;
    build::build_page(workspace, Profile::Release)?;
    let mut ok = true;
    for script in picked {
        ok &= run(workspace.command(workspace.node(), &[]).arg("--expose-gc").arg(script).args(passed_on))?;
    }
    Ok(ok)
}

pub fn format(workspace: &Workspace) -> Result<bool> {
    setup::ensure(workspace, &[Need::Npm, Need::RustTools])?;
    let rust = run(workspace.command("cargo", &[]).args(["fmt", "--all"]))?;
    let typescript = run(workspace.command(workspace.bin("biome"), &[]).args(["check", "--write"]))?;
    Ok(rust && typescript)
}

fn prepare(workspace: &Workspace) -> Result<()> {
    setup::ensure(workspace, build::NEEDS)?;
    build::build(workspace, Profile::Release)
}

/// With the terminal, so that what the script prints is seen as it comes.
fn run(command: &mut Command) -> Result<bool> {
    let program = command.get_program().to_string_lossy().into_owned();
    Ok(command.status().with_context(|| format!("cannot run `{program}`"))?.success())
}

fn benchmarks(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().with_context(|| format!("there are no benchmarks in {}", folder.display()))?;
    let mut scripts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    scripts.retain(|path| path.to_string_lossy().ends_with(".bench.ts"));
    scripts.sort();
    Ok(scripts)
}

fn named(script: &Path) -> String {
    script.file_name().unwrap_or_default().to_string_lossy().trim_end_matches(".bench.ts").to_owned()
}
