//! The JSON Schema says what the reader does.

use hookward_contract::EventName;
use hookward_policy::{Code, schema};
use serde_json::{Map, Value};

use crate::scene::{Scene, codes, file, handler, rule, with};

fn keys(value: &Value) -> Vec<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// Events, and the handlers of one version of the schema.
fn version(index: usize) -> (Vec<String>, Value) {
    let schema = schema();
    let file = &schema["oneOf"][index]["properties"];
    assert_eq!(file["version"]["const"], index + 1);
    let events = &file["hooks"]["properties"];
    let group = &events["PreToolUse"]["items"]["properties"];
    (keys(events), group["hooks"]["items"].clone())
}

fn fields(handler: &Value) -> Vec<String> {
    keys(&handler["properties"])
}

/// What the reader says about each field that some handler has, in a handler of this kind.
fn check(number: u8, base: &Value, own: &[String], all: &[String]) {
    for field in all {
        // No field takes an object, so that each is found wrong, whether it belongs there or not.
        let hook = with(base.clone(), field, Value::Object(Map::new()));
        let found = codes(&Scene::diagnose(file(number, &[hook])));
        let refused = found.contains(&Code::UnknownField) || found.contains(&Code::ForeignField);
        assert_eq!(!refused, own.contains(field), "version {number}: {field}");
        assert!(!found.is_empty());
    }
}

#[test]
fn fields_and_events_are_those_of_the_reader() {
    let (events, first) = version(0);
    let (_, second) = version(1);
    let names: Vec<_> = EventName::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(events, names);
    let [command, rule_fields] = [0, 1].map(|index| fields(&second["oneOf"][index]));
    let old = fields(&first);
    assert_eq!((old.len(), command.len(), rule_fields.len()), (6, 12, 18));
    let all = [command.clone(), rule_fields.clone()].concat();
    check(1, &handler("a"), &old, &all);
    check(2, &handler("a"), &command, &all);
    check(2, &rule("a"), &rule_fields, &all);
}

#[test]
fn fields_of_tests_are_those_of_the_reader() {
    let (_, second) = version(1);
    let test = &second["oneOf"][0]["properties"]["tests"]["items"];
    let known = fields(test);
    assert_eq!(known.len(), 8);
    for field in known.iter().map(String::as_str).chain(["other"]) {
        let mut case = Map::new();
        case.insert(field.to_owned(), Value::from(1));
        let hook = with(handler("a"), "tests", vec![Value::Object(case)]);
        let found = codes(&Scene::diagnose(file(2, &[hook])));
        let unknown = found.contains(&Code::UnknownField);
        assert_eq!(unknown, field == "other", "{field}: {found:?}");
    }
}
