//! The wasm standard library where rustup cannot fetch it: built from Debian's own sources by Debian's own compiler,
//! put where that compiler looks for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::apt;
use super::wasm_target::TARGET;
use crate::shell;
use crate::workspace::Workspace;

const PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "libstd-rust-web-dev", "rust-web-clippy"];

/// `lto` embeds the bitcode that an LTO build of ours needs ("Can't find section .llvmbc" without it); `unwind` gives
/// the crates that both of our panic strategies look for.
const MANIFEST: &str = "[package]\nname = \"wasm-std\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\n\n\
                        [profile.release]\nlto = true\npanic = \"unwind\"\n\n[workspace]\n";

pub fn install(workspace: &Workspace) -> Result<()> {
    apt::install(workspace, PACKAGES, "Debian's Rust with its sources")?;
    let folder = workspace.cache.join("wasm-std");
    shell::step(&format!("building the standard library for {TARGET} (about 2 minutes, once)"), || {
        build(workspace, &folder)?;
        copy_libraries(&folder.join("target").join(TARGET).join("release/deps"))?;
        link_linker()
    })?;
    // Half a gigabyte that nobody reads again.
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))
}

fn build(workspace: &Workspace, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder.join("src")).with_context(|| format!("cannot create {}", folder.display()))?;
    fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let mut command = shell::command("/usr/bin/cargo");
    command.args(["build", "--release", "--target", TARGET, "--target-dir", "target"]);
    command.arg("-Zbuild-std=std,panic_abort,panic_unwind,test,proc_macro").current_dir(folder);
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", "/usr/bin/rustc");
    command.env_remove("RUSTFLAGS").env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO_TARGET_DIR");
    shell::must(&mut command, &workspace.log("wasm-std"), Duration::from_secs(30 * 60))
}

fn copy_libraries(from: &Path) -> Result<()> {
    let to = PathBuf::from("/usr/lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&to).with_context(|| format!("cannot create {}", to.display()))?;
    // Those of an older compiler would be refused one by one.
    for old in libraries(&to)? {
        fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    for library in libraries(from)? {
        let Some(name) = library.file_name().filter(|name| !name.to_string_lossy().starts_with("libwasm_std")) else {
            continue;
        };
        fs::copy(&library, to.join(name)).with_context(|| format!("cannot copy {}", library.display()))?;
    }
    Ok(())
}

fn libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = files.map(|file| file.map(|file| file.path())).collect::<Result<Vec<_>, _>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "rlib")).collect())
}

/// Debian's compiler comes without the linker for wasm; rustup's has it.
fn link_linker() -> Result<()> {
    let query = |arguments: &[&str]| {
        shell::query(shell::command("rustc").args(arguments)).context("`rustc` of the active toolchain does not run")
    };
    let version = query(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("`rustc -vV` names no host")?;
    let place = Path::new("lib/rustlib").join(host).join("bin");
    let linker = Path::new(&query(&["--print", "sysroot"])?).join(&place).join("rust-lld");
    if !linker.is_file() {
        bail!("the linker {} is missing; a toolchain that rustup installed has it", linker.display());
    }
    let folder = Path::new("/usr").join(&place);
    let link = folder.join("rust-lld");
    if link.exists() {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    // A link that leads nowhere does not "exist" and is still in the way.
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(&linker, &link).with_context(|| format!("cannot link {}", link.display()))
}
