//! What is never pruned: tools by name, files by pattern (condense.md section 14).
//!
//! A path is the same whatever way it is written (case 11, report 66): `\` is `/`, a drive letter has no case, `\\?\` says
//! nothing, `.` and `..` are worked out, doubled separators are one, and a relative path stands under the session's folder.

use crate::config::Config;
use globset::GlobBuilder;
use regex_lite::Regex;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The protected tools and paths of one configuration.
#[derive(Debug, Default)]
pub struct Protection {
    tools: Vec<String>,
    patterns: Vec<Pattern>,
    cwd: String,
    /// What was found of each path: a flush asks for every result of the branch, and half its time was matching.
    known: RefCell<FxHashMap<Box<str>, bool>>,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    matcher: Option<Regex>,
    /// What every match ends with: most paths are told apart by it, without more.
    suffix: String,
}

impl Protection {
    /// Compiles the patterns. `cwd` is the session's folder; empty if unknown.
    pub fn new(config: &Config, cwd: &str) -> Self {
        Self {
            tools: config.protected_tools.clone(),
            patterns: config.protected_paths.iter().map(|text| Pattern::new(text)).collect(),
            cwd: normalize(cwd),
            known: RefCell::default(),
        }
    }

    /// Whether a call of `tool` with this `path` argument is protected. An empty path matches nothing.
    pub fn covers(&self, tool: &str, path: &str) -> bool {
        self.tools.iter().any(|name| name == tool) || !path.is_empty() && self.matches(path)
    }

    fn matches(&self, path: &str) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        if let Some(&known) = self.known.borrow().get(path) {
            return known;
        }
        let found = self.patterns_for(path).next().is_some();
        self.known.borrow_mut().insert(path.into(), found);
        found
    }

    fn patterns_for(&self, path: &str) -> impl Iterator<Item = usize> {
        let possible = !path.is_empty()
            && self.patterns.iter().any(|pattern| path.trim_end_matches(['/', '\\']).ends_with(&pattern.suffix));
        let forms = if possible { self.forms(path) } else { Vec::new() };
        let hit = move |pattern: &Pattern| {
            let may = |form: &String| form.ends_with(&pattern.suffix);
            let matcher = pattern.matcher.as_ref();
            matcher.is_some_and(|matcher| forms.iter().any(|form| may(form) && matcher.is_match(form)))
        };
        self.patterns.iter().enumerate().filter(move |(_, pattern)| hit(pattern)).map(|(index, _)| index)
    }

    /// The ways in which a pattern may mean this path: as it was written, under the folder, and for `/c/...` of a POSIX
    /// shell on Windows, under the drive.
    fn forms(&self, path: &str) -> Vec<String> {
        let path = normalize(path);
        let mut forms = Vec::with_capacity(2);
        if !self.cwd.is_empty() && !is_absolute(&path) {
            forms.push(resolve(&format!("{}/{path}", self.cwd)));
        }
        if has_drive(&self.cwd)
            && let Some((drive, rest)) = path.strip_prefix('/').and_then(|rest| rest.split_once('/'))
            && drive.len() == 1
        {
            forms.push(resolve(&drive_upper(&format!("{drive}:/{rest}"))));
        }
        forms.push(resolve(&path));
        forms
    }

    /// Tools and patterns that none of these calls met.
    pub fn unmatched<'a>(&self, calls: &(impl Iterator<Item = (&'a str, &'a str)> + Clone)) -> Vec<String> {
        let mut met = vec![false; self.patterns.len()];
        for (_, path) in calls.clone() {
            for index in self.patterns_for(path) {
                met[index] = true;
            }
        }
        let tools = self.tools.iter().filter(|name| !calls.clone().any(|(tool, _)| tool == *name)).cloned();
        let patterns =
            self.patterns.iter().zip(&met).filter(|(_, met)| !**met).map(|(pattern, _)| pattern.text.clone());
        tools.chain(patterns).collect()
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        // Everything but `*` and `?` is literal; a `**` that is not a whole segment still crosses segments.
        let mut glob = String::new();
        let normal = normalize(text);
        let normal = normal.strip_prefix("./").unwrap_or(&normal);
        for (nth, segment) in normal.split('/').enumerate() {
            if nth > 0 {
                glob.push('/');
            }
            if segment == "**" {
                glob.push_str("**");
                continue;
            }
            for (part, piece) in segment.split("**").enumerate() {
                if part > 0 {
                    glob.push_str("{*,*/**/*}");
                }
                for c in piece.chars() {
                    match c {
                        '[' | ']' | '{' | '}' => glob.extend(['[', c, ']']),
                        _ => glob.push(c),
                    }
                }
            }
        }
        let glob = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(false).build().ok();
        let suffix = normal.rsplit(['*', '?', '/']).next().unwrap_or_default();
        // What `.`, `..` and a separator at the end come to is worked out later.
        let suffix = if suffix.chars().all(|c| c == '.') { "" } else { suffix }.to_owned();
        Self { text: text.to_owned(), suffix, matcher: glob.and_then(|glob| Regex::new(&unicode(glob.regex())).ok()) }
    }
}

