//! The JSON Schema says what the reader does.

use hookward_contract::EventName;
use hookward_policy::{Code, schema};
use serde_json::Value;

use crate::scene::{Scene, codes, file, handler, with};

/// Fields and events of one version of the schema.
fn version(index: usize) -> (Vec<String>, Vec<String>) {
    let schema = schema();
    let file = &schema["oneOf"][index]["properties"];
    assert_eq!(file["version"]["const"], index + 1);
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let events = &file["hooks"]["properties"];
    let group = &events["PreToolUse"]["items"]["properties"];
    (keys(&group["hooks"]["items"]["properties"]), keys(events))
}

#[test]
fn fields_and_events_are_those_of_the_reader() {
    let (fields_1, events) = version(0);
    let (fields_2, _) = version(1);
    assert_eq!(
        events,
        EventName::ALL
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    );
    assert_eq!((fields_1.len(), fields_2.len()), (6, 8));
    for field in &fields_2 {
        // No field takes an object, so that each is found wrong unless it is unknown.
        let hook = with(handler("a"), field, Value::Object(serde_json::Map::new()));
        for (number, fields) in [(1, &fields_1), (2, &fields_2)] {
            let found = codes(&Scene::diagnose(file(number, std::slice::from_ref(&hook))));
            let unknown = found.contains(&Code::UnknownField);
            assert_eq!(
                !unknown,
                fields.contains(field),
                "version {number}: {field}"
            );
            assert!(!found.is_empty());
        }
    }
}
