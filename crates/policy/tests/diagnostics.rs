//! The page of diagnostics lists every code with what it stands for. `UPDATE_GOLDEN=1` rewrites it.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]
#![allow(clippy::disallowed_methods, reason = "reads and writes the page")]

use std::fmt::Write as _;
use std::path::Path;

use hookward_policy::Code;

const PAGE: &str = "../../docs/src/reference/diagnostics.md";

/// What the hundreds of the codes have in common, by the first number of each range.
const GROUPS: &[(&str, &str)] = &[
    ("HW001", "The file itself"),
    ("HW010", "The text as JSON"),
    ("HW020", "The shape of the file"),
    ("HW030", "The fields of a hook"),
    (
        "HW050",
        "Matchers and placeholders that may not mean what they seem to",
    ),
    ("HW060", "The files that a hook names"),
    ("HW070", "The trust store"),
    ("HW099", "The list itself"),
];

const INTRODUCTION: &str = "# Diagnostics

Every problem of a policy file has a code, and a code never changes its meaning. With it come the
line and the column (both from 1, the column in characters), the JSON Pointer of the value, what is
wrong, and what to do. All problems of a file are reported at once, up to 100 of them.

An *error* makes the file as a whole *broken*: none of its hooks runs, the other files stay in force,
and hooks of it that were reviewed before fail by their failure mode. A *warning* keeps nothing from
running. Codes from HW050 to HW066 are warnings. HW008 is one where both sources name the same path, and
an error where a hard link makes two paths one file; HW099 is whatever the problems that it counts are;
all others are errors.

`hookward list` and `hookward doctor` print diagnostics; with `--json` each is an object:

```json
{
  \"code\": \"HW034\",
  \"severity\": \"error\",
  \"message\": \"the command `check.sh` is not an absolute path\",
  \"line\": 6,
  \"column\": 60,
  \"pointer\": \"/hooks/PreToolUse/0/hooks/0/command\",
  \"help\": \"write the absolute path of the program: no shell searches PATH or expands `~`\"
}
```
";

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let starts = |code: &Code| GROUPS.iter().find(|(first, _)| *first == code.as_str());
    for code in Code::ALL {
        if let Some((_, title)) = starts(code) {
            write!(page, "\n## {title}\n\n| code | meaning |\n| --- | --- |\n").unwrap();
        }
        writeln!(page, "| {code} | {} |", code.title()).unwrap();
    }
    page
}

#[test]
fn the_page_lists_every_code() {
    let expected = page();
    assert_eq!(
        expected.matches("\n## ").count(),
        GROUPS.len(),
        "each group starts with a code that exists"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == expected,
        "{} is not what the codes say; run the test once with UPDATE_GOLDEN=1",
        path.display()
    );
}
