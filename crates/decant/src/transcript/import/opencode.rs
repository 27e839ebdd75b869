use super::writer::Writer;
use crate::json::Value;
pub fn import(_d: &Value, _writer: &mut Writer) -> Option<String> {
    None
}
