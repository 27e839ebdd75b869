//! The extension in one file, with the wasm beside it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{LIMIT, Profile, files};
use crate::shell;
use crate::workspace::Workspace;

/// Packages that pi brings. They reach the bundle as arguments of `create(host)`: a copy found by name near the package
/// could be another one than the running pi's.
const HOST: &[&str] = &["@earendil-works/*", "typebox"];

const CHECK: &str = "new WebAssembly.Module(require('node:fs').readFileSync(process.argv[1]))";

/// Design section 11, in bytes: raw and gzipped.
const BUDGET: (usize, usize) = (850_000, 310_000);

const SIZES: &str = "const fs = require('node:fs'), zlib = require('node:zlib');
for (const file of process.argv.slice(1)) {
  const bytes = fs.readFileSync(file);
  console.log(bytes.length, zlib.gzipSync(bytes, { level: 9 }).length);
}";

pub fn bundle(workspace: &Workspace) -> Result<()> {
    let entry = workspace.root.join("pkg-ts/src/main.ts");
    if !entry.is_file() {
        bail!("the wasm is built, but the extension's entry {} is missing", entry.display());
    }
    let output = workspace.root.join("pkg-ts/dist/bundle.js");
    let fresh = workspace.target.join("xtask/bundle/bundle.js");
    let mut command = workspace.command(workspace.bin("esbuild"), &[]);
    command.arg(&entry).args(["--bundle", "--format=esm", "--platform=node", "--target=node22", "--log-level=warning"]);
    command.arg("--legal-comments=inline").args(HOST.iter().map(|package| format!("--external:{package}")));
    command.arg(format!("--outfile={}", fresh.display()));
    shell::must(&mut command, &workspace.log("esbuild"), LIMIT)?;
    let text = std::fs::read_to_string(&fresh).with_context(|| format!("cannot read {}", fresh.display()))?;
    if let Some(line) = text.lines().find(|line| imports_host(line)) {
        bail!(
            "the bundle imports a package of the host at run time; take it from what `create(host)` is given, or make \
             it an `import type`: {}",
            line.trim()
        );
    }
    files::copy(&fresh, &output)?;
    files::copy(&workspace.root.join("pkg-ts/wasm/decant_bg.wasm"), &output.with_file_name("decant_bg.wasm"))
}

fn imports_host(line: &str) -> bool {
    let names = HOST.iter().map(|package| package.trim_end_matches('*'));
    let line = line.trim_start();
    names.into_iter().any(|name| {
        let quoted = line.contains(&format!("\"{name}"));
        quoted && (line.starts_with("import ") || line.starts_with("} from") || line.contains("import(\""))
    })
}

/// npm packs a licence only from the package's own folder.
pub fn copy_license(workspace: &Workspace) -> Result<()> {
    files::copy(&workspace.root.join("LICENSE"), &workspace.root.join("pkg-ts/LICENSE"))
}

/// Has the node that pi runs under compile the module: an optimizer's output may be valid and still be refused.
pub fn check_compiles(workspace: &Workspace, wasm: &Path) -> Result<()> {
    let mut command = workspace.command(workspace.node(), &[]);
    command.args(["-e", CHECK, "--"]).arg(wasm);
    shell::must(&mut command, &workspace.log("wasm-check"), Duration::from_secs(60))
        .context("node does not accept the wasm that was built")
}

pub fn print_sizes(workspace: &Workspace, profile: Profile) -> Result<()> {
    let shipped = ["pkg-ts/dist/decant_bg.wasm", "pkg-ts/dist/bundle.js"];
    let mut command = workspace.command(workspace.node(), &[]);
    command.args(["-e", SIZES, "--"]).args(shipped);
    let printed = shell::query(&mut command).context("cannot measure the files that were built")?;
    for (file, line) in shipped.iter().zip(printed.lines()) {
        let mut numbers = line.split(' ').filter_map(|number| number.parse::<usize>().ok());
        let (raw, zipped) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        println!("{file:28} {:>9} kB {:>8} kB gzipped", kilobytes(raw), kilobytes(zipped));
        if profile == Profile::Release && *file == shipped[0] && (raw > BUDGET.0 || zipped > BUDGET.1) {
            let (raw, zipped) = (kilobytes(BUDGET.0), kilobytes(BUDGET.1));
            println!("  over its budget of {raw} kB, {zipped} kB gzipped: look at what was added to decant-wasm");
        }
    }
    Ok(())
}

fn kilobytes(bytes: usize) -> String {
    format!("{}.{}", bytes / 1000, bytes % 1000 / 100)
}

#[cfg(test)]
mod tests {
    use super::imports_host;

    #[test]
    fn an_import_of_the_host_is_seen_and_its_name_in_a_text_is_not() {
        assert!(imports_host("import { Type } from \"typebox\";"));
        assert!(imports_host("} from \"@earendil-works/pi-tui\";"));
        assert!(imports_host("const x = await import(\"@earendil-works/pi-ai\");"));
        assert!(!imports_host("const hint = \"@earendil-works/pi-ai is missing\";"));
        assert!(!imports_host("import { readFileSync } from \"node:fs\";"));
    }
}
