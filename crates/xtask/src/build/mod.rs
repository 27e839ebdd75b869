//! Rust to wasm to glue to bundle and page: `pkg-ts/wasm` and `pkg-ts/dist`, `www/wasm` and `www/dist`.
//!
//! cargo knows by itself whether the wasm is fresh; everything after it depends on the bytes of that wasm alone, so its
//! hash tells whether the glue has to be made again.

mod bundle;
mod files;
mod optimize;
mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::setup::{Need, cargo_tool, wasm_target};
use crate::shell;
use crate::workspace::Workspace;

pub const NEEDS: &[Need] = &[Need::Npm, Need::WasmTarget, Need::WasmBindgen];

pub const LIMIT: Duration = Duration::from_secs(20 * 60);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// What is shipped.
    Release,
    /// Seconds instead of minutes: no LTO, no wasm-opt.
    Dev,
}

impl Profile {
    pub fn from_dev(dev: bool) -> Self {
        if dev { Self::Dev } else { Self::Release }
    }

    fn cargo_name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "wasm-dev",
        }
    }

    fn cargo_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Release => &["--release"],
            Self::Dev => &[
                "--profile=wasm-dev",
                "--config=profile.wasm-dev.inherits='release'",
                "--config=profile.wasm-dev.lto=false",
                "--config=profile.wasm-dev.opt-level=1",
                "--config=profile.wasm-dev.codegen-units=16",
                "--config=profile.wasm-dev.incremental=true",
            ],
        }
    }
}

/// One of the two modules that the boundary is built as.
#[derive(Clone, Copy)]
struct Flavour {
    /// Where its files go.
    folder: &'static str,
    /// What cargo is told beside the profile.
    arguments: &'static [&'static str],
}

const EXTENSION: Flavour = Flavour { folder: "pkg-ts/wasm", arguments: &[] };

/// With importers and replay, which pi never calls. Small before fast: it is fetched with every first visit, and 50 kB
/// less of it (gzipped) are what keeps the page in its budget.
const PAGE: Flavour =
    Flavour { folder: "www/wasm", arguments: &["--features=replay", "--config=profile.release.opt-level='s'"] };

/// The extension: what the demo, the benchmark and pi need.
pub fn build(workspace: &Workspace, profile: Profile) -> Result<()> {
    let module = compile(workspace, profile, EXTENSION)?;
    glue(workspace, profile, &module, EXTENSION)?;
    bundle::bundle(workspace)?;
    bundle::copy_license(workspace)?;
    bundle::print_sizes(workspace, profile)
}

/// The playground.
pub fn build_page(workspace: &Workspace, profile: Profile) -> Result<()> {
    let module = compile(workspace, profile, PAGE)?;
    glue(workspace, profile, &module, PAGE)?;
    page::build(workspace)?;
    page::print_size(workspace, profile)
}

fn compile(workspace: &Workspace, profile: Profile, flavour: Flavour) -> Result<PathBuf> {
    let toolchain = wasm_target::find(workspace).context("the wasm target is missing; `cargo xtask setup` adds it")?;
    let mut command = shell::command("cargo");
    command.current_dir(&workspace.root);
    command.args(["build", "--package", "decant-wasm", "--target", wasm_target::TARGET]);
    command.arg("--target-dir").arg(&workspace.target).args(profile.cargo_arguments()).args(flavour.arguments);
    toolchain.apply(&mut command);
    eprintln!("building decant-wasm ({}) for {} ...", profile.cargo_name(), flavour.folder);
    shell::must(&mut command, &workspace.log("build-wasm"), LIMIT)?;
    Ok(workspace.target.join(wasm_target::TARGET).join(profile.cargo_name()).join("decant_wasm.wasm"))
}

/// Makes the flavour's folder from the module. The files are finished and checked in a folder of their own first: whoever
/// runs the extension meanwhile never meets half of them.
fn glue(workspace: &Workspace, profile: Profile, module: &Path, flavour: Flavour) -> Result<()> {
    let tool = cargo_tool::wasm_bindgen(workspace)?;
    let stamp = format!("{} {} {}\n", files::hash(module)?, profile.cargo_name(), tool.version());
    let shipped = workspace.root.join(flavour.folder);
    let stamp_file = shipped.join(".stamp");
    let outputs = ["decant.js", "decant.d.ts", "decant_bg.wasm", "decant_bg.wasm.d.ts"];
    if fs::read_to_string(&stamp_file).is_ok_and(|written| written == stamp)
        && outputs.iter().all(|file| shipped.join(file).is_file())
    {
        return Ok(());
    }
    let program = tool.find(workspace).context("wasm-bindgen is missing; `cargo xtask setup` installs it")?;
    let fresh = workspace.target.join("xtask/wasm");
    let _ = fs::remove_dir_all(&fresh);
    let mut command = workspace.command(program, &[]);
    command.args(["--target", "web", "--omit-default-module-path", "--out-name", "decant", "--out-dir"]);
    command.arg(&fresh).arg(module);
    shell::must(&mut command, &workspace.log("wasm-bindgen"), LIMIT)?;
    let wasm = fresh.join("decant_bg.wasm");
    if profile == Profile::Release {
        optimize::optimize(workspace, &wasm)?;
    }
    bundle::check_compiles(workspace, &wasm)?;
    let _ = fs::remove_file(&stamp_file);
    files::mirror(&fresh, &shipped)?;
    fs::write(&stamp_file, stamp).with_context(|| format!("cannot write {}", stamp_file.display()))
}
