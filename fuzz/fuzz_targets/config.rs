//! `hooks.json`: what is accepted is strict JSON that a second reader understands in the same way,
//! what is refused has a reason at a place that exists, and switching a hook on or off changes
//! exactly that.

#![no_main]

use std::collections::HashSet;

use hookward_contract::{DefinitionHash, SourceKind};
use hookward_policy::{
    CommandHandler, Definition, Diagnostic, FormatVersion, Handler, Hook, MAX_DIAGNOSTICS,
    RuleHandler, Severity, fuzzing, limits,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Hooks of one file that are switched; the rest would only repeat it.
const SWITCHED: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    let user = check(bytes, SourceKind::User);
    let project = check(bytes, SourceKind::Project);
    if let Some(user) = user {
        let project = project.expect("a project may say all that a person may");
        assert_eq!(user.len(), project.len());
        assert!(
            user.iter().zip(&project).all(|(u, p)| u.hash != p.hash),
            "the source is hashed"
        );
    }
});

fn check(bytes: &[u8], source: SourceKind) -> Option<Vec<Hook>> {
    let (hooks, diagnostics) = fuzzing::hooks(bytes, source);
    check_diagnostics(bytes, &diagnostics);
    let has_error = diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(
        hooks.is_none(),
        has_error,
        "broken exactly if there is an error"
    );
    let hooks = hooks?;
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let json: Value = serde_json::from_slice(text).expect("accepted text is strict JSON");
    for diagnostic in diagnostics.iter().filter(|d| d.code.as_str() != "HW099") {
        let pointer = &diagnostic.pointer;
        assert!(json.pointer(pointer).is_some(), "no value at {pointer:?}");
    }
    check_against(&json, &hooks);
    hooks.iter().for_each(|hook| check_limits(hook, source));
    let ids: HashSet<_> = hooks.iter().map(|hook| &hook.id).collect();
    assert_eq!(ids.len(), hooks.len(), "ids are unique");
    assert!(hooks.len() <= limits::MAX_HANDLERS);
    for index in 0..hooks.len().min(SWITCHED) {
        check_switch(bytes, source, &hooks, index, &json);
    }
    Some(hooks)
}

fn check_diagnostics(bytes: &[u8], diagnostics: &[Diagnostic]) {
    assert!(diagnostics.len() <= MAX_DIAGNOSTICS + 1);
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<_> = text.split('\n').collect();
    for found in diagnostics {
        let line = lines.get(found.line as usize - 1).expect("the line exists");
        assert!(
            found.column >= 1 && found.column as usize <= line.chars().count() + 1,
            "{found:?}"
        );
        for words in [&found.message, &found.help] {
            assert!(!words.chars().any(char::is_control), "{words:?}");
            assert!(words.chars().count() < 1_000, "{words:?}");
        }
        assert!(!found.message.is_empty());
    }
}

/// The hooks are what a plain JSON reader finds in the text, in its order.
fn check_against(json: &Value, hooks: &[Hook]) {
    let number = if json["version"] == 1 {
        FormatVersion::V1
    } else {
        FormatVersion::V2
    };
    let events = json["hooks"].as_object().expect("`hooks` is an object");
    let groups = events
        .values()
        .flat_map(|groups| groups.as_array().expect("a list of groups"));
    let mut hooks = hooks.iter();
    for group in groups {
        for handler in group["hooks"].as_array().expect("a list of handlers") {
            let hook = hooks.next().expect("every handler is a hook");
            let text = |field: &str, default: &'static str| {
                handler
                    .get(field)
                    .map_or(default, |value| value.as_str().expect("a text"))
                    .to_owned()
            };
            assert_eq!(hook.format, number);
            assert_eq!(hook.id.as_str(), text("id", ""));
            assert_eq!(hook.handler.kind(), text("type", ""));
            assert_eq!(hook.mode.as_str(), text("mode", "enforce"));
            match &hook.handler {
                Handler::Command(command) => {
                    assert_eq!(hook.on_failure.as_str(), text("onFailure", "continue"));
                    check_command(handler, command);
                }
                Handler::Rule(rule) => {
                    assert_eq!(hook.on_failure.as_str(), text("onFailure", "block"));
                    check_rule(handler, rule);
                }
            }
            let tests = handler
                .get("tests")
                .map_or(0, |t| t.as_array().unwrap().len());
            assert_eq!(hook.tests().len(), tests);
            assert_eq!(
                hook.matcher.as_str(),
                group.get("matcher").map_or("*", |m| m.as_str().unwrap())
            );
            assert_eq!(
                hook.enabled,
                handler.get("enabled").is_none_or(|value| value == true)
            );
            assert_eq!(
                hook.description.as_deref(),
                handler.get("description").map(|d| d.as_str().unwrap())
            );
        }
    }
    assert!(hooks.next().is_none(), "no hook without a handler");
}

