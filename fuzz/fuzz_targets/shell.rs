//! A shell text, as an agent may write it.

#![no_main]

use hookward_shell::{CommandKind, Script, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let script = parse(text);
    if let Some(error) = script.error {
        assert!(error.offset as usize <= text.len());
    }
    spans_lie_within(&script, text);
    assert_eq!(parse(text), script, "the same text reads the same");
});

/// Commands are where they say, and braces end.
fn spans_lie_within(script: &Script<'_>, text: &str) {
    for list in &script.lists {
        for command in &list.first.commands {
            let span = command.span.start as usize..command.span.end as usize;
            assert!(text.get(span).is_some(), "{:?}", command.span);
            if let CommandKind::Simple { words, .. } = &command.kind {
                for word in words {
                    let span = word.span.start as usize..word.span.end as usize;
                    assert!(text.get(span).is_some(), "{:?}", word.span);
                    let braces = word.braces();
                    assert!(braces.is_none_or(|words| !words.is_empty()));
                }
            }
        }
    }
}
