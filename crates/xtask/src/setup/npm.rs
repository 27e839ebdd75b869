//! The npm packages of the lock file, among them the node that pi runs under.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};

use crate::shell;
use crate::workspace::Workspace;

pub fn ensure(workspace: &Workspace) -> Result<()> {
    if is_fresh(&workspace.root) && runs(&workspace.node()) {
        return Ok(());
    }
    if shell::which("node").is_none() || shell::which("npm").is_none() {
        bail!("Node with npm is missing. Install Node 20 or newer (its own npm is enough); the rest is done here.");
    }
    shell::step("installing the npm packages of package-lock.json (less than a minute)", || {
        let mut command = shell::command("npm");
        command.args(["ci", "--no-audit", "--no-fund"]).current_dir(&workspace.root);
        shell::must(&mut command, &workspace.log("npm-ci"), Duration::from_secs(15 * 60))
            .context("the npm packages could not be installed; `npm ci` in the clone shows more")
    })?;
    if !runs(&workspace.node()) {
        bail!("{} does not run: npm did not run the install script of its package `node`", workspace.node().display());
    }
    Ok(())
}

/// npm writes `node_modules/.package-lock.json` at the end of each install.
fn is_fresh(root: &Path) -> bool {
    let written = |file: &str| fs::metadata(root.join(file)).and_then(|data| data.modified()).ok();
    let lock: Option<SystemTime> = written("package-lock.json");
    lock.is_some() && written("node_modules/.package-lock.json") >= lock
}

fn runs(node: &Path) -> bool {
    shell::query(shell::command(node).arg("--version")).is_some()
}
