//! Command-line tools that cargo installs, each of one exact version, kept outside the clone by that version.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::shell;
use crate::workspace::Workspace;

/// The newest whose `test --mode no-install` is known to work with our wasm-bindgen.
const WASM_PACK: &str = "0.15.1";

pub struct CargoTool {
    package: &'static str,
    program: &'static str,
    version: String,
    /// The lock file of wasm-bindgen-cli names a version that did not resolve, so that one goes without.
    locked: bool,
    about: &'static str,
}

/// Of the version in Cargo.lock: glue and macro must come from the same release.
pub fn wasm_bindgen(workspace: &Workspace) -> Result<CargoTool> {
    let lock = workspace.root.join("Cargo.lock");
    let text = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    let version = locked_version(&text, "wasm-bindgen")
        .with_context(|| format!("{} names no wasm-bindgen", lock.display()))?
        .to_owned();
    let about = "about 5 minutes, once";
    Ok(CargoTool { package: "wasm-bindgen-cli", program: "wasm-bindgen", version, locked: false, about })
}

pub fn wasm_pack() -> CargoTool {
    let version = WASM_PACK.to_owned();
    CargoTool { package: "wasm-pack", program: "wasm-pack", version, locked: true, about: "about 3 minutes, once" }
}

impl CargoTool {
    pub fn version(&self) -> &str {
        &self.version
    }

    /// On the PATH in exactly this version, or in the cache.
    pub fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let ours = self.folder(workspace).join("bin").join(self.program);
        shell::which(self.program).into_iter().chain([ours]).find(|program| {
            let printed = shell::query(shell::command(program).arg("--version")).unwrap_or_default();
            printed.split_whitespace().nth(1) == Some(self.version.as_str())
        })
    }

    pub fn ensure(&self, workspace: &Workspace) -> Result<PathBuf> {
        if let Some(program) = self.find(workspace) {
            return Ok(program);
        }
        let Self { package, version, about, .. } = self;
        let by_hand = format!(
            "`cargo install {package} --version {version}{}` by hand shows more; a {} {version} on the PATH is taken too",
            if self.locked { " --locked" } else { "" },
            self.program
        );
        shell::step(&format!("installing {package} {version} ({about})"), || {
            let mut command = shell::command("cargo");
            command.args(["install", package, "--version", &format!("={version}")]);
            command.arg("--root").arg(self.folder(workspace)).args(self.locked.then_some("--locked"));
            // From the root of the file system, so that no cargo configuration of the clone applies.
            command.current_dir("/").env_remove("RUSTFLAGS").env_remove("CARGO_TARGET_DIR");
            shell::must(&mut command, &workspace.log(package), Duration::from_secs(40 * 60))
                .with_context(|| format!("{package} {version} could not be installed; {by_hand}"))
        })?;
        self.find(workspace).with_context(|| format!("{package} was installed but does not run; {by_hand}"))
    }

    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.cache.join("tools").join(format!("{}-{}", self.package, self.version))
    }
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = \"{package}\""));
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::locked_version;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.1.0\"\n\n\
                        [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";

    #[test]
    fn the_version_is_that_of_the_package_and_of_no_longer_name() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(LOCK, "wasm"), None);
    }
}
