//! What people and programs see: colours only on a terminal, words for people on standard error
//! when standard output carries JSON, every text from outside escaped.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the module that prints"
)]

use std::io::{IsTerminal as _, Write as _};

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

/// Asks a yes-or-no question on the terminal; `None` where there is nobody to ask.
pub(crate) fn ask(question: &str) -> Option<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    eprint!("{question} [y/N] ");
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

/// Prints a line; a reader that went away (`| head`) is no error.
fn put(mut to: impl std::io::Write, text: &str) {
    let _ = writeln!(to, "{text}");
}
