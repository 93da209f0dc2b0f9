//! `trust.json`: an accepted store says what it seems to say, and is written back as an equal one.

#![no_main]

use std::collections::HashSet;

use hookward_contract::sha256_hex;
use hookward_policy::{Definition, fuzzing};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let (records, workspaces) = match fuzzing::trust_records(bytes) {
        Ok(store) => store,
        Err(diagnostic) => {
            assert!(!diagnostic.message.is_empty());
            assert!(!diagnostic.message.chars().any(char::is_control));
            assert!(diagnostic.line >= 1 && diagnostic.column >= 1);
            return;
        }
    };
    let json: Value = serde_json::from_slice(bytes).expect("an accepted store is strict JSON");
    assert_eq!(json["version"], 1);
    assert_eq!(
        json["records"].as_array().map(Vec::len),
        Some(records.len())
    );
    assert_eq!(
        json["workspaces"].as_array().map(Vec::len),
        Some(workspaces.len())
    );

    let mut hashes = HashSet::new();
    for record in &records {
        let hash = record.definition_hash.as_str();
        assert_eq!(
            hash,
            format!("sha256:{}", sha256_hex(record.definition.as_bytes()))
        );
        assert!(hashes.insert(hash), "a definition stands once");
        let definition = Definition::from_canonical(&record.definition).expect("it reads");
        assert_eq!(
            definition.canonical(),
            record.definition,
            "one text per definition"
        );
        assert_eq!(
            (definition.source, &definition.owner),
            (record.source, &record.project_identity)
        );
        let mut pinned = HashSet::new();
        for pin in &record.pins {
            assert!(pinned.insert(&pin.path) && !pin.path.as_str().is_empty());
            assert!(pin.sha256.len() == 64 && pin.sha256.bytes().all(|b| b.is_ascii_hexdigit()));
            let climbs = pin.path.as_str().split('/').any(|part| part == "..");
            assert!(pin.path.is_absolute() || !climbs, "{}", pin.path);
        }
    }
    let projects: HashSet<_> = workspaces
        .iter()
        .map(|w| w.project_identity.as_str())
        .collect();
    assert_eq!(projects.len(), workspaces.len(), "a project stands once");

    let text = fuzzing::trust_text(records.clone(), workspaces.clone()).expect("it can be written");
    let again = fuzzing::trust_records(&text).expect("what is written can be read");
    assert_eq!(again, (records, workspaces));
    let (records, workspaces) = again;
    assert_eq!(
        fuzzing::trust_text(records, workspaces).as_deref(),
        Ok(text.as_slice())
    );
});
