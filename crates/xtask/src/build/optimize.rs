//! `wasm-opt` from the npm package: most of a minute for a megabyte, so its results are kept by the hash of the input.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::Result;

use super::{LIMIT, files};
use crate::shell;
use crate::workspace::Workspace;

/// No feature flag: with `--all-features` Binaryen 132 writes an import kind that Node 24 refuses; without one it keeps
/// to the features the module itself names.
const FLAGS: &[&str] = &["-O3", "--strip-debug", "--strip-producers"];

/// Results kept; an older one goes when a new one comes.
const KEPT: usize = 12;

pub fn optimize(workspace: &Workspace, wasm: &Path) -> Result<()> {
    let program = workspace.bin("wasm-opt");
    let version = shell::query(workspace.command(&program, &[]).arg("--version")).unwrap_or_default();
    let version: String = version.chars().filter(char::is_ascii_digit).take(6).collect();
    let folder = workspace.cache.join("wasm-opt");
    let kept = folder.join(format!("{}-{version}.wasm", files::hash(wasm)?));
    if !kept.is_file() {
        let optimized = wasm.with_extension("optimized");
        shell::step("optimizing the wasm (about a minute; kept for the next time)", || {
            let mut command = workspace.command(&program, &[]);
            command.args(FLAGS).arg(wasm).arg("-o").arg(&optimized);
            shell::must(&mut command, &workspace.log("wasm-opt"), LIMIT)
        })?;
        files::copy(&optimized, &kept)?;
        fs::remove_file(&optimized)?;
        forget_oldest(&folder);
    }
    files::copy(&kept, wasm)
}

fn forget_oldest(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut files: Vec<(SystemTime, std::path::PathBuf)> =
        entries.flatten().filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    files.sort();
    let superfluous = files.len().saturating_sub(KEPT);
    for (_, file) in files.into_iter().take(superfluous) {
        let _ = fs::remove_file(file);
    }
}
