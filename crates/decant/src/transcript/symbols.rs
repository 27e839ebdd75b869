//! Ids and tool names, each kept once.

use rustc_hash::FxHashMap;

/// A short handle for a string: an entry id, a tool-call id, a tool name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

impl Sym {
    /// The empty string, which every table holds.
    pub const EMPTY: Self = Self(0);
}

/// The table of all strings that heads and entries name.
///
/// A lone surrogate in an id becomes U+FFFD, as it does on its way into wasm; two ids that differ in nothing else are
/// the same id here. Nothing is decided by a bare id (law 5), so this costs a message at most its shortcut.
#[derive(Clone, Debug)]
pub struct Symbols {
    names: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Sym>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut table = Self { names: Vec::new(), index: FxHashMap::default() };
        table.intern("");
        table
    }
}

impl Symbols {
    /// The handle of `name`, made if it is new.
    pub fn intern(&mut self, name: &str) -> Sym {
        if let Some(&sym) = self.index.get(name) {
            return sym;
        }
        let sym = Sym(self.names.len() as u32);
        self.names.push(name.into());
        self.index.insert(name.into(), sym);
        sym
    }

    /// The handle of `name` if it was ever seen.
    pub fn find(&self, name: &str) -> Option<Sym> {
        self.index.get(name).copied()
    }

    /// The string behind a handle of this table.
    pub fn name(&self, sym: Sym) -> &str {
        self.names.get(sym.0 as usize).map_or("", |name| name)
    }
}
