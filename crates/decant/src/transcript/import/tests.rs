use super::*;
use crate::json::stringify;

fn import(text: &str) -> Imported {
    read(text.as_bytes(), &mut |_| true).expect("a transcript")
}

fn found(bytes: &[u8]) -> String {
    match read(bytes, &mut |_| true).expect_err("no transcript") {
        ImportError::NotATranscript { found } => found,
        other => other.to_string(),
    }
}

/// Role, and content or what it answers, of the messages of the newest branch.
fn messages(imported: &Imported) -> Vec<String> {
    let leaf = imported.transcript.leaf().expect("an entry").id.to_string();
    let projected = imported.transcript.projection(&leaf);
    let line = |message: &Value| {
        let call = text(message, "toolCallId");
        let content = message.get("content").or_else(|| message.get("summary")).map(stringify).unwrap_or_default();
        let error = if message.get("isError").and_then(Value::as_bool) == Some(true) { " failed" } else { "" };
        format!("{}{}{call}{error} {content}", text(message, "role"), if call.is_empty() { "" } else { " " })
    };
    projected.iter().map(|one| line(&one.message)).collect()
}

#[test]
fn claude_code_is_read_with_calls_made_at_once_a_rewind_and_a_compaction() {
    let text = r#"
{"type":"summary","summary":"The title","leafUuid":"x"}
{"type":"file-history-snapshot","messageId":"m"}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","cwd":"/w","timestamp":"2026-01-05T09:00:00.000Z","message":{"role":"user","content":"go"}}
{"type":"progress","uuid":"p1","parentUuid":"u1","sessionId":"s"}
{"type":"assistant","uuid":"a1","parentUuid":"p1","sessionId":"s","timestamp":"2026-01-05T09:00:01.000Z","message":{"id":"r1","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"sig"}],"usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"assistant","uuid":"a2","parentUuid":"a1","sessionId":"s","message":{"id":"r1","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"a"}}],"usage":{"input_tokens":1,"output_tokens":9}}}
{"type":"assistant","uuid":"a3","parentUuid":"a2","sessionId":"s","message":{"id":"r1","role":"assistant","content":[{"type":"tool_use","id":"c2","name":"Read","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":20}}}
{"type":"user","uuid":"t1","parentUuid":"a2","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"}]}}
{"type":"user","uuid":"t2","parentUuid":"a3","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":[{"type":"text","text":"two"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}]}}
{"type":"user","uuid":"q","isSidechain":true,"parentUuid":null,"sessionId":"s","message":{"role":"user","content":"sub"}}
{"type":"assistant","uuid":"a4","parentUuid":"t1","sessionId":"s","message":{"id":"r2","role":"assistant","content":[{"type":"text","text":"done"}]}}
{"type":"user","uuid":"u2","parentUuid":"a4","sessionId":"s","message":{"role":"user","content":"no"}}
{"type":"user","uuid":"u3","parentUuid":"a4","sessionId":"s","message":{"role":"user","content":"yes"}}
{"type":"assistant","uuid":"a5","parentUuid":"u3","sessionId":"s","isApiErrorMessage":true,"message":{"role":"assistant","model":"<synthetic>","content":[]}}
"#;
    let imported = import(text);
    assert_eq!((imported.format.name(), imported.title.as_deref()), ("claude-code", Some("The title")));
    let first = [
        r#"user [{"type":"text","text":"go"}]"#,
        concat!(
            r#"assistant [{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},"#,
            r#"{"type":"toolCall","id":"c1","name":"Read","arguments":{"file_path":"a"}},"#,
            r#"{"type":"toolCall","id":"c2","name":"Read","arguments":{}}]"#
        ),
        r#"toolResult c1 [{"type":"text","text":"one"}]"#,
        r#"toolResult c2 failed [{"type":"text","text":"two"},{"type":"image","data":"AA==","mimeType":"image/png"}]"#,
        r#"assistant [{"type":"text","text":"done"}]"#,
    ];
    let branch = messages(&imported);
    assert_eq!(branch[..5], first);
    assert_eq!(branch[5..], [r#"user [{"type":"text","text":"yes"}]"#]);
    assert_eq!(imported.transcript.leaves().len(), 2, "the rewind");
    let counted: Vec<(&str, u32)> = imported.not_understood.iter().map(|one| (one.what.as_str(), one.count)).collect();
    assert_eq!(
        counted,
        [
            ("line of type \"file-history-snapshot\"", 1),
            ("line of type \"progress\"", 1),
            ("message of a sub-agent's side chain", 1),
            ("reply that Claude Code made itself (an error of the API)", 1),
        ]
    );
    let compacted = format!(
        "{text}{}\n{}\n{}",
        r#"{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"u3","sessionId":"s","compactMetadata":{"preTokens":9}}"#,
        r#"{"type":"user","uuid":"u4","parentUuid":"b","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"all of it"}}"#,
        r#"{"type":"user","uuid":"u5","parentUuid":"u4","sessionId":"s","message":{"role":"user","content":"on"}}"#
    );
    assert_eq!(
        messages(&import(&compacted)),
        ["compactionSummary \"all of it\"", r#"user [{"type":"text","text":"on"}]"#]
    );
}

#[test]
fn codex_is_read_in_both_forms() {
    let text = r#"
{"timestamp":"2026-01-05T09:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w","base_instructions":{"text":"be good"}}}
{"timestamp":"2026-01-05T09:00:00.000Z","type":"turn_context","payload":{"model":"gpt-x"}}
{"timestamp":"2026-01-05T09:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}}
{"timestamp":"2026-01-05T09:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"go"}}
{"timestamp":"2026-01-05T09:00:02.000Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"content":null,"encrypted_content":"zzz"}}
{"timestamp":"2026-01-05T09:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}
{"timestamp":"2026-01-05T09:00:03.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** x","call_id":"c2"}}
{"timestamp":"2026-01-05T09:00:03.500Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":7}}}}
{"timestamp":"2026-01-05T09:00:04.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nProcess exited with code 2\nOutput:\nno"}}
{"timestamp":"2026-01-05T09:00:04.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}"}}
{"timestamp":"2026-01-05T09:00:05.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}
{"timestamp":"2026-01-05T09:00:06.000Z","type":"response_item","payload":{"type":"ghost_snapshot"}}
"#;
    let imported = import(text);
    assert_eq!(imported.format, Format::Codex);
    assert_eq!(
        messages(&imported),
        [
            r#"system [{"type":"text","text":"be good"}]"#,
            r#"user [{"type":"text","text":"go"},{"type":"image","data":"AA==","mimeType":"image/png"}]"#,
            concat!(
                r#"assistant [{"type":"thinking","thinking":"hm","thinkingSignature":"zzz"},"#,
                r#"{"type":"toolCall","id":"c1","name":"shell","arguments":{"cmd":"ls"}},"#,
                r#"{"type":"toolCall","id":"c2","name":"apply_patch","arguments":{"input":"*** x"}}]"#
            ),
            r#"toolResult c1 failed [{"type":"text","text":"Chunk ID: 1\nProcess exited with code 2\nOutput:\nno"}]"#,
            r#"toolResult c2 [{"type":"text","text":"{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}"}]"#,
            r#"assistant [{"type":"text","text":"done"}]"#,
        ]
    );
    let reply = imported.transcript.entries[2].value.get("message").expect("a message");
    let usage = reply.get("usage").expect("usage");
    let number = |key: &str| usage.get(key).and_then(Value::as_f64).map(|number| number as u32);
    assert_eq!((number("input"), number("cacheRead"), number("output")), (Some(40), Some(60), Some(7)));
    assert_eq!(text_of(reply, "model"), "gpt-x");
    let old = r#"{"id":"s","timestamp":"2025-05-05T09:00:00.000Z","instructions":"be good"}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}
{"type":"compacted","message":"so far"}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}"#;
    assert_eq!(
        messages(&import(old)),
        [r#"compactionSummary "so far""#, r#"assistant [{"type":"text","text":"done"}]"#]
    );
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    text(value, key)
}

#[test]
fn opencode_is_read_step_by_step() {
    let document = r#"{
  "info": { "id": "ses_1", "title": "Ferry", "directory": "/w" },
  "messages": [
    { "info": { "id": "m1", "role": "user", "time": { "created": 1000 } },
      "parts": [ { "type": "text", "text": "go" }, { "type": "file", "mime": "image/png", "url": "data:image/png;base64,AA==" } ] },
    { "info": { "id": "m2", "role": "assistant", "time": { "created": 2000 }, "modelID": "claude-x", "providerID": "anthropic" },
      "parts": [
        { "type": "step-start" },
        { "type": "reasoning", "text": "hm" },
        { "type": "tool", "callID": "c1", "tool": "read", "state": { "status": "completed", "input": { "filePath": "a" }, "output": "one", "time": { "start": 1, "end": 2500 } } },
        { "type": "tool", "callID": "c2", "tool": "bash", "state": { "status": "error", "input": {}, "error": "no" } },
        { "type": "step-finish", "tokens": { "input": 5, "output": 6, "reasoning": 1, "cache": { "read": 2, "write": 3 } } },
        { "type": "step-start" },
        { "type": "text", "text": "done" },
        { "type": "patch" }
      ] }
  ]
}"#;
    let imported = import(document);
    assert_eq!((imported.format.name(), imported.title.as_deref()), ("opencode", Some("Ferry")));
    assert_eq!(
        messages(&imported),
        [
            r#"user [{"type":"text","text":"go"},{"type":"image","data":"AA==","mimeType":"image/png"}]"#,
            concat!(
                r#"assistant [{"type":"thinking","thinking":"hm"},"#,
                r#"{"type":"toolCall","id":"c1","name":"read","arguments":{"filePath":"a"}},"#,
                r#"{"type":"toolCall","id":"c2","name":"bash","arguments":{}}]"#
            ),
            r#"toolResult c1 [{"type":"text","text":"one"}]"#,
            r#"toolResult c2 failed [{"type":"text","text":"no"}]"#,
            r#"assistant [{"type":"text","text":"done"}]"#,
        ]
    );
    assert_eq!(imported.not_understood, [NotUnderstood { what: "part of type \"patch\"".into(), count: 1 }]);
}

