//! What people and programs see: colours only on a terminal, words for people on standard error
//! when standard output carries JSON, every text from outside escaped.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the module that prints"
)]

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use hookward_contract::escape_for_display;
use hookward_policy::{Diagnostic, Severity};
use serde::Serialize;

use crate::args::ColorChoice;
use crate::error::CliError;

/// Version of every JSON output. Fields are added, never changed.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    Good,
    Warning,
    Bad,
    Faint,
    Strong,
}

/// Where and how to print.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four switches that are independent"
)]
pub(crate) struct Output {
    color_out: bool,
    color_err: bool,
    pub(crate) json: bool,
    quiet: bool,
}

#[derive(Serialize)]
struct Versioned<'a, T> {
    schema_version: u32,
    #[serde(flatten)]
    body: &'a T,
}

impl Output {
    pub(crate) fn new(color: ColorChoice, json: bool, quiet: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colored = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !plain,
        };
        Self {
            color_out: colored(std::io::stdout().is_terminal()) && !json,
            color_err: colored(std::io::stderr().is_terminal()),
            json,
            quiet,
        }
    }

    /// The exit code of a command that did what it should: none of them is 0 where its result was
    /// lost on the way.
    #[allow(clippy::unused_self, reason = "every end goes through an Output")]
    pub(crate) fn end(&self, code: ExitCode) -> ExitCode {
        let flushed = std::io::stdout().flush();
        let lost = flushed.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe);
        if lost || LOST.load(Ordering::Relaxed) {
            eprintln!("error: the output could not be written");
            return ExitCode::FAILURE;
        }
        code
    }

    /// A line of the result, for people.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.json {
            put(std::io::stdout(), text.as_ref());
        }
    }

    /// A line that explains; `--quiet` drops it.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if self.quiet {
            return;
        }
        if self.json {
            put(std::io::stderr(), text.as_ref());
        } else {
            put(std::io::stdout(), text.as_ref());
        }
    }

    /// The result as one JSON document; nothing without `--json`.
    pub(crate) fn document(&self, body: &impl Serialize) -> Result<(), CliError> {
        if self.json {
            let body = Versioned {
                schema_version: SCHEMA_VERSION,
                body,
            };
            put(
                std::io::stdout(),
                &serde_json::to_string_pretty(&body).map_err(CliError::policy)?,
            );
        }
        Ok(())
    }

    /// Text that is a result whatever the options: a schema, a record, a script.
    #[allow(clippy::unused_self, reason = "every line goes through an Output")]
    pub(crate) fn raw(&self, text: &str) {
        put(std::io::stdout(), text.trim_end_matches('\n'));
    }

    /// Why a command failed: in words on standard error, and as a document with `--json`.
    pub(crate) fn failure(&self, error: &CliError) {
        let document = serde_json::json!({
            "error": {"message": error.to_string(), "help": error.help()},
        });
        // A document of texts always has a JSON form.
        let _ = self.document(&document);
        self.error(error);
    }

    pub(crate) fn error(&self, error: &CliError) {
        let label = paint(self.color_err, Tone::Bad, "error");
        eprintln!("{label}: {}", escape_lines(&error.to_string()));
        if let Some(help) = error.help() {
            let label = paint(self.color_err, Tone::Strong, "help");
            eprintln!("{label}: {}", escape_lines(help));
        }
    }

    /// `text` in a tone, for standard output.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        paint(self.color_out, tone, text)
    }

    /// A problem in a configuration file, with its place and what to do.
    pub(crate) fn diagnostic(&self, path: &str, diagnostic: &Diagnostic) {
        let (tone, word) = match diagnostic.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Warning, "warning"),
        };
        let place = if diagnostic.line == 0 {
            escape_for_display(path)
        } else {
            format!(
                "{}:{}:{}",
                escape_for_display(path),
                diagnostic.line,
                diagnostic.column
            )
        };
        self.line(format!(
            "  {} {}: {}",
            self.paint(tone, &format!("{word}[{}]", diagnostic.code)),
            place,
            escape_for_display(&diagnostic.message)
        ));
        if !diagnostic.pointer.is_empty() {
            self.line(format!(
                "      at {}",
                escape_for_display(&diagnostic.pointer)
            ));
        }
        if !diagnostic.help.is_empty() {
            self.line(format!(
                "      help: {}",
                escape_for_display(&diagnostic.help)
            ));
        }
    }
}

/// Whether there is a terminal on which a person could answer.
pub(crate) fn somebody_to_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a yes-or-no question on the terminal; `None` where there is nobody to ask.
pub(crate) fn ask(question: &str) -> Option<bool> {
    if !somebody_to_ask() {
        return None;
    }
    eprint!("{} [y/N] ", escape_for_display(question));
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

/// A count and its noun, in the right number.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Control and invisible characters made visible, lines kept.
pub(crate) fn escape_lines(text: &str) -> String {
    text.lines()
        .map(escape_for_display)
        .collect::<Vec<_>>()
        .join("\n")
}

fn paint(color: bool, tone: Tone, text: &str) -> String {
    if !color {
        return text.to_owned();
    }
    let style = match tone {
        Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
        Tone::Warning => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
        Tone::Bad => Style::new().fg_color(Some(AnsiColor::Red.into())).bold(),
        Tone::Faint => Style::new().dimmed(),
        Tone::Strong => Style::new().bold(),
    };
    format!("{style}{text}{style:#}")
}

/// Prints a line, without control characters but those that this module put there.
fn put(mut to: impl std::io::Write, text: &str) {
    if let Err(error) = writeln!(to, "{}", without_controls(text))
        && error.kind() != ErrorKind::BrokenPipe
    {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether something that was printed did not arrive. A reader that went away (`| head`) is none.
static LOST: AtomicBool = AtomicBool::new(false);

/// Texts from outside are escaped where they are put together; this is what is left if one was
/// forgotten.
fn without_controls(text: &str) -> Cow<'_, str> {
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(odd) {
        let (before, from) = rest.split_at(at);
        clean.push_str(before);
        let style = style_length(from);
        clean.push_str(from.get(..style).unwrap_or_default());
        let skipped = from.chars().next().map_or(0, char::len_utf8);
        rest = from.get(style.max(skipped)..).unwrap_or_default();
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Length of the colour sequence with which a text begins; 0 where it begins with none.
fn style_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    match parameters.find(|c: char| !c.is_ascii_digit() && c != ';') {
        Some(end)
            if parameters
                .get(end..)
                .is_some_and(|end| end.starts_with('m')) =>
        {
            end + 3
        }
        _ => 0,
    }
}
