//! One rule about a file, a host or a server holds against every tool that could touch it.

mod support;

use serde_json::{Value, json};
use support::Verdict::{self, Allow, Ask, Deny};
use support::{Disk, call, judge, rule_text};

/// What a rule over `hooks.json` and `.env` says: they may not be written or deleted.
fn protected(tool: &str, input: &Value) -> Verdict {
    let files = || vec![".env".to_owned(), "/w/hooks.json".to_owned()];
    let mut writes = rule_text();
    writes.write = files();
    let mut deletes = rule_text();
    deletes.delete = files();
    let disk = Disk::new().link("/w/link", "/w/hooks.json");
    let call = call(tool, input);
    judge(&disk, &writes, &call).max(judge(&disk, &deletes, &call))
}

const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** Add File: b.txt\n+z\n\
                     *** Delete File: c.txt\n*** Update File: .env\n@@\n-x\n+y\n*** End Patch\n";

/// Cases B115, B119, B121 and B123: whatever tool writes the file, and wherever its name stands.
#[test]
fn b115_b119_b121_b123_one_rule_for_all_writers() {
    for (tool, input) in [
        ("Write", json!({"file_path": ".env", "content": ""})),
        ("Write", json!({"file_path": "link", "content": ""})),
        ("Edit", json!({"file_path": "/w/a/../hooks.json"})),
        ("NotebookEdit", json!({"notebook_path": "hooks.json"})),
        ("replace", json!({"file_path": "sub/.env"})),
        ("move_file", json!({"source": ".env", "destination": "x"})),
        ("move_file", json!({"source": "x", "destination": ".env"})),
        ("delete_file", json!({"path": "hooks.json"})),
        ("apply_patch", json!({"input": PATCH})),
        ("apply_patch", json!({"command": ["apply_patch", PATCH]})),
        ("apply_patch", json!(PATCH)),
        (
            "apply_patch",
            json!({"patch": "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n"}),
        ),
        (
            "mcp__x__download",
            json!({"path": "/v1/y", "outputPath": "hooks.json"}),
        ),
        (
            "mcp__x__save",
            json!({"to": [{"where": "file:///w/hooks.json"}]}),
        ),
        ("save_it", json!({"files": {"./.env": "x"}})),
        (
            "Batch",
            json!({"calls": [
                {"tool": "Read", "input": {"file_path": "a"}},
                {"tool": "Write", "input": {"file_path": ".env", "content": ""}},
            ]}),
        ),
    ] {
        assert_eq!(protected(tool, &input), Deny, "{tool} {input}");
    }
}

/// What a rule does not mean it lets pass: a guard that cries wolf is switched off.
#[test]
fn honest_calls_pass() {
    for (tool, input) in [
        ("Read", json!({"file_path": ".env"})),
        (
            "Write",
            json!({"file_path": "a", "content": ".env hooks.json /w/hooks.json"}),
        ),
        (
            "Edit",
            json!({"file_path": "a", "old_string": ".env", "new_string": "hooks.json"}),
        ),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Add File: a\n+*** Delete File: .env\n"}),
        ),
        ("mcp__x__read_file", json!({"path": ".env"})),
        (
            "mcp__x__post",
            json!({"text": "Please look at .env and hooks.json"}),
        ),
        ("TodoWrite", json!({"todos": [{"content": ".env"}]})),
        ("Agent", json!({"prompt": "write .env"})),
        ("WebFetch", json!({"url": "https://a.example/.env"})),
        ("Grep", json!({"pattern": ".env"})),
    ] {
        assert_eq!(protected(tool, &input), Allow, "{tool} {input}");
    }
}

/// What cannot be known is asked about, never let pass.
#[test]
fn b117_what_cannot_be_known_is_asked_about() {
    for (tool, input) in [
        ("ExecInput", json!({"id": 1, "data": "x"})),
        ("exec", json!({"code": "await tools.Write({})"})),
        ("PowerShell", json!({"command": "x"})),
        ("computer", json!({"action": "type", "text": "x"})),
        ("Write", json!({"file_path": 7})),
        ("Write", json!({"file_path": "~root/x"})),
        ("apply_patch", json!({"input": "no patch"})),
        ("Batch", json!({"calls": [{"tool": 7}]})),
    ] {
        assert_eq!(protected(tool, &input), Ask, "{tool} {input}");
    }
}

#[test]
fn hosts_in_every_spelling() {
    let mut rule = rule_text();
    rule.network = vec!["evil.example".to_owned(), "127.0.0.1".to_owned()];
    for (tool, input, expected) in [
        (
            "WebFetch",
            json!({"url": "HTTPS://u:p@Evil.Example.:8443/x"}),
            Deny,
        ),
        ("WebFetch", json!({"url": "http://2130706433/"}), Deny),
        (
            "web_fetch",
            json!({"prompt": "read https://evil.example/x"}),
            Deny,
        ),
        (
            "mcp__web__get",
            json!({"a": {"b": "wss://evil.example"}}),
            Deny,
        ),
        ("frobnicate", json!({"host": "evil.example:80"}), Deny),
        (
            "WebFetch",
            json!({"url": "http://good.example\\@evil.example/"}),
            Ask,
        ),
        (
            "WebFetch",
            json!({"url": "https://good.example/evil.example"}),
            Allow,
        ),
    ] {
        let verdict = judge(&Disk::new(), &rule, &call(tool, &input));
        assert_eq!(verdict, expected, "{tool} {input}");
    }
}

/// Case B109: a server's name that holds the separator hides no server.
#[test]
fn b109_servers_are_whole_names() {
    let mut rule = rule_text();
    rule.mcp = vec!["a/*".to_owned()];
    for (tool, expected) in [
        ("mcp__a__b", Deny),
        ("mcp__a__b__c", Deny),
        ("mcp__ab__c", Allow),
        ("mcp__b__a", Allow),
    ] {
        let verdict = judge(&Disk::new(), &rule, &call(tool, &json!({})));
        assert_eq!(verdict, expected, "{tool}");
    }
}
