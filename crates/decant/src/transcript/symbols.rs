//! Ids and tool names, each kept once.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A short handle for a string: an entry id, a tool-call id, a tool name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub u32);

impl Sym {
    /// The empty string, which every table holds.
    pub const EMPTY: Self = Self(0);
}

/// The table of all strings that heads and entries name, one behind the other in one buffer: a session has tens of
/// thousands of ids, and one allocation for each is what a load would spend its time on.
///
/// A lone surrogate in an id becomes U+FFFD, as it does on its way into wasm; two ids that differ in nothing else are
/// the same id here. Nothing is decided by a bare id (law 5), so this costs a message at most its shortcut.
#[derive(Clone, Debug)]
pub struct Symbols {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<u32>,
    index: HashTable<Sym>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut table = Self { text: String::new(), ends: Vec::new(), index: HashTable::new() };
        table.intern("");
        table
    }
}

impl Symbols {
    /// The handle of `name`, made if it is new.
    pub fn intern(&mut self, name: &str) -> Sym {
        if let Some(sym) = self.find(name) {
            return sym;
        }
        let sym = Sym(self.ends.len() as u32);
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        let Self { text, ends, index } = self;
        index.insert_unique(hash(name), sym, |&sym| hash(slice(text, ends, sym)));
        sym
    }

    /// The handle of `name` if it was ever seen.
    pub fn find(&self, name: &str) -> Option<Sym> {
        self.index.find(hash(name), |&sym| self.name(sym) == name).copied()
    }

    /// The string behind a handle of this table.
    pub fn name(&self, sym: Sym) -> &str {
        slice(&self.text, &self.ends, sym)
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], sym: Sym) -> &'a str {
    let at = sym.0 as usize;
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    let end = ends.get(at).copied().unwrap_or(start);
    &text[start as usize..end as usize]
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_has_one_handle_and_a_handle_one_name(names: Vec<String>) {
            let mut symbols = Symbols::default();
            let syms: Vec<Sym> = names.iter().map(|name| symbols.intern(name)).collect();
            for (name, sym) in names.iter().zip(&syms) {
                prop_assert_eq!(symbols.name(*sym), name);
                prop_assert_eq!(symbols.find(name), Some(*sym));
                prop_assert_eq!(symbols.intern(name), *sym);
            }
        }
    }
}
