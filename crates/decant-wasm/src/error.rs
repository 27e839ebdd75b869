//! Errors as JavaScript has them: an `Error` with a stable `code`.

use js_sys::{Error, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// An error with this code and message.
pub fn coded(code: &str, message: &str) -> Error {
    let error = Error::new(message);
    let _ = Reflect::set(&error, &"code".into(), &code.into());
    error
}

/// Something that the JavaScript half threw: a message that is not one, a getter that fails.
#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
pub fn boundary_error(thrown: JsValue) -> Error {
    let text = thrown.dyn_ref::<Error>().map_or_else(|| format!("{thrown:?}"), |error| String::from(error.message()));
    coded("unreadable-input", &format!("could not read what pi handed over: {text}"))
}

/// A serializable value as the plain object that TypeScript knows as `T`.
pub fn to_js<V: Serialize + ?Sized, T: JsCast>(value: &V) -> Result<T, Error> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    let object = value.serialize(&serializer).map_err(|error| coded("unwritable-output", &error.to_string()))?;
    Ok(object.unchecked_into())
}