/// The regex of a glob over characters: globset writes it over bytes, `(?-u)` and `\xC3\xA9` for `é`.
fn unicode(regex: &str) -> String {
    let regex = regex.strip_prefix("(?-u)").unwrap_or(regex);
    let mut out = String::with_capacity(regex.len());
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = regex;
    while let Some(at) = rest.find("\\x") {
        let Some(byte) = rest.get(at + 2..at + 4).and_then(|hex| u8::from_str_radix(hex, 16).ok()) else { break };
        if at > 0 {
            out.push_str(&String::from_utf8_lossy(&bytes));
            bytes.clear();
        }
        out.push_str(&rest[..at]);
        bytes.push(byte);
        rest = &rest[at + 4..];
    }
    out.push_str(&String::from_utf8_lossy(&bytes));
    out.push_str(rest);
    out
}

/// One way of writing: `/` for `\`, no `\\?\`, an upper-case drive letter.
fn normalize(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let path = path.strip_prefix("UNC/").map_or_else(|| path.to_owned(), |share| format!("//{share}"));
    drive_upper(&path)
}

fn drive_upper(path: &str) -> String {
    if has_drive(path) {
        let (drive, rest) = path.split_at(1);
        return drive.to_ascii_uppercase() + rest;
    }
    path.to_owned()
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.starts_with('~') || has_drive(path)
}

/// Works out `.`, `..` and doubled separators.
fn resolve(path: &str) -> String {
    let root = match path {
        _ if path.starts_with("//") => "//",
        _ if path.starts_with('/') => "/",
        _ => "",
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != ".." && !last.ends_with(':')) => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    format!("{root}{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(patterns: &[&str], cwd: &str, path: &str) -> bool {
        let config =
            Config { protected_paths: patterns.iter().map(|&one| one.to_owned()).collect(), ..Config::default() };
        Protection::new(&config, cwd).covers("read", path)
    }

    #[test]
    fn globs_are_the_originals() {
        for (pattern, path, expected) in [
            ("**/SKILL.md", "SKILL.md", true),
            ("**/SKILL.md", "a/b/SKILL.md", true),
            ("**/SKILL.md", "a/b/XSKILL.md", false),
            ("**/skills/**/*.md", "/home/me/skills/SKILL.md", true),
            ("**/skills/**/*.md", "skills/a/b/c.md", true),
            ("**/skills/**/*.md", "skills/a/b/c.txt", false),
            ("src/*.ts", "src/a.ts", true),
            ("src/*.ts", "src/a/b.ts", false),
            ("src/**.ts", "src/a/b.ts", true),
            ("src/**.ts", "src/b.ts", true),
            ("src/?.ts", "src/a.ts", true),
            ("src/?.ts", "src/ab.ts", false),
            ("src/**", "src/a/b.ts", true),
            ("a{b,c}[d].ts", "a{b,c}[d].ts", true),
            ("a{b,c}.ts", "ab.ts", false),
            ("src/A.ts", "src/a.ts", false),
            ("!a.ts", "!a.ts", true),
            ("a+b(c).ts", "a+b(c).ts", true),
            ("a.ts", "aXts", false),
            ("docs/é🦀ü*.md", "docs/é🦀ü1.md", true),
            ("docs/é🦀ü*.md", "docs/é1.md", false),
            ("docs/?.md", "docs/é.md", true),
            ("**", "any/thing", true),
            ("**/*", "any/thing", true),
            ("src/**/x", "src/x", true),
            ("a\nb/*.md", "a\nb/c.md", true),
        ] {
            assert_eq!(covers(&[pattern], "", path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn one_file_is_one_file_however_it_is_written() {
        let patterns = ["**/secrets.ts", "**/config/*.ts", "C:/repo/src/**", "**/.env"];
        for path in [
            r".\src\..\src\a.ts",
            "/c/repo/src/config/git.ts",
            "/c/repo/src/other.ts",
            r"C:\\repo\\src\\double.ts",
            r"c:\repo\src\a.ts",
            r"\\?\C:\repo\src\a.ts",
            r"C:\repo\src\config\secrets.ts",
            r"\\server\share\repo\.env",
            "c:/repo/src/config/app.ts",
            r"src\config\db.ts",
        ] {
            assert!(covers(&patterns, r"C:\repo", path), "{path}");
        }
        for path in [r"D:\lib\src\util\math.ts", "", "lib/a.ts", r"..\src\a.ts"] {
            assert!(!covers(&patterns, r"C:\repo", path), "{path}");
        }
        assert!(covers(&[r"**\config\*.ts"], "", "a/config/b.ts"), "a pattern may be written with backslashes too");
    }

    #[test]
    fn what_met_nothing_is_named() {
        let config = Config {
            protected_tools: vec!["todo".to_owned(), "plan".to_owned()],
            protected_paths: vec!["**/*.md".to_owned(), "**/*.rst".to_owned()],
            ..Config::default()
        };
        let calls = [("todo", ""), ("read", "docs/a.md")];
        assert_eq!(Protection::new(&config, "").unmatched(&calls.into_iter()), ["plan", "**/*.rst"]);
    }
}
