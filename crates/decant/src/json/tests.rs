use proptest::prelude::*;

use super::*;

fn round(text: &str) -> String {
    stringify(&parse(text.as_bytes()).expect(text))
}

#[test]
fn numbers_are_javascripts() {
    for (text, expected) in [
        ("1.0", "1"),
        ("-0", "0"),
        ("9007199254740993", "9007199254740992"),
        ("18446744073709551617", "18446744073709552000"),
        ("1e400", "null"),
        ("[-1e400,1e-400]", "[null,0]"),
        ("1e99999999999999999999", "null"),
        ("1e21", "1e+21"),
        ("123e-20", "1.23e-18"),
    ] {
        assert_eq!(round(text), expected, "{text}");
    }
    assert_eq!(parse(b"1e400"), Ok(Value::Number(f64::INFINITY)));
    assert!(matches!(parse(b"-0"), Ok(Value::Number(zero)) if zero.is_sign_negative()));
}

#[test]
fn keys_are_in_javascripts_order() {
    assert_eq!(
        round(r#"{"b":1,"10":2,"a":3,"9":4,"b":5,"01":6,"-1":7}"#),
        r#"{"9":4,"10":2,"b":5,"a":3,"01":6,"-1":7}"#
    );
    assert_eq!(round(r#"{"x":1,"4294967295":2,"4294967294":3}"#), r#"{"4294967294":3,"x":1,"4294967295":2}"#);
    assert_eq!(round(r#"{"a":1,"__proto__":{"b":2}}"#), r#"{"a":1,"__proto__":{"b":2}}"#);
    let many: Vec<String> = (0..40).map(|n| format!(r#""k{}":{n}"#, n % 30)).collect();
    let object = parse(format!("{{{}}}", many.join(",")).as_bytes()).expect("good");
    assert_eq!(object.as_object().map(Object::len), Some(30));
    assert_eq!(object.get("k3"), Some(&Value::from(33.0)));
}

#[test]
fn insert_keeps_the_order() {
    let mut object = Object::from_iter([("b", "1"), ("2", "2")]);
    object.insert("1", "3");
    object.insert("a", "4");
    assert_eq!(object.insert("b", "5"), Some(Value::from("1")));
    object.insert("3", "6");
    assert_eq!(stringify(&object.clone().into()), r#"{"1":"3","2":"2","3":"6","b":"5","a":"4"}"#);
    assert_eq!(object.remove("2"), Some(Value::from("2")));
    assert_eq!(object.keys().map(JsText::to_string).collect::<Vec<_>>(), ["1", "3", "b", "a"]);
}

#[test]
fn lone_surrogates_are_kept() {
    let text = r#"{"a\ud83d":["x\ude00\ud83dy","\ud83d\ude00"],"n":1e400}"#;
    assert_eq!(round(text), r#"{"a\ud83d":["x\ude00\ud83dy","😀"],"n":null}"#);
    let value = parse(br#""\ud83d""#).expect("a good line to JavaScript");
    assert_eq!(value.as_str(), None);
    assert_eq!(value.as_text().map(JsText::utf16_len), Some(1));
    assert_eq!(value.as_text().map(JsText::to_string), Some("\u{FFFD}".into()));
}

#[test]
fn what_javascript_refuses_is_refused() {
    for text in ["", "  ", "{", "[1,]", "{\"a\":1,}", "01", "+1", "NaN", "'a'", "\"\t\"", "\"\\x\"", "1 2", "\u{feff}1"]
    {
        assert!(parse(text.as_bytes()).is_err(), "{text:?}");
    }
    assert_eq!(parse(br#"{"a":"b"#), Err(ParseError::Unfinished));
    assert!(matches!(parse(b"{\"a\":1}{"), Err(ParseError::Syntax(_))));
}

#[test]
fn bytes_that_are_no_utf8_become_replacement_characters() {
    assert_eq!(parse(b"\"a\xFFb\xED\xA0\xBD\""), Ok(Value::from("a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}")));
}

#[test]
fn deep_nesting_is_read_to_the_limit_and_refused_beyond() {
    let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(parse(&nested(MAX_DEPTH + 1)), Err(ParseError::TooDeep));
    assert_eq!(parse(&nested(1_000_000)), Err(ParseError::TooDeep));
    assert_eq!(parse(&b"[".repeat(1_000_000)), Err(ParseError::Unfinished));
}

#[test]
fn long_text_is_counted_whole() {
    for (piece, units, written) in [("\u{1}", 1, 6), ("\u{10FFFF}", 2, 2), ("\"\n", 2, 4), ("é€", 2, 2)] {
        let text = JsText::from(piece.repeat(1_000));
        assert_eq!(text.utf16_len(), units * 1_000);
        assert_eq!(stringify_len(&text.into()), written * 1_000 + 2);
    }
}

fn text() -> impl Strategy<Value = JsText> {
    let unit = prop_oneof![
        4 => 0u16..0x80,
        1 => any::<u16>(),
        1 => 0xD800u16..0xE000,
    ];
    prop::collection::vec(unit, 0..12).prop_map(|units| JsText::from_utf16(&units))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        // What JSON can hold: -0 is written as 0, infinity as null.
        any::<f64>()
            .prop_filter("finite, no -0", |n| n.is_finite() && (*n != 0.0 || n.is_sign_positive()))
            .prop_map(Value::Number),
        text().prop_map(Value::String),
    ];
    let key = prop_oneof![text(), (0u32..20).prop_map(|n| JsText::from(n.to_string()))];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..24)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn units(text: &JsText) -> Vec<u16> {
    text.as_units().map_or_else(|| text.to_string().encode_utf16().collect(), <[u16]>::to_vec)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in value()) {
        let text = stringify(&value);
        prop_assert_eq!(stringify_len(&value), text.encode_utf16().count());
        prop_assert_eq!(parse(text.as_bytes()), Ok(value));
    }

    #[test]
    fn one_by_one_or_at_once_makes_the_same_object(pairs in prop::collection::vec((text(), 0u32..9), 0..40)) {
        let mut object = Object::new();
        for (key, value) in pairs.clone() {
            object.insert(key, value);
        }
        prop_assert_eq!(object, Object::from_iter(pairs));
    }

    #[test]
    fn wtf8_and_back(text in text()) {
        prop_assert_eq!(JsText::from_wtf8(&text.to_wtf8()), text);
    }

    #[test]
    fn a_slice_is_javascripts_but_for_half_pairs(text in text(), start in 0usize..14, end in 0usize..14) {
        let all = units(&text);
        prop_assert_eq!(all.len(), text.utf16_len());
        let pair = |at: usize| at > 0 && at < all.len()
            && char::decode_utf16([all[at - 1], all[at]]).count() == 1;
        let from = start + usize::from(pair(start));
        let to = end.min(all.len());
        let to = to - usize::from(pair(to));
        let expected = all.get(from..to).unwrap_or(&[]);
        prop_assert_eq!(units(&text.slice(start..end)), expected);
    }

    #[test]
    fn good_unicode_is_read_as_serde_json_reads_it(text in "\\PC{0,20}") {
        let json = serde_json::to_string(&text).expect("writes");
        prop_assert_eq!(round(&json), json);
    }
}
