//! Policies made of rules, and calls for them: what `rules` measures. Everything here is made from
//! numbers, so that two runs measure the same.

use hookward_policy::{Handler, Snapshot};
use hookward_rules::Rule;
use serde_json::{Value, json};

/// A rule that denies, with these fields.
pub(super) fn rule(id: &str, mut fields: Value) -> Value {
    for (name, value) in [
        ("id", id),
        ("type", "rule"),
        ("decision", "deny"),
        ("reason", "Not here."),
    ] {
        fields[name] = json!(value);
    }
    fields
}

/// Rules as people write them, over programs, files and hosts. All look at a typical shell call, and
/// none objects to it.
pub(super) fn some_rules(count: u32) -> Vec<Value> {
    let fields = |at: u32| match at % 5 {
        0 => json!({"exec": format!("git push-{at}")}),
        1 => json!({"write": [format!("secrets-{at}/**"), "*.pem"]}),
        2 => json!({"exec": ["cargo publish", "tail -f"], "when": "now.getHours() >= 18"}),
        3 => json!({"network": [format!("*.host-{at}.example")]}),
        _ => json!({"delete": ["${project}/**", "!${project}/target/**"]}),
    };
    let numbered = |at| rule(&format!("rule-{at}"), fields(at));
    (0..count).map(numbered).collect()
}

/// Rules over programs that no call starts.
pub(super) fn strange_rules(count: u32) -> Vec<Value> {
    let fields = |at: u32| json!({"exec": format!("unheard-of-{at} deploy"), "write": format!("/srv/{at}/**")});
    let numbered = |at| rule(&format!("rule-{at}"), fields(at));
    (0..count).map(numbered).collect()
}

/// The rules of a snapshot.
pub(super) fn compiled(snapshot: &Snapshot) -> Vec<Rule> {
    let rules = snapshot
        .hooks()
        .iter()
        .filter_map(|hook| match &hook.handler {
            Handler::Rule(handler) => handler.rule.clone(),
            Handler::Command(_) => None,
        });
    rules.collect()
}

/// A shell text of about 2 KB with functions, loops, pipelines and redirections.
pub(super) fn long_text() -> String {
    let block = |at: u32| {
        format!(
            "build_{at}() {{\n  local out=target/{at}\n  mkdir -p \"$out\" && cd crates/part-{at}\n  \
             if [ -f Cargo.toml ]; then\n    cargo build --release 2>&1 | tee ../log-{at} | tail -n 5\n  \
             else\n    echo \"nothing in $out\" >&2\n  fi\n}}\nfor f in src/*.rs; do\n  \
             grep -n 'TODO' \"$f\" | sed -e 's/^/{at}: /' >> todo.txt\ndone\nbuild_{at} || exit 1\n"
        )
    };
    (0..5).map(block).collect()
}

/// One line of a history of calls.
pub(super) fn history_line(at: u32) -> String {
    let (tool, input) = match at % 4 {
        0 => ("Read", json!({"file_path": format!("src/part-{at}.rs")})),
        1 => (
            "Edit",
            json!({"file_path": format!("src/part-{at}.rs"), "old_string": "a", "new_string": "b"}),
        ),
        2 => (
            "Bash",
            json!({"command": format!("cargo test -p part-{at} 2>&1 | tail -n 40")}),
        ),
        _ => (
            "Bash",
            json!({"command": "git status --short && git diff --stat"}),
        ),
    };
    let session = format!("session-{}", at / 200);
    format!(
        "{}\n",
        json!({"tool": tool, "input": input, "session": session})
    )
}
