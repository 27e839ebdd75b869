//! Law 9 against the judge itself: `JSON.stringify(JSON.parse(line))`, its length and the same indented, by a real node.

use std::io::Write;
use std::process::{Command, Stdio};

use decant::json::{Value, parse, stringify, stringify_len, stringify_pretty};

const AWKWARD: &[&str] = &[
    "1.0",
    "-0",
    "-0.0",
    "0e5",
    "9007199254740993",
    "9007199254740995",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "1e400",
    "-1e400",
    "1e-400",
    "4.9e-324",
    "2.4703282292062327e-324",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1e999999999999999999999",
    "0.1",
    "1e21",
    "1e20",
    "123456789012345678901234567890",
    "1e-7",
    "0.000001",
    "5e-324",
    "8.41e21",
    "7.2057594037927933e16",
    "[1e400,-0]",
    "{\"2\":1,\"1\":2}",
    "{\"b\":1,\"a\":2,\"b\":3}",
    "{\"4294967294\":1,\"4294967295\":2,\"a\":3,\"0\":4,\"00\":5,\"-1\":6,\"1.5\":7,\"+2\":8,\" 3\":9,\"\":10}",
    "{\"x\":1,\"18446744073709551616\":2,\"5\":3}",
    "{\"__proto__\":{\"a\":1},\"constructor\":2,\"toString\":3}",
    "{\"__proto__\":1,\"__proto__\":2}",
    "\"\\ud83d\"",
    "\"\\ude00\\ud83d\"",
    "\"\\ud83d\\ud83d\\ude00\"",
    "\"\\uD83D\\uDE00\"",
    "\"\\ud83dx\"",
    "{\"\\ud83d\":\"\\udfff\",\"\\ud83d\":2}",
    "\"\\u0000\\u001f\\u007f\\u2028\\ufeff\"",
    "\"\\b\\f\\n\\r\\t\\/\\\\\\\"\"",
    "\"\u{7f}\u{80}\u{2028}\u{2029}\u{fffe}\u{ffff}\u{10ffff}\"",
    " [ 1 , 2 ] ",
    "\t{}\r",
    "[]",
    "{}",
    "[[[[[[]]]]]]",
    "{\"a\":[],\"b\":{},\"c\":[{\"d\":[1,{\"e\":null}]},2]}",
    "null",
    "true",
    "falsee",
    "",
    "01",
    "1.",
    ".5",
    "+1",
    "-",
    "1e",
    "NaN",
    "Infinity",
    "'a'",
    "[1,]",
    "{\"a\":1,}",
    "{a:1}",
    "{\"a\"}",
    "\"\\x41\"",
    "\"\\u12\"",
    "\"\\u{41}\"",
    "\"a",
    "[1 2]",
    "{}{}",
    "\u{feff}{}",
    "\u{a0}1",
    "\u{b}1",
    "\"\t\"",
    "\"\u{0}\"",
    "//c",
    "1//c",
    "[\"\\ud800\",{\"a\":[{\"b\":\"\\udc00\",\"1\":1e999}]}]",
];

const JUDGE: &str = r#"
const lines = require("node:fs").readFileSync(0, "utf8").split("\n");
const answer = (line) => { try { const v = JSON.parse(line); const s = JSON.stringify(v); return s.length + " " + s + JSON.stringify(JSON.stringify(v, null, 2)); } catch { return "error"; } };
process.stdout.write(lines.map(answer).join("\n"));
"#;

fn ours(line: &str) -> String {
    match parse(line.as_bytes()) {
        Ok(value) => {
            let indented = stringify(&Value::from(stringify_pretty(&value)));
            format!("{} {}{indented}", stringify_len(&value), stringify(&value))
        }
        Err(_) => "error".into(),
    }
}

/// Doubles from all over the range, as shortest decimals and with digits too many.
fn numbers() -> impl Iterator<Item = String> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(state ^ (state >> 29))
    })
    .filter(|number| number.is_finite())
    .flat_map(|number| [format!("{number:e}"), format!("{number:.25e}")])
    .take(2_000)
}

#[test]
fn agrees_with_node() {
    let child = Command::new("node").args(["-e", JUDGE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: no `node` on the path to compare with");
        return;
    };
    let deep = ["[".repeat(300), "]".repeat(300)].concat();
    let lines: Vec<String> = AWKWARD.iter().map(ToString::to_string).chain([deep]).chain(numbers()).collect();
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(lines.join("\n").as_bytes()).expect("node reads");
    drop(stdin);
    let output = child.wait_with_output().expect("node ends");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    let answers: Vec<&str> = answers.split('\n').collect();
    assert_eq!(answers.len(), lines.len());
    for (line, answer) in lines.iter().zip(answers) {
        assert_eq!(ours(line), answer, "{line:?}");
    }
}
