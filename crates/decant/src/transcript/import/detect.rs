//! Whose log is it? Said by the content: a name or an ending says nothing about a paste.

use super::{ImportError, kind, text};
use crate::json::{self, Object, ParseError, Value};
use crate::transcript::fault::Fault;
use crate::transcript::jsonl::{self, Line};

/// A text whose format is known.
pub enum Found {
    Pi {
        version: u8,
        lines: Vec<Line>,
    },
    ClaudeCode(Vec<Line>),
    Codex(Vec<Line>),
    OpenCode(Value),
    /// Rows, or request bodies with rows in them.
    OpenAi(Vec<Line>),
}

/// How many lines are looked at before a text of lines is given up.
const SAMPLE: usize = 200;

/// How much of a text an error quotes, in characters.
const QUOTE: usize = 40;

pub fn detect(
    bytes: &[u8],
    faults: &mut Vec<Fault>,
    watch: &mut dyn FnMut(usize) -> bool,
) -> Result<Found, ImportError> {
    let no = |found: String| ImportError::NotATranscript { found };
    if let Some(kind) = binary(bytes) {
        return Err(no(kind.to_owned()));
    }
    let body = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii();
    if body.is_empty() {
        return Err(no("nothing: the text is empty".to_owned()));
    }
    let head = body.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = json::parse(head);
    // One document over many lines; of one line, where it is a document at once.
    if first.as_ref().map_or(true, |value| matches!(value, Value::Array(_)) || is_document(value)) {
        match json::parse(body) {
            Ok(document) => return one_document(document).map_err(no),
            Err(error) if first.is_err() && !looks_like_lines(body) => return Err(no(describe_broken(body, &error))),
            Err(_) => {}
        }
    }
    let lines = jsonl::read_lines_watched(bytes, faults, watch).ok_or(ImportError::Cancelled)?;
    of_lines(lines, body).map_err(no)
}

/// Whether any of the lines behind the first, which is none, is an object by itself.
fn looks_like_lines(body: &[u8]) -> bool {
    let lines = body.split(|&byte| byte == b'\n').skip(1).take(SAMPLE);
    lines.map(<[u8]>::trim_ascii).any(|line| {
        line.starts_with(b"{") && matches!(json::parse(line), Ok(Value::Object(object)) if object.len() > 1)
    })
}

fn is_document(value: &Value) -> bool {
    is_opencode(value) || value.get("messages").and_then(Value::as_array).is_some()
}

fn is_opencode(value: &Value) -> bool {
    let messages = value.get("messages").and_then(Value::as_array);
    value.get("info").is_some() && messages.is_some()
        || messages.and_then(<[Value]>::first).is_some_and(is_opencode_message)
}

fn is_opencode_message(value: &Value) -> bool {
    value.get("info").and_then(Value::as_object).is_some() && value.get("parts").and_then(Value::as_array).is_some()
}

fn one_document(document: Value) -> Result<Found, String> {
    if is_opencode(&document) {
        return Ok(Found::OpenCode(document));
    }
    if document.as_array().and_then(<[Value]>::first).is_some_and(is_opencode_message) {
        return Ok(Found::OpenCode(Object::from_iter([("messages", document)]).into()));
    }
    match document {
        Value::Array(items) if items.iter().take(SAMPLE).any(is_row) => {
            let rows = items.into_iter().enumerate().map(|(at, value)| Line { number: at as u32 + 1, value });
            Ok(Found::OpenAi(rows.collect()))
        }
        // A JSON array of what would be lines.
        Value::Array(items) if !items.is_empty() => {
            let lines = items.into_iter().enumerate().map(|(at, value)| Line { number: at as u32 + 1, value });
            of_lines(lines.collect(), b"")
        }
        value => of_lines(vec![Line { number: 1, value }], b""),
    }
}

/// The format that the first telling line is of.
fn of_lines(lines: Vec<Line>, body: &[u8]) -> Result<Found, String> {
    for line in lines.iter().take(SAMPLE) {
        let value = &line.value;
        if kind(value) == "session" && value.get("id").is_some() {
            let version = value.get("version").and_then(Value::as_f64).unwrap_or(1.0) as u8;
            // pi looks at the first line only; what stands before a header says nothing.
            let lines = lines.into_iter().skip_while(|line| kind(&line.value) != "session").collect();
            return Ok(Found::Pi { version, lines });
        }
        if is_codex(value) {
            return Ok(Found::Codex(lines));
        }
        if is_claude(value) {
            return Ok(Found::ClaudeCode(lines));
        }
        if is_pi(value) {
            return Ok(headless(lines));
        }
        if is_row(value) || is_request(value) {
            return Ok(Found::OpenAi(lines));
        }
    }
    Err(describe_unknown(&lines, body))
}