#[test]
fn chat_rows_are_read_as_an_array_as_lines_and_in_bodies() {
    let rows = [
        r#"{"role":"system","content":"be good"}"#,
        r#"{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}"#,
        r#"{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"a\":1}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"c1","content":"one"}"#,
        r#"{"role":"assistant","content":"done"}"#,
    ];
    let expected = [
        r#"system [{"type":"text","text":"be good"}]"#,
        r#"user [{"type":"text","text":"go"},{"type":"image","data":"AA==","mimeType":"image/png"}]"#,
        r#"assistant [{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"c1","name":"ls","arguments":{"a":1}}]"#,
        r#"toolResult c1 [{"type":"text","text":"one"}]"#,
        r#"assistant [{"type":"text","text":"done"}]"#,
    ];
    let body = |rows: &[&str]| format!(r#"{{"model":"m","messages":[{}]}}"#, rows.join(","));
    for text in [
        format!("[{}]", rows.join(",\n")),
        rows.join("\n"),
        body(&rows),
        format!("{}\n{}", body(&rows[..2]), body(&rows)),
        format!("{{\"time\":1,\"request\":{}}}", body(&rows)),
    ] {
        let imported = import(&text);
        assert_eq!(imported.format, Format::OpenAi);
        assert_eq!(messages(&imported), expected);
    }
    let anthropic = r#"{"model":"claude-x","system":"be good","tools":[{"name":"ls"}],"messages":[
        {"role":"user","content":"go"},
        {"role":"assistant","content":[{"type":"text","text":"yes"},{"type":"tool_use","id":"c1","name":"ls","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"}]}]}"#;
    assert_eq!(
        messages(&import(anthropic)),
        [
            r#"system [{"type":"text","text":"be good"}]"#,
            r#"user [{"type":"text","text":"go"}]"#,
            r#"assistant [{"type":"text","text":"yes"},{"type":"toolCall","id":"c1","name":"ls","arguments":{}}]"#,
            r#"toolResult c1 [{"type":"text","text":"one"}]"#,
        ]
    );
}

