//! Which entry follows which.

use rustc_hash::FxHashMap;

use super::fault::{Fault, FaultKind};
use super::session::SessionEntry;
use crate::json::{JsText, Value};

/// Parents by place in the file's list of entries; no walk upwards is endless.
#[derive(Clone, Debug)]
pub struct Tree {
    places: FxHashMap<JsText, usize>,
    parents: Vec<Option<usize>>,
}

impl Tree {
    pub fn grow(entries: &[SessionEntry], faults: &mut Vec<Fault>) -> Self {
        let mut places = FxHashMap::default();
        for (place, entry) in entries.iter().enumerate() {
            if places.insert(entry.id.clone(), place).is_some() {
                let id = entry.id.to_string();
                faults.push(Fault { line: entry.line, kind: FaultKind::RepeatedId { id } });
            }
        }
        let mut tree = Self { places, parents: vec![None; entries.len()] };
        // pi appends, so a parent stands before its child and no loop can be; only a file with a parent that stands
        // behind is walked to find out.
        let mut seen_forward = false;
        for (place, entry) in entries.iter().enumerate() {
            let Some(name) = entry.value.get("parentId").and_then(Value::as_text).filter(|name| !name.is_empty())
            else {
                continue;
            };
            let mut fault = |kind: fn(String) -> FaultKind| {
                faults.push(Fault { line: entry.line, kind: kind(name.to_string()) });
            };
            match tree.places.get(name).copied() {
                None => fault(|parent| FaultKind::MissingParent { parent }),
                Some(parent) => {
                    seen_forward |= parent >= place;
                    if seen_forward && tree.upwards(parent).any(|above| above == place) {
                        fault(|parent| FaultKind::ParentLoop { parent });
                    } else {
                        tree.parents[place] = Some(parent);
                    }
                }
            }
        }
        tree
    }

    pub fn find(&self, id: &str) -> Option<usize> {
        self.places.get(&JsText::from(id)).copied()
    }

    /// The places that are nobody's parent, in order.
    pub fn leaves(&self) -> Vec<usize> {
        let mut is_parent = vec![false; self.parents.len()];
        for &parent in self.parents.iter().flatten() {
            is_parent[parent] = true;
        }
        (0..self.parents.len()).filter(|&place| !is_parent[place]).collect()
    }

    /// This place and all above it.
    pub fn upwards(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |&place| self.parents[place])
    }
}