/// The end of a pi session without its beginning.
fn headless(mut lines: Vec<Line>) -> Found {
    let number = lines.first().map_or(1, |line| line.number);
    let ids = lines.iter().any(|line| line.value.get("parentId").is_some());
    let version = if ids { 3.0 } else { 1.0 };
    let mut header = Object::from_iter([("type", "session"), ("id", "headless")]);
    header.insert("version", version);
    lines.insert(0, Line { number, value: header.into() });
    Found::Pi { version: version as u8, lines }
}

fn is_pi(value: &Value) -> bool {
    match kind(value) {
        "message" => {
            value.get("message").is_some_and(|message| message.get("role").is_some())
                && value.get("timestamp").is_some()
                && value.get("uuid").is_none()
        }
        "compaction" | "model_change" | "thinking_level_change" | "custom_message" | "context_edit" => {
            value.get("timestamp").is_some()
        }
        _ => false,
    }
}

fn is_claude(value: &Value) -> bool {
    value.get("uuid").is_some() && (value.get("parentUuid").is_some() || value.get("sessionId").is_some())
        || matches!(
            kind(value),
            "file-history-snapshot" | "queue-operation" | "last-prompt" | "custom-title" | "permission-mode"
        )
        || kind(value) == "summary" && value.get("leafUuid").is_some()
}

fn is_codex(value: &Value) -> bool {
    let recorded = matches!(kind(value), "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted");
    recorded && value.get("payload").is_some()
        || value.get("record_type").is_some()
        // Before September 2025: the items themselves, behind a line without a type.
        || value.get("instructions").is_some() && value.get("id").is_some() && value.get("timestamp").is_some()
        || matches!(kind(value), "function_call" | "function_call_output" | "reasoning") && value.get("role").is_none()
}

/// A chat message as the API has it.
fn is_row(value: &Value) -> bool {
    matches!(text(value, "role"), "system" | "developer" | "user" | "assistant" | "tool" | "function")
        && ["content", "tool_calls", "function_call"].iter().any(|key| value.get(key).is_some())
        && value.get("uuid").is_none()
}

/// The body of a request, alone or as a log keeps it.
fn is_request(value: &Value) -> bool {
    value.get("messages").and_then(Value::as_array).is_some_and(|messages| messages.iter().any(is_row))
        || ["body", "request"].iter().any(|key| value.get(key).is_some_and(|body| body.get("messages").is_some()))
}

/// What is no text at all.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    const SIGNS: [(&[u8], &str); 9] = [
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"RIFF", "a picture or sound in a RIFF file"),
        (b"%PDF", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive; unpack it first"),
        (b"\x1f\x8b", "a gzip archive; unpack it first"),
        (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
        (b"SQLite format 3\0", "an SQLite database"),
    ];
    let known = SIGNS.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|(_, name)| *name);
    known.or_else(|| {
        let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let start = &bytes[..bytes.len().min(1_024)];
        match (utf16, start.contains(&0)) {
            (true, _) => Some("text in UTF-16; save it as UTF-8"),
            (_, true) => Some("bytes that are no text"),
            _ => None,
        }
    })
}

fn describe_broken(body: &[u8], error: &ParseError) -> String {
    let start = quote(body);
    match (error, body.first()) {
        (ParseError::TooDeep, _) => format!("JSON {error}"),
        (ParseError::Unfinished, Some(b'{' | b'[')) => {
            format!("JSON that ends in the middle of a value; it begins with {start}")
        }
        (ParseError::Syntax(reason), Some(b'{' | b'[')) => {
            format!("broken JSON ({reason}); it begins with {start}")
        }
        _ => format!("text that is no JSON; it begins with {start}"),
    }
}

fn quote(body: &[u8]) -> String {
    let head = String::from_utf8_lossy(&body[..body.len().min(QUOTE * 4)]);
    format!("{:?}", head.chars().take(QUOTE).collect::<String>())
}

fn describe_unknown(lines: &[Line], body: &[u8]) -> String {
    match lines.first().map(|line| &line.value) {
        None => format!("no line of JSON; it begins with {}", quote(body)),
        Some(Value::Object(object)) if object.is_empty() => "an empty JSON object".to_owned(),
        Some(Value::Object(object)) => {
            let keys: Vec<String> = object.keys().take(6).map(|key| format!("{:.30}", key.to_string())).collect();
            let more = if object.len() > keys.len() { ", ..." } else { "" };
            format!("another program's JSON, with the keys {}{more}", keys.join(", "))
        }
        Some(Value::Array(items)) if items.is_empty() => "an empty JSON array".to_owned(),
        Some(Value::Array(_)) => "a JSON array of something else".to_owned(),
        Some(Value::String(_)) => "a JSON string".to_owned(),
        Some(_) => "a single JSON value".to_owned(),
    }
}
