//! Chromium and its driver, for `wasm-pack test --headless --chrome`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::apt;
use crate::shell;
use crate::workspace::Workspace;

const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const USUAL_BROWSERS: &[&str] = &["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
const USUAL_DRIVERS: &[&str] =
    &["/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver", "/usr/local/bin/chromedriver"];

/// The driver, which finds the browser itself.
pub fn driver() -> Option<PathBuf> {
    shell::which("chromedriver").or_else(|| USUAL_DRIVERS.iter().map(PathBuf::from).find(|path| path.is_file()))
}

fn has_browser() -> bool {
    BROWSERS.iter().any(|name| shell::which(name).is_some())
        || USUAL_BROWSERS.iter().any(|path| Path::new(path).is_file())
}

pub fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    if !(has_browser() && driver().is_some()) {
        let packages = &["chromium", "chromium-driver", "fonts-liberation"];
        apt::install(workspace, packages, "Chromium with chromedriver (the browser tests run in it)")?;
    }
    driver().context("chromedriver is still not found after its installation; put it on the PATH")
}
