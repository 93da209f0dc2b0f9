//! Settings of any layout: what is installed into them comes out again byte for byte.

use hookward_agents::claude_code::{Edit, Registered, install, registration, uninstall};
use proptest::prelude::*;

use super::{command, installed, uninstalled};

/// Layout that may stand between two tokens.
fn blank() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\r\n\t", "  \n\n    "])
        .prop_map(String::from)
}

fn comment() -> impl Strategy<Value = String> {
    let kinds = vec![
        "",
        "",
        "",
        " // c, ]\n",
        "/* } */",
        "/* a\n b */ ",
        " // \u{e9}\r\n  ",
    ];
    prop::sample::select(kinds).prop_map(String::from)
}

fn gap() -> impl Strategy<Value = String> {
    (blank(), comment(), blank()).prop_map(|(a, b, c)| a + &b + &c)
}

/// A container of `children`, which are laid out at random, with or without a last comma.
fn container(
    open: &'static str,
    children: Vec<String>,
    close: &'static str,
) -> impl Strategy<Value = String> {
    let count = children.len();
    (
        prop::collection::vec((gap(), gap()), count + 1),
        any::<bool>(),
    )
        .prop_map(move |(gaps, comma)| {
            let mut text = open.to_owned();
            for (index, child) in children.iter().enumerate() {
                let (before, after) = &gaps[index];
                let separator = if index + 1 < count || comma { "," } else { "" };
                text += &[before.as_str(), child, after, separator].concat();
            }
            text + &gaps[count].0 + close
        })
}

fn groups() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "{}",
            "{\"matcher\":\"Bash\",\"hooks\":[]}",
            "{\n  \"hooks\": [ 1 ]\n}",
        ]),
        0..3,
    )
    .prop_flat_map(|list| container("[", list.into_iter().map(String::from).collect(), "]"))
}

fn members(
    key: &'static str,
    value: impl Strategy<Value = String> + 'static,
) -> impl Strategy<Value = String> {
    let ours = prop::option::of((value, blank()));
    let others =
        prop::sample::subsequence(vec!["\"a\": 1", "\"Stop\":[]", "\"é\": \"} // ,\""], 0..3);
    (ours, others, any::<prop::sample::Index>()).prop_flat_map(move |(ours, others, at)| {
        let mut list: Vec<String> = others.into_iter().map(String::from).collect();
        if let Some((value, gap)) = ours {
            list.insert(at.index(list.len() + 1), format!("\"{key}\":{gap}{value}"));
        }
        container("{", list, "}")
    })
}

fn settings() -> impl Strategy<Value = String> {
    let root = members("hooks", members("PreToolUse", groups()));
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    (mark, gap(), root, gap())
        .prop_map(|(mark, before, root, after)| [mark, &before, &root, &after].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_layout_is_restored_byte_for_byte(text in settings()) {
        let once = installed(&text);
        prop_assert_eq!(install(Some(&once), &command()).unwrap(), Edit::Unchanged);
        prop_assert_eq!(uninstalled(&once), text, "installed:\n{}", once);
    }

    /// Damaged settings are edited into settings that have the entry, or refused; never a panic.
    #[test]
    fn damaged_settings_never_panic(
        text in settings(),
        entry in any::<bool>(),
        at in any::<prop::sample::Index>(),
        junk in "[\\[\\]{},:\"/*\n\r é0a]{0,4}",
        cut in 0_usize..12,
    ) {
        let text = if entry { installed(&text) } else { text };
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        let rest = chars.iter().skip(at + cut);
        let damaged: String =
            chars[..at].iter().copied().chain(junk.chars()).chain(rest.copied()).collect();
        let _ = uninstall(&damaged);
        if let Ok(Edit::Changed { new_text, .. }) = install(Some(&damaged), &command()) {
            let state = registration(&new_text, &command()).unwrap().state;
            prop_assert_eq!(state, Registered::Current, "{}", new_text);
        }
    }
}
