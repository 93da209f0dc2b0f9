//! What each program is told to do, row by row.

mod commands;
mod documented;
mod fake;
mod policies;
mod tables;

use fake::told;

/// Compares rows of commands and what they are told to do, all at once.
fn check(rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(command, expected)| {
            let found = told(command);
            (found != *expected).then(|| format!("{command}\n   is {found}\n  not {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
