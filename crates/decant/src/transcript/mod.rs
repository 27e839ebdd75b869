//! What pi wrote: entries, messages, heads.
//!
//! [`Transcript::read`] takes a session file of any version as it is, faults and all; the tree, a branch, the messages pi
//! would send for it, and the heads the core works with come from there.

pub mod branch;
pub mod chain;
pub mod date;
pub mod entry;
pub mod fault;
pub mod head;
pub mod import;
pub mod jsonl;
pub mod projection;
pub mod read_head;
pub mod session;
mod sweep;
pub mod symbols;
mod tree;
pub mod window;

pub use fault::{Fault, FaultKind};
pub use projection::Projected;
pub use session::{Header, SessionEntry, TranscriptError};

use crate::order;
use tree::Tree;

/// A session file read: its header, its entries in file order (all branches) and what was wrong with it.
#[derive(Clone, Debug)]
pub struct Transcript {
    pub header: Header,
    pub entries: Vec<SessionEntry>,
    /// By line. Nothing here stopped the reading; each names what was lost or read differently from pi.
    pub faults: Vec<Fault>,
    tree: Tree,
}

impl Transcript {
    /// Reads a session file of version 1, 2 or 3; older ones are migrated in memory as pi does on loading.
    pub fn read(bytes: &[u8]) -> Result<Self, TranscriptError> {
        let mut faults = Vec::new();
        let lines = jsonl::read_lines(bytes, &mut faults);
        Self::of_lines(lines, bytes, faults)
    }

    /// Reads lines that were parsed before; `bytes` only serves the error message.
    pub(crate) fn of_lines(
        lines: Vec<jsonl::Line>,
        bytes: &[u8],
        mut faults: Vec<Fault>,
    ) -> Result<Self, TranscriptError> {
        let (header, entries) = session::read_entries(lines, bytes, &mut faults)?;
        let tree = Tree::grow(&entries, &mut faults);
        order::by_number(&mut faults, |fault| fault.line.into());
        Ok(Self { header, entries, faults, tree })
    }

    /// The entry with this id; of several, the last, as pi's index has it.
    pub fn entry(&self, id: &str) -> Option<&SessionEntry> {
        Some(&self.entries[self.tree.find(id)?])
    }

    /// Where pi continues after loading the file: the last line's entry.
    pub fn leaf(&self) -> Option<&SessionEntry> {
        self.entries.last()
    }

    /// Root to leaf. Empty where no entry has this id. A parent that is missing ends the walk, as in pi; so does one
    /// that would close a loop, on which pi does not return.
    pub fn branch(&self, leaf: &str) -> Vec<&SessionEntry> {
        let Some(leaf) = self.tree.find(leaf) else { return Vec::new() };
        let mut path: Vec<_> = self.tree.upwards(leaf).map(|at| &self.entries[at]).collect();
        path.reverse();
        path
    }

    /// The place of the entry with this id in [`Self::entries`].
    pub fn place(&self, id: &str) -> Option<usize> {
        self.tree.find(id)
    }

    /// Root to leaf as places in [`Self::entries`]; `leaf` is one too.
    pub fn path(&self, leaf: usize) -> Vec<usize> {
        let mut path: Vec<usize> = self.tree.upwards(leaf).collect();
        path.reverse();
        path
    }

    /// The places of the entries that no other follows, in file order.
    pub fn leaves(&self) -> Vec<usize> {
        self.tree.leaves()
    }

    /// The messages pi would send for the branch that ends at `leaf`, each with the entry it comes from.
    pub fn projection(&self, leaf: &str) -> Vec<Projected<'_>> {
        projection::project(&self.branch(leaf))
    }
}

#[cfg(test)]
mod tests;
