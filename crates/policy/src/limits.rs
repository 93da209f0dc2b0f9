//! Limits of the fields of a hook: one definition per rule, used for files and for stored trust
//! records alike.

use hookward_contract::MAX_REASON_CHARS;
use hookward_rules::RuleText;

/// Largest `hooks.json`, in bytes (1 MiB).
pub const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Most handlers of one file.
pub const MAX_HANDLERS: usize = 128;
/// Most handlers of one group.
pub const MAX_GROUP_HANDLERS: usize = 32;
/// Longest command, in bytes.
pub const MAX_COMMAND_BYTES: usize = 4_096;
/// Most arguments.
pub const MAX_ARGS: usize = 256;
/// Longest argument, in bytes (8 KiB).
pub const MAX_ARG_BYTES: usize = 8 * 1024;
/// Longest sum of all arguments, in bytes (64 KiB).
pub const MAX_ARGS_BYTES: usize = 64 * 1024;
/// Shortest deadline, in milliseconds.
pub const MIN_TIMEOUT_MS: u32 = 100;
/// Longest deadline, in milliseconds.
pub const MAX_TIMEOUT_MS: u32 = 30_000;
/// Deadline of hooks that name none, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u32 = 3_000;
/// Longest description, in bytes.
pub const MAX_DESCRIPTION_BYTES: usize = 1_024;

/// Most patterns of one field of a rule, and the longest of them in bytes.
pub use hookward_rules::{MAX_PATTERN_BYTES, MAX_PATTERNS};

/// Longest expression of a rule, in bytes.
pub const MAX_WHEN_BYTES: usize = 4_096;
/// Most tests of one hook.
pub const MAX_TESTS: usize = 64;
/// Most variables of the environment of one test.
pub const MAX_TEST_VARIABLES: usize = 64;
/// Longest status message, in characters.
pub const MAX_STATUS_CHARS: usize = 200;

/// Start of a path that is resolved against the project root.
pub(crate) const PLACEHOLDER: &str = "${project}";

/// What is wrong with a list, and with which element where it is one.
#[derive(Debug)]
pub(crate) struct ListProblem {
    pub(crate) index: Option<usize>,
    pub(crate) problem: String,
}

/// Checks what holds for every command, relative or not.
pub(crate) fn check_command(command: &str) -> Result<(), String> {
    if command.is_empty() {
        Err("the command is empty".to_owned())
    } else if command.contains('\0') {
        Err("the command has a NUL character in it".to_owned())
    } else if command.len() > MAX_COMMAND_BYTES {
        let length = command.len();
        Err(format!(
            "the command is {length} bytes long; the limit is {MAX_COMMAND_BYTES}"
        ))
    } else {
        Ok(())
    }
}

pub(crate) fn check_args<T: AsRef<str>>(args: &[T]) -> Result<(), ListProblem> {
    let whole = |problem| ListProblem {
        index: None,
        problem,
    };
    if args.len() > MAX_ARGS {
        let count = args.len();
        return Err(whole(format!("{count} arguments; the limit is {MAX_ARGS}")));
    }
    for (index, arg) in args.iter().map(AsRef::as_ref).enumerate() {
        let problem = if arg.contains('\0') {
            "the argument has a NUL character in it".to_owned()
        } else if arg.len() > MAX_ARG_BYTES {
            let length = arg.len();
            format!("the argument is {length} bytes long; the limit is {MAX_ARG_BYTES}")
        } else {
            continue;
        };
        return Err(ListProblem {
            index: Some(index),
            problem,
        });
    }
    let total: usize = args.iter().map(|arg| arg.as_ref().len()).sum();
    if total > MAX_ARGS_BYTES {
        return Err(whole(format!(
            "the arguments are {total} bytes long together; the limit is {MAX_ARGS_BYTES}"
        )));
    }
    Ok(())
}

/// Checks the patterns of one field of a rule.
pub(crate) fn check_patterns(patterns: &[String]) -> Result<(), ListProblem> {
    if patterns.len() > MAX_PATTERNS {
        let count = patterns.len();
        let problem = format!("{count} patterns; the limit of a field is {MAX_PATTERNS}");
        let index = None;
        return Err(ListProblem { index, problem });
    }
    for (index, pattern) in patterns.iter().enumerate() {
        check_text("the pattern", pattern, MAX_PATTERN_BYTES).map_err(|problem| ListProblem {
            index: Some(index),
            problem,
        })?;
    }
    Ok(())
}

pub(crate) fn check_when(text: &str) -> Result<(), String> {
    check_text("the expression", text, MAX_WHEN_BYTES)
}

pub(crate) fn check_reason(text: &str) -> Result<(), String> {
    check_line("the reason", text, MAX_REASON_CHARS)
}

