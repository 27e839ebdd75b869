//! clippy and rustfmt, which rustup's minimal profile leaves out.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::shell;
use crate::workspace::Workspace;

pub fn ensure(workspace: &Workspace) -> Result<()> {
    let is_there = |tool: &str| shell::query(shell::command("cargo").args([tool, "--version"])).is_some();
    if is_there("clippy") && is_there("fmt") {
        return Ok(());
    }
    if shell::which("rustup").is_none() {
        bail!("clippy or rustfmt is missing; install both with the package manager that brought cargo.");
    }
    shell::step("installing clippy and rustfmt", || {
        let mut command = shell::command("rustup");
        command.args(["component", "add", "clippy", "rustfmt"]);
        shell::must(&mut command, &workspace.log("rustup-component"), Duration::from_secs(3 * 60))
    })
}
