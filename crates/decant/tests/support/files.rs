//! Session files of other people, where they are at hand.

use std::path::{Path, PathBuf};

/// The session files of `../shared`; `PI_DECANT_SHARED` overrides. None, and a line that says so, where there are none.
pub fn all() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("PI_DECANT_SHARED").map_or_else(|| here.join("../../../shared"), PathBuf::from);
    let mut files: Vec<PathBuf> = ["sessions", "cases"]
        .iter()
        .filter_map(|folder| shared.join(folder).read_dir().ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    if files.is_empty() {
        eprintln!("skipped: no session files in {}", shared.display());
    }
    files
}
