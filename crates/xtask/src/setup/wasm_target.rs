//! A compiler with a standard library for wasm32-unknown-unknown: rustup's, or Debian's made by `debian_std`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{apt, debian_std};
use crate::shell;
use crate::workspace::Workspace;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// The name under which rustup knows Debian's compiler. Ours, as `debian` may be someone's own.
const LINKED: &str = "pi-decant-wasm";

/// rustup retries a server that does not answer for minutes.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The one that everything else is built with.
    Active,
    /// Debian's, linked into rustup.
    Linked,
}

impl Toolchain {
    pub fn apply(self, command: &mut Command) {
        if self == Self::Linked {
            command.env("RUSTUP_TOOLCHAIN", LINKED);
        }
    }
}

pub fn find(workspace: &Workspace) -> Option<Toolchain> {
    let sysroot = shell::query(shell::command("rustc").args(["--print", "sysroot"]))?;
    if has_std(Path::new(&sysroot)) {
        return Some(Toolchain::Active);
    }
    (has_std(Path::new("/usr")) && compiles(workspace, false)).then_some(Toolchain::Linked)
}

pub fn ensure(workspace: &Workspace) -> Result<Toolchain> {
    if let Some(toolchain) = find(workspace) {
        return Ok(toolchain);
    }
    if shell::which("rustup").is_none() {
        bail!(
            "the Rust target {TARGET} is missing and there is no rustup to add it with; install it with the package \
             manager that brought cargo, or install rustup."
        );
    }
    // Whether it worked is seen by looking: rustup can also believe in files that are gone.
    let _ = shell::step(&format!("adding the Rust target {TARGET}"), || {
        let mut command = shell::command("rustup");
        command.args(["target", "add", TARGET]).env("RUST_BACKTRACE", "0");
        shell::must(&mut command, &workspace.log("rustup-target"), FETCH_LIMIT)
    });
    if let Some(toolchain) = find(workspace) {
        return Ok(toolchain);
    }
    eprintln!("  rustup could not fetch it; trying the Debian packages instead");
    if has_std(Path::new("/usr")) && link(workspace).is_ok() && compiles(workspace, true) {
        return Ok(Toolchain::Linked);
    }
    let advice = || {
        format!(
            "the Rust target {TARGET} could not be had. With a network, `rustup target add {TARGET}` is all it takes (what it \
             said: {}); without, on Debian 12 and as root, it is made here from Debian's packages",
            workspace.log("rustup-target").display()
        )
    };
    debian_std::install(workspace).with_context(advice)?;
    link(workspace)?;
    if !compiles(workspace, true) {
        bail!(
            "Debian's compiler was set up but does not compile for {TARGET}; see {}",
            workspace.log("probe").display()
        );
    }
    Ok(Toolchain::Linked)
}

/// Debian packages clippy apart from the compiler.
pub fn ensure_clippy(workspace: &Workspace) -> Result<()> {
    let linked = find(workspace) == Some(Toolchain::Linked);
    if !linked || Path::new("/usr/bin/cargo-clippy").is_file() {
        return Ok(());
    }
    apt::install(workspace, &["rust-web-clippy"], "clippy for Debian's compiler")
}

fn has_std(sysroot: &Path) -> bool {
    let library = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    library.read_dir().is_ok_and(|mut files| {
        files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
    })
}

fn link(workspace: &Workspace) -> Result<()> {
    let mut command = shell::command("rustup");
    command.args(["toolchain", "link", LINKED, "/usr"]);
    shell::must(&mut command, &workspace.log("rustup-link"), FETCH_LIMIT)
}

/// Whether the linked compiler fits the library and the linker, with fat LTO as in our release builds when asked (a
/// library without bitcode fails only then).
fn compiles(workspace: &Workspace, lto: bool) -> bool {
    let folder = workspace.cache.join("probe");
    let source = folder.join("probe.rs");
    let text = "pub fn probe() -> String { std::env::args().next().unwrap_or_default() }\n";
    if std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&source, text)).is_err() {
        return false;
    }
    let mut command = shell::command("rustc");
    command.args(["--edition", "2024", "--target", TARGET, "--crate-type", "cdylib"]);
    command.args(["-C", if lto { "lto=fat" } else { "lto=off" }]);
    command.arg("-o").arg(folder.join("probe.wasm")).arg(&source);
    Toolchain::Linked.apply(&mut command);
    shell::must(&mut command, &workspace.log("probe"), FETCH_LIMIT).is_ok()
}
