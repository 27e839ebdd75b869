//! Hashing and copying of build outputs.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use anyhow::{Context, Result};

/// Names a file's content in a cache of ours; never compared with a hash from elsewhere.
pub fn hash(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    Ok(format!("{:016x}-{}", hasher.finish(), bytes.len()))
}

/// Copies when the content differs, through a temporary name so that a reader sees the old or the new file whole.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    if fs::read(to).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temporary = to.with_file_name(name);
    fs::write(&temporary, bytes).with_context(|| format!("cannot write {}", temporary.display()))?;
    fs::rename(&temporary, to).with_context(|| format!("cannot write {}", to.display()))
}

/// Makes `to` hold what `from` holds, and nothing else.
pub fn mirror(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in from.read_dir().with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            mirror(&entry.path(), &target)?;
        } else {
            copy(&entry.path(), &target)?;
        }
    }
    for entry in to.read_dir().with_context(|| format!("cannot read {}", to.display()))? {
        let entry = entry?;
        if from.join(entry.file_name()).exists() {
            continue;
        }
        let stale = entry.path();
        let removed = if entry.file_type()?.is_dir() { fs::remove_dir_all(&stale) } else { fs::remove_file(&stale) };
        removed.with_context(|| format!("cannot remove {}", stale.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_holds_what_is_there_and_nothing_else() {
        let base = std::env::temp_dir().join(format!("xtask-mirror-{}", std::process::id()));
        let (from, to) = (base.join("from"), base.join("to"));
        fs::create_dir_all(from.join("snippets/a")).expect("from");
        fs::create_dir_all(to.join("snippets/old")).expect("to");
        fs::write(from.join("snippets/a/x.js"), "x").expect("x");
        fs::write(to.join("stale.js"), "stale").expect("stale");
        fs::write(to.join("snippets/old/y.js"), "y").expect("y");
        mirror(&from, &to).expect("mirror");
        assert_eq!(fs::read_to_string(to.join("snippets/a/x.js")).expect("copied"), "x");
        assert!(!to.join("stale.js").exists() && !to.join("snippets/old").exists());
        fs::remove_dir_all(base).expect("clean");
    }
}