fn check_command(handler: &Value, command: &CommandHandler) {
    assert_eq!(
        command.written.command,
        handler["command"].as_str().unwrap()
    );
    let timeout = handler.get("timeoutMs").map_or(Some(3_000), Value::as_u64);
    assert_eq!(timeout, Some(command.timeout_ms.into()));
    let args = handler
        .get("args")
        .map_or(&[][..], |args| args.as_array().unwrap());
    let args: Vec<_> = args.iter().map(|a| a.as_str().unwrap()).collect();
    assert_eq!(command.written.args, args);
    let held = handler
        .get("containment")
        .map_or("full", |held| held.as_str().unwrap());
    assert_eq!(command.containment.as_str(), held);
}

fn check_rule(handler: &Value, rule: &RuleHandler) {
    for (field, patterns) in rule.patterns() {
        let written: Vec<_> = match handler.get(field) {
            None => Vec::new(),
            Some(Value::Array(list)) => list.iter().map(|p| p.as_str().unwrap()).collect(),
            Some(text) => vec![text.as_str().unwrap()],
        };
        assert_eq!(patterns, written, "{field}");
        assert!(patterns.len() <= limits::MAX_PATTERNS);
        assert!(
            patterns
                .iter()
                .all(|p| p.len() <= limits::MAX_PATTERN_BYTES)
        );
    }
    assert_eq!(
        rule.text.when.as_deref(),
        handler.get("when").map(|w| w.as_str().unwrap())
    );
    assert_eq!(rule.text.reason, handler["reason"].as_str().unwrap());
    assert!(rule.rule.is_some(), "what is read is compiled");
}

fn check_limits(hook: &Hook, source: SourceKind) {
    if let Some(command) = hook.command() {
        check_paths(
            hook.format == FormatVersion::V2 && source == SourceKind::Project,
            command,
        );
    }
    // The identity survives the way through a trust store.
    let read = Definition::from_canonical(&hook.definition).expect("a canonical text reads");
    assert_eq!(read.canonical(), hook.definition);
    assert_eq!(read.hash(), hook.hash);
    assert_eq!(DefinitionHash::of_definition(&hook.definition), hook.hash);
}

fn check_paths(of_project: bool, command: &CommandHandler) {
    let written = &command.written;
    assert!(
        written.command.starts_with('/')
            || (of_project && written.command.starts_with("${project}/")),
        "{}",
        written.command
    );
    assert!(command.command.is_absolute(), "{}", command.command);
    assert!(written.command.len() <= limits::MAX_COMMAND_BYTES);
    assert!(written.args.iter().map(String::len).sum::<usize>() <= limits::MAX_ARGS_BYTES);
    assert!((limits::MIN_TIMEOUT_MS..=limits::MAX_TIMEOUT_MS).contains(&command.timeout_ms));
    for (written, resolved) in written.args.iter().zip(&command.args) {
        let inside = written.strip_prefix("${project}/").filter(|_| of_project);
        match inside {
            Some(rest) => assert_eq!(*resolved, format!("{}/{rest}", fuzzing::ROOT)),
            None => assert_eq!(written, resolved),
        }
    }
}

/// Switching one hook leaves every other thing as it was, and can be taken back.
fn check_switch(bytes: &[u8], source: SourceKind, hooks: &[Hook], index: usize, json: &Value) {
    let hook = &hooks[index];
    let switched = fuzzing::with_enabled(bytes, &hook.id, !hook.enabled)
        .expect("a hook of an accepted file can be switched");
    let (after, _) = fuzzing::hooks(&switched, source);
    let after = after.expect("the file stays in force");
    assert_eq!(after.len(), hooks.len());
    for (at, (old, new)) in hooks.iter().zip(&after).enumerate() {
        assert_eq!(new.enabled, old.enabled != (at == index));
        assert_eq!(
            (&new.id, &new.hash, &new.description),
            (&old.id, &old.hash, &old.description)
        );
    }
    let back =
        fuzzing::with_enabled(&switched, &hook.id, hook.enabled).expect("it can be switched back");
    if has_enabled(json, hook.id.as_str()) {
        assert_eq!(back, bytes, "nothing else was touched");
    } else {
        assert!(back.len() > bytes.len());
    }
}

fn has_enabled(json: &Value, id: &str) -> bool {
    let groups = json["hooks"]
        .as_object()
        .into_iter()
        .flat_map(|events| events.values());
    let handlers = groups
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(|group| group["hooks"].as_array())
        .flatten();
    handlers
        .into_iter()
        .any(|handler| handler["id"] == id && handler.get("enabled").is_some())
}
