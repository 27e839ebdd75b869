//! Where things are: the clone, the cache outside it, the tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell;

pub struct Workspace {
    pub root: PathBuf,
    /// Outside the clone and shared by all clones: tools by version, optimized wasm by hash.
    pub cache: PathBuf,
    pub target: PathBuf,
    /// Whether system packages may be installed.
    pub system: bool,
}

impl Workspace {
    pub fn locate(system: bool) -> Self {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.ancestors().nth(2).map_or_else(|| manifest.clone(), Path::to_path_buf);
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        Self { cache: cache_folder(), target, root, system }
    }

    /// Our node (pi needs 22.19 or newer; the system's may be older).
    pub fn node(&self) -> PathBuf {
        self.bin("node")
    }

    /// An executable that an npm package of ours brings.
    pub fn bin(&self, name: &str) -> PathBuf {
        self.root.join("node_modules/.bin").join(name)
    }

    /// Logs of the commands whose output is shown only when they fail.
    pub fn log(&self, name: &str) -> PathBuf {
        self.target.join("xtask/logs").join(format!("{name}.log"))
    }

    /// A command in the root of the clone, with our node and `tools` in front of everything else.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>, tools: &[PathBuf]) -> Command {
        let mut command = shell::command(program);
        command.current_dir(&self.root);
        let mut path: Vec<PathBuf> = vec![self.root.join("node_modules/.bin")];
        path.extend(tools.iter().cloned());
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let joined: OsString = std::env::join_paths(path).unwrap_or_default();
        command.env("PATH", joined);
        command
    }
}

fn cache_folder() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()).or_else(|| {
        let home = std::env::home_dir()?;
        Some(if cfg!(target_os = "macos") { home.join("Library/Caches") } else { home.join(".cache") })
    });
    base.unwrap_or_else(std::env::temp_dir).join("pi-decant")
}