#[test]
fn pi_is_read_with_and_without_its_beginning() {
    let header = r#"{"type":"session","version":2,"id":"s"}"#;
    let message = r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z","message":{"role":"user","content":"go"}}"#;
    let name =
        r#"{"type":"session_info","id":"b","parentId":"a","timestamp":"2026-01-05T09:00:00.000Z","name":"Ferry"}"#;
    let whole = import(&[header, message, name].join("\n"));
    assert_eq!((whole.format.name(), whole.title.as_deref()), ("pi-v2", Some("Ferry")));
    let torn = import(&[&message[40..], message, name].join("\n"));
    assert_eq!((torn.format.name(), messages(&torn)), ("pi-v3", vec!["user \"go\"".to_owned()]));
    assert_eq!(torn.transcript.faults.len(), 1);
}

#[test]
fn what_is_no_transcript_is_named() {
    let deep = "[".repeat(100_000);
    let closed = format!("{deep}{}", "]".repeat(100_000));
    let cases: [(&[u8], &str); 14] = [
        (b"", "nothing: the text is empty"),
        (b" \n\t", "nothing: the text is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture"),
        (b"\xff\xfeh\0i\0", "text in UTF-16; save it as UTF-8"),
        (b"\x01\x00\x02", "bytes that are no text"),
        (b"hello world", "text that is no JSON; it begins with \"hello world\""),
        (
            b"{\"messages\":[{\"role\":\"us",
            "JSON that ends in the middle of a value; it begins with \"{\\\"messages\\\":[{\\\"role\\\":\\\"us\"",
        ),
        (b"{\"name\":\"x\",\"version\":\"1\"}", "another program's JSON, with the keys name, version"),
        (b"{}", "an empty JSON object"),
        (b"[]", "an empty JSON array"),
        (b"[1,2]", "a single JSON value"),
        (b"\"x\"", "a JSON string"),
        (
            deep.as_bytes(),
            "JSON that ends in the middle of a value; it begins with \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"",
        ),
        (closed.as_bytes(), "JSON nested more than 512 levels deep"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(found(bytes), expected);
    }
    let sentence = read(b"", &mut |_| true).expect_err("nothing").to_string();
    assert!(sentence.starts_with("expected a session of pi (JSONL), Claude Code") && sentence.ends_with("is empty"));
}

#[test]
fn a_picture_or_any_bytes_never_stop_the_reader() {
    let mut state = 7_u64;
    for length in 0..300 {
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                b"{}[]\",:\n0 1aeouitypsmr\xff\\u"[(state >> 33) as usize % 25]
            })
            .collect();
        _ = read(&bytes, &mut |_| true);
    }
}
