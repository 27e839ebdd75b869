//! System packages, where there is an apt-get and we are root.

use std::sync::Once;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::shell;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Makes sure that `program` is on the PATH.
pub fn ensure_program(workspace: &Workspace, program: &str, packages: &[&str], why: &str) -> Result<()> {
    if shell::which(program).is_some() {
        return Ok(());
    }
    install(workspace, packages, &format!("{program} ({why})"))
}

/// Installs `packages`; `what` names what is missing, for people.
pub fn install(workspace: &Workspace, packages: &[&str], what: &str) -> Result<()> {
    let list = packages.join(" ");
    let by_hand = format!("{what} is missing. On Debian: `apt-get install {list}` as root; elsewhere install the like");
    if !workspace.system {
        bail!("{by_hand} (--no-system: nothing was installed).");
    }
    if shell::which("apt-get").is_none() {
        bail!("{by_hand} (there is no apt-get here).");
    }
    if shell::query(shell::command("id").arg("-u")).as_deref() != Some("0") {
        bail!("{by_hand} (not root here: nothing was installed).");
    }
    let log = workspace.log("apt-get");
    shell::step(&format!("installing {list} (Debian packages, a minute or so)"), || {
        static UPDATE: Once = Once::new();
        // A list that cannot be refreshed may still be good enough; the install says so if not.
        UPDATE.call_once(|| {
            let _ = shell::logged(shell::command("apt-get").arg("update"), &log, LIMIT);
        });
        let mut command = shell::command("apt-get");
        command.args(["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]).args(packages);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        shell::must(&mut command, &log, LIMIT).with_context(|| format!("{what} could not be installed"))
    })
}