/// Checks all texts of a rule.
pub(crate) fn check_rule(rule: &RuleText) -> Result<(), String> {
    let RuleText {
        exec,
        write,
        read,
        delete,
        network,
        mcp,
        when,
        decision: _,
        opaque: _,
        reason,
    } = rule;
    for patterns in [exec, write, read, delete, network, mcp] {
        check_patterns(patterns).map_err(|found| found.problem)?;
    }
    when.as_deref().map_or(Ok(()), check_when)?;
    check_reason(reason)
}

/// Checks that a text has something in it and is not too long.
fn check_text(what: &str, text: &str, most: usize) -> Result<(), String> {
    let length = text.len();
    if text.trim().is_empty() {
        Err(format!("{what} is empty"))
    } else if length > most {
        Err(format!(
            "{what} is {length} bytes long; the limit is {most}"
        ))
    } else if text.contains('\0') {
        Err(format!("{what} has a NUL character in it"))
    } else {
        Ok(())
    }
}

pub(crate) fn check_description(text: &str) -> Result<(), String> {
    if text.len() > MAX_DESCRIPTION_BYTES || text.contains('\0') {
        Err("the description is longer than 1024 bytes or has a NUL in it".to_owned())
    } else {
        Ok(())
    }
}

pub(crate) fn check_status_message(text: &str) -> Result<(), String> {
    check_line("the status message", text, MAX_STATUS_CHARS)
}

/// Checks a line that is shown to people: it has something in it, is not too long, and moves no
/// cursor.
fn check_line(what: &str, text: &str, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        Err(format!("{what} is empty"))
    } else if length > most {
        Err(format!(
            "{what} is {length} characters long; the limit is {most}"
        ))
    } else if text.chars().any(char::is_control) {
        Err(format!("{what} has a control character in it"))
    } else {
        Ok(())
    }
}

pub(crate) fn check_timeout(milliseconds: u32) -> Result<(), String> {
    if (MIN_TIMEOUT_MS..=MAX_TIMEOUT_MS).contains(&milliseconds) {
        Ok(())
    } else {
        Err(format!(
            "{milliseconds} milliseconds; the range is {MIN_TIMEOUT_MS} to {MAX_TIMEOUT_MS}"
        ))
    }
}

/// What follows `${project}/` in a path of a version 2 file, if it stays inside by its letters.
///
/// `None`: the text does not start with the placeholder and a slash. `Err`: it does, and the rest
/// is empty or has `.`, `..` or empty components.
pub(crate) fn project_path(text: &str) -> Option<Result<&str, &'static str>> {
    let rest = text.strip_prefix(PLACEHOLDER)?.strip_prefix('/')?;
    let clean = rest.split('/').all(|part| !matches!(part, "" | "." | ".."));
    Some(if clean {
        Ok(rest)
    } else {
        Err(
            "the path after `${project}/` must name a file below the root, without `.`, `..` or `//`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_at_and_around_its_limits() {
        for (bytes, good) in [(1, true), (4_095, true), (4_096, true), (4_097, false)] {
            assert_eq!(check_command(&"x".repeat(bytes)).is_ok(), good, "{bytes}");
        }
        assert!(check_command("").is_err());
        assert!(check_command("/a\0b").is_err());
    }

    #[test]
    fn args_at_and_around_their_limits() {
        for (count, good) in [(0, true), (255, true), (256, true), (257, false)] {
            assert_eq!(check_args(&vec![""; count]).is_ok(), good, "{count}");
        }
        for (bytes, good) in [(8_191, true), (8_192, true), (8_193, false)] {
            assert_eq!(check_args(&["x".repeat(bytes)]).is_ok(), good, "{bytes}");
        }
        for (last, good) in [(8_191, true), (8_192, true)] {
            let mut args = vec!["x".repeat(8_192); 7];
            args.push("x".repeat(last));
            assert_eq!(check_args(&args).is_ok(), good, "{last}");
            args.push("x".to_owned());
            assert_eq!(check_args(&args).is_ok(), last == 8_191, "{last} + 1");
        }
        assert_eq!(check_args(&["a", "b\0"]).unwrap_err().index, Some(1));
    }

    #[test]
    fn timeouts_at_and_around_their_limits() {
        for (value, good) in [
            (99, false),
            (100, true),
            (101, true),
            (29_999, true),
            (30_000, true),
            (30_001, false),
        ] {
            assert_eq!(check_timeout(value).is_ok(), good, "{value}");
        }
    }

    #[test]
    fn project_paths_stay_inside() {
        assert_eq!(project_path("${project}/a/b.sh"), Some(Ok("a/b.sh")));
        for outside in [
            "${project}/",
            "${project}/../x",
            "${project}/a//b",
            "${project}/a/..",
        ] {
            assert!(matches!(project_path(outside), Some(Err(_))), "{outside}");
        }
        for other in [
            "${project}",
            "${projects}/a",
            "/a/${project}/b",
            "${project}x",
        ] {
            assert_eq!(project_path(other), None, "{other}");
        }
    }
}
