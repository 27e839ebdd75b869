//! `JSON.stringify`.

use super::{JsText, Value};

/// Writes `value` as `JSON.stringify(value)` does. The result is well formed: lone surrogates come out as `\udXXX`.
pub fn stringify(value: &Value) -> String {
    let mut out = String::new();
    write(value, None, &mut out);
    out
}

/// `JSON.stringify(value, null, 2)`.
pub fn stringify_pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, Some(0), &mut out);
    out
}

/// `JSON.stringify(value).length` in UTF-16 units, without building the text.
pub fn stringify_len(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(value) => 5 - usize::from(*value),
        Value::Number(number) => number_text(*number, &mut ryu_js::Buffer::new()).len(),
        Value::String(text) => quoted_len(text),
        Value::Array(items) => items.iter().map(|item| stringify_len(item) + 1).sum::<usize>().max(1) + 1,
        Value::Object(object) => {
            object.iter().map(|(key, value)| quoted_len(key) + stringify_len(value) + 2).sum::<usize>().max(1) + 1
        }
    }
}

/// `depth`: how deep the value stands, where it is indented.
fn write(value: &Value, depth: Option<usize>, out: &mut String) {
    let inside = depth.map(|depth| depth + 1);
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(number_text(*number, &mut ryu_js::Buffer::new())),
        Value::String(text) => write_quoted(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                break_line(inside, out);
                write(item, inside, out);
            }
            break_line(depth.filter(|_| !items.is_empty()), out);
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                break_line(inside, out);
                write_quoted(key, out);
                out.push_str(if depth.is_some() { ": " } else { ":" });
                write(value, inside, out);
            }
            break_line(depth.filter(|_| !object.is_empty()), out);
            out.push('}');
        }
    }
}

fn break_line(depth: Option<usize>, out: &mut String) {
    if let Some(depth) = depth {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

fn number_text(number: f64, buffer: &mut ryu_js::Buffer) -> &str {
    if number.is_finite() { buffer.format_finite(number) } else { "null" }
}

fn write_quoted(text: &JsText, out: &mut String) {
    out.push('"');
    if let Some(text) = text.as_str() {
        write_escaped(text, out);
    } else {
        for decoded in char::decode_utf16(text.as_units().unwrap_or(&[]).iter().copied()) {
            match decoded {
                Ok(c) => write_escaped(c.encode_utf8(&mut [0; 4]), out),
                Err(lone) => write_unit(lone.unpaired_surrogate(), out),
            }
        }
    }
    out.push('"');
}

fn write_escaped(text: &str, out: &mut String) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if extra_units(byte) == 0 {
            continue;
        }
        out.push_str(&text[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            _ => write_unit(byte.into(), out),
        }
    }
    out.push_str(&text[plain..]);
}

/// A unit as four hex digits.
fn write_unit(unit: u16, out: &mut String) {
    out.push_str("\\u");
    out.extend([12, 8, 4, 0].map(|shift| char::from_digit(u32::from(unit >> shift & 0xF), 16).unwrap_or('0')));
}

/// How much longer escaping makes a character that begins with this byte: `\u001f` for a control, two signs for five of
/// them, quote and backslash. Without branches and in a byte, so that sums over long text are vectorized.
fn extra_units(byte: u8) -> u8 {
    let control = u8::from(byte < 0x20);
    let short = u8::from(matches!(byte, 0x08 | b'\t' | b'\n' | 0x0C | b'\r'));
    let marked = u8::from(byte == b'"') + u8::from(byte == b'\\');
    control * 5 - short * 4 + marked
}

fn quoted_len(text: &JsText) -> usize {
    let extra: usize = if let Some(text) = text.as_str() {
        // 32 times five is the most that fits a byte.
        text.as_bytes().chunks(32).map(|part| usize::from(part.iter().map(|&byte| extra_units(byte)).sum::<u8>())).sum()
    } else {
        char::decode_utf16(text.as_units().unwrap_or(&[]).iter().copied())
            .map(|decoded| decoded.map_or(5, |c| u8::try_from(c).map_or(0, extra_units).into()))
            .sum()
    };
    text.utf16_len() + extra + 2
}
