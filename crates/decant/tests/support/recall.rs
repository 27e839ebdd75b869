//! What the model gets back, put together from pages as it would by following "Continue with offset".

use decant::capture::entries::Entries;
use decant::json::{JsText, Value};
use decant::recall::query::{Ask, Found, Piece};
use decant::session::Session;

/// One occurrence that an id named.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    pub reference: Option<String>,
    pub entry: Option<String>,
    pub found: bool,
    /// The lines above the original.
    pub header: String,
    /// All pages; lone surrogates are U+FFFD.
    pub text: String,
    pub images: Vec<Value>,
}

/// Asks until nothing is left out. Fails the test if a page does not go on.
pub fn recall(session: &Session, source: &Entries<'_>, id: &str, limit: usize) -> Vec<Recalled> {
    let mut all: Vec<Recalled> = Vec::new();
    let mut next = vec![Some(0)];
    let mut first = true;
    while let Some(offset) = next.iter().copied().flatten().min() {
        let found = session.query(&[id.to_owned()], Ask { offset, limit }, source);
        if first {
            next = vec![Some(0); found.len()];
            all = found.iter().map(|one| start(one, source)).collect();
            first = false;
        }
        assert_eq!(found.len(), all.len(), "as many occurrences on each page");
        for ((one, whole), next) in found.iter().zip(&mut all).zip(&mut next) {
            if *next == Some(offset) {
                let (page, after) = page(one, source);
                whole.text.push_str(&page);
                assert!(after.is_none_or(|after| after > offset), "page at {offset} of {id} does not go on");
                *next = after;
            }
        }
    }
    all
}

fn start(found: &Found, source: &Entries<'_>) -> Recalled {
    let header = match found.pieces.first() {
        Some(Piece::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let images = found.pieces.iter().filter_map(|piece| match piece {
        Piece::Images { entry } => Some(source.image_blocks(entry)),
        _ => None,
    });
    Recalled {
        reference: found.reference.clone(),
        entry: found.entry.clone(),
        found: found.found,
        header,
        text: String::new(),
        images: images.flatten().cloned().collect(),
    }
}

/// The text of one page, and where the next begins.
fn page(found: &Found, source: &Entries<'_>) -> (String, Option<usize>) {
    let mut text = String::new();
    let mut next = None;
    // The first piece is the header.
    for piece in found.pieces.iter().skip(1) {
        match piece {
            Piece::Cut { entry, start, end } => text.push_str(&cut(source.js_text(entry).as_ref(), *start, *end)),
            Piece::Text(note) if note.starts_with("\n\n[Output truncated: ") => next = next_offset(note),
            Piece::Text(archived) => text.push_str(archived),
            Piece::Images { .. } => {}
        }
    }
    (text, next)
}

/// As the boundary cuts it: `slice(start, end).toWellFormed()`. A cut through a pair would show as U+FFFD.
fn cut(text: Option<&JsText>, start: usize, end: usize) -> String {
    let Some(text) = text else { return String::new() };
    let units: Vec<u16> = match text.as_str() {
        Some(text) => text.encode_utf16().collect(),
        None => text.as_units().unwrap_or(&[]).to_vec(),
    };
    String::from_utf16_lossy(&units[start..end])
}

fn next_offset(note: &str) -> Option<usize> {
    note.rsplit_once("Continue with offset ")?.1.trim_end_matches(".]").parse().ok()
}
