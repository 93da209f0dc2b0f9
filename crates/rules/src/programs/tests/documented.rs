//! The tables for people name every program of the tables.

use super::super::git_table::SUBCOMMANDS;
use super::super::table::TABLES;

const PAGE: &str = include_str!("../../../../../docs/src/reference/programs.md");

/// Whether the page has the name in a code span of its own.
fn names(name: &str) -> bool {
    PAGE.contains(&format!("`{name}`"))
}

#[test]
fn every_program_is_documented() {
    let rows = TABLES.iter().copied().flatten();
    let programs = rows.flat_map(|row| row.names.split(' '));
    let missing: Vec<&str> = programs.filter(|name| !names(name)).collect();
    assert!(missing.is_empty(), "not in the page: {missing:?}");
}

#[test]
fn every_command_of_git_that_does_something_is_documented() {
    let rows = SUBCOMMANDS.iter().filter(|row| !row.does_nothing());
    let commands = rows.flat_map(|row| row.names.split(' '));
    let missing: Vec<&str> = commands.filter(|name| !names(name)).collect();
    assert!(missing.is_empty(), "not in the page: {missing:?}");
}

#[test]
fn no_name_stands_in_two_rows() {
    let rows = TABLES.iter().copied().flatten();
    let mut programs: Vec<&str> = rows.flat_map(|row| row.names.split(' ')).collect();
    programs.sort_unstable();
    let twice: Vec<_> = programs
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .collect();
    assert!(twice.is_empty(), "{twice:?}");
}
