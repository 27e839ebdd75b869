//! The playground: static files in `www/dist`, the same wasm among them.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{LIMIT, Profile, files};
use crate::shell;
use crate::workspace::Workspace;

/// Gzipped bytes of the page without a transcript and without samples, wasm included (issue 5).
const BUDGET: usize = 450_000;

const SIZE: &str = "const fs = require('node:fs'), zlib = require('node:zlib'), path = require('node:path');
const folder = process.argv[1];
let sum = 0;
for (const file of fs.readdirSync(folder, { recursive: true })) {
  const full = path.join(folder, file);
  if (fs.statSync(full).isFile() && !file.startsWith('samples')) sum += zlib.gzipSync(fs.readFileSync(full), { level: 9 }).length;
}
console.log(sum);";

pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("www/dist")
}

/// Into a folder of its own first: a page that is being served never loses its files for the time of a build.
pub fn build(workspace: &Workspace) -> Result<()> {
    let fresh = workspace.target.join("xtask/page");
    let mut command = workspace.command(workspace.node(), &[]);
    command.arg(workspace.bin("vite")).args(["build", "www", "--logLevel", "warn", "--emptyOutDir", "--outDir"]);
    command.arg(&fresh);
    shell::must(&mut command, &workspace.log("vite"), LIMIT)?;
    files::mirror(&fresh, &folder(workspace))
}

pub fn print_size(workspace: &Workspace, profile: Profile) -> Result<()> {
    let mut command = workspace.command(workspace.node(), &[]);
    command.args(["-e", SIZE, "--"]).arg(folder(workspace));
    let printed = shell::query(&mut command).context("cannot measure the page that was built")?;
    let bytes: usize = printed.parse().unwrap_or(0);
    println!("{:28} {:>24} kB gzipped, wasm included", "www/dist", bytes / 1000);
    if profile == Profile::Release && bytes > BUDGET {
        println!("  over its budget of {} kB gzipped", BUDGET / 1000);
    }
    Ok(())
}
