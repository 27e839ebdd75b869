//! What the other commands need, installed when it is not there. Each step is silent when there is nothing to do,
//! announced in one line when there is, and says what to do when it fails.

pub mod apt;
pub mod browser;
pub mod cargo_tool;
mod debian_std;
mod npm;
mod rust_tools;
pub mod wasm_target;

use std::fs::{self, File};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// clippy and rustfmt of the toolchain in use.
    RustTools,
    WasmTarget,
    /// clippy for the toolchain that has the wasm target.
    WasmClippy,
    WasmBindgen,
    WasmPack,
    Browser,
    Npm,
    Tmux,
}

const ALL: &[Need] = &[
    Need::Npm,
    Need::RustTools,
    Need::Tmux,
    Need::Browser,
    Need::WasmTarget,
    Need::WasmClippy,
    Need::WasmBindgen,
    Need::WasmPack,
];

impl Need {
    fn install(self, workspace: &Workspace) -> Result<()> {
        match self {
            Self::RustTools => rust_tools::ensure(workspace),
            Self::WasmTarget => wasm_target::ensure(workspace).map(drop),
            Self::WasmClippy => wasm_target::ensure_clippy(workspace),
            Self::WasmBindgen => cargo_tool::wasm_bindgen(workspace)?.ensure(workspace).map(drop),
            Self::WasmPack => cargo_tool::wasm_pack().ensure(workspace).map(drop),
            Self::Browser => browser::ensure(workspace).map(drop),
            Self::Npm => npm::ensure(workspace),
            Self::Tmux => apt::ensure_program(workspace, "tmux", &["tmux"], "drives pi's terminal in tests"),
        }
    }
}

/// Installs these, stopping at the first that cannot be had.
pub fn ensure(workspace: &Workspace, needs: &[Need]) -> Result<()> {
    let _lock = lock(workspace)?;
    for need in ALL.iter().filter(|need| needs.contains(need)) {
        need.install(workspace)?;
    }
    Ok(())
}

/// `cargo xtask setup`: all of it, one failure not stopping the rest.
pub fn everything(workspace: &Workspace) -> Result<bool> {
    let _lock = lock(workspace)?;
    let mut failures = 0;
    for need in ALL {
        if let Err(error) = need.install(workspace) {
            eprintln!("setup: {error:#}");
            failures += 1;
        }
    }
    if failures == 0 {
        println!("Everything is there. Next: `cargo xtask demo` shows it at work, `cargo xtask test` tests it.");
    } else {
        println!("{failures} of {} steps could not be done; what to do is said above.", ALL.len());
    }
    Ok(failures == 0)
}

/// Two set-ups at once would write the same files; the second waits.
fn lock(workspace: &Workspace) -> Result<File> {
    fs::create_dir_all(&workspace.cache).with_context(|| {
        format!("cannot create the cache folder {}; XDG_CACHE_HOME chooses another", workspace.cache.display())
    })?;
    let path = workspace.cache.join("setup.lock");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    if file.try_lock().is_err() {
        eprintln!("waiting for another `cargo xtask` to finish its set-up ...");
        if let Err(error) = file.lock() {
            bail!("cannot lock {}: {error}", path.display());
        }
    }
    Ok(file)
}
