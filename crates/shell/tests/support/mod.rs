//! A compact form of a script, to compare readings in one line.
//!
//! Commands are in parentheses; in words, `'…'` is quoted text, everything else stands as it does
//! in the text, with lists in braces.

#![allow(dead_code, reason = "no test uses all of it")]

use std::fmt::Write;

use hookward_shell::{
    AssignedValue, Assignment, Command, CommandKind, Connector, List, Operation, Parameter, Part,
    Pipeline, Redirect, Substitution, Word, parse,
};

pub(crate) fn dump(text: &str) -> String {
    let script = parse(text);
    let mut out = lists(&script.lists);
    if let Some(error) = script.error {
        let space = if out.is_empty() { "" } else { " " };
        let _ = write!(out, "{space}!{:?}@{}", error.kind, error.offset);
    }
    out
}

fn lists(lists: &[List<'_>]) -> String {
    let each = lists.iter().map(|list| {
        let mut out = pipeline(&list.first);
        for (connector, next) in &list.rest {
            out += match connector {
                Connector::And => " && ",
                Connector::Or => " || ",
            };
            out += &pipeline(next);
        }
        out + if list.background { " &" } else { "" }
    });
    each.collect::<Vec<_>>().join("; ")
}

fn pipeline(pipeline: &Pipeline<'_>) -> String {
    let commands: Vec<_> = pipeline.commands.iter().map(command).collect();
    let bang = if pipeline.negated { "! " } else { "" };
    format!("{bang}{}", commands.join(" | "))
}

fn command(command: &Command<'_>) -> String {
    let mut items = vec![kind(&command.kind)];
    items.extend(command.redirects.iter().map(redirect));
    items.retain(|item| !item.is_empty());
    format!("({})", items.join(" "))
}

fn kind(kind: &CommandKind<'_>) -> String {
    match kind {
        CommandKind::Simple {
            assignments,
            words: arguments,
        } => {
            let mut items: Vec<_> = assignments.iter().map(assignment).collect();
            items.extend(arguments.iter().map(word));
            items.join(" ")
        }
        CommandKind::Subshell(body) => format!("sub {}", block(body)),
        CommandKind::Group(body) => format!("group {}", block(body)),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            let mut out = "if".to_owned();
            for (condition, body) in branches {
                let _ = write!(out, " {} {}", block(condition), block(body));
            }
            if let Some(body) = otherwise {
                let _ = write!(out, " else {}", block(body));
            }
            out
        }
        CommandKind::Loop { condition, body } => {
            format!("loop {} {}", block(condition), block(body))
        }
        CommandKind::For {
            name,
            words: values,
            body,
        } => {
            let values = values
                .as_ref()
                .map_or("@".to_owned(), |values| words(values));
            format!("for {name} [{values}] {}", block(body))
        }
        CommandKind::ArithmeticFor { expression, body } => {
            format!("for (({})) {}", word(expression), block(body))
        }
        CommandKind::Case { subject, arms } => {
            let mut out = format!("case {}", word(subject));
            for arm in arms {
                let _ = write!(out, " [{}] {}", words(&arm.patterns), block(&arm.body));
            }
            out
        }
        CommandKind::Function { name, body } => format!("function {name} {}", command(body)),
        CommandKind::Coproc { body } => format!("coproc {}", command(body)),
        CommandKind::Arithmetic(expression) => format!("(({}))", word(expression)),
        CommandKind::Test(operands) => format!("test [{}]", words(operands)),
    }
}

fn block(body: &[List<'_>]) -> String {
    format!("{{{}}}", lists(body))
}

fn assignment(assignment: &Assignment<'_>) -> String {
    let mut out = assignment.name.to_owned();
    if let Some(subscript) = &assignment.subscript {
        let _ = write!(out, "[{}]", word(subscript));
    }
    out += if assignment.append { "+=" } else { "=" };
    out + &match &assignment.value {
        AssignedValue::Word(value) => word(value),
        AssignedValue::Array(values) => format!("({})", words(values)),
    }
}

fn redirect(redirect: &Redirect<'_>) -> String {
    let fd = redirect.fd.map_or("{}".to_owned(), |fd| fd.to_string());
    format!("{fd}:{:?}:{}", redirect.kind, word(&redirect.target))
}

pub(crate) fn words(all: &[Word<'_>]) -> String {
    all.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn word(word: &Word<'_>) -> String {
    word.parts.iter().map(part).collect()
}

fn part(part: &Part<'_>) -> String {
    let mark = |quoted: &bool| if *quoted { "\"" } else { "" };
    match part {
        Part::Literal(text) => text.to_string(),
        Part::Quoted(text) => format!("'{text}'"),
        Part::Undecodable => "<?>".to_owned(),
        Part::Parameter(parameter) => {
            format!("{}{}", mark(&parameter.quoted), parameter_text(parameter))
        }
        Part::Command { body, quoted } => match body {
            Substitution::Lists(body) => format!("{}${}", mark(quoted), block(body)),
            Substitution::Backquoted(text) => format!("{}`{text}`", mark(quoted)),
        },
        Part::Arithmetic { expression, quoted } => {
            format!("{}$(({}))", mark(quoted), word(expression))
        }
        Part::Process { reads, body } => {
            format!("{}{}", if *reads { ">" } else { "<" }, block(body))
        }
        Part::Pattern(inner) => format!("<pattern {}>", word(inner)),
        Part::Array(values) => format!("({})", words(values)),
    }
}

fn parameter_text(parameter: &Parameter<'_>) -> String {
    let mut out = format!("${{{}", parameter.name);
    if let Some(subscript) = &parameter.subscript {
        let _ = write!(out, "[{}]", word(subscript));
    }
    let (operator, operands) = match &parameter.operation {
        Operation::None => ("", String::new()),
        Operation::Length => (" length", String::new()),
        Operation::Indirect => (" indirect", String::new()),
        Operation::Default(value) => (":-", word(value)),
        Operation::Assign(value) => (":=", word(value)),
        Operation::Alternative(value) => (":+", word(value)),
        Operation::Error(value) => (":?", word(value)),
        Operation::Other(values) => (" other ", words(values)),
    };
    format!("{out}{operator}{operands}}}")
}

/// The first words of the simple commands outside of words, as they are written.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    names_in(text, &parse(text).lists, &mut names);
    names
}

fn names_in(text: &str, lists: &[List<'_>], names: &mut Vec<String>) {
    for list in lists {
        let rest = list.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&list.first).chain(rest) {
            for command in &pipeline.commands {
                names_of(text, command, names);
            }
        }
    }
}

fn names_of(text: &str, command: &Command<'_>, names: &mut Vec<String>) {
    match &command.kind {
        CommandKind::Simple { words, .. } => {
            names.extend(
                words
                    .first()
                    .map(|word| text[word.span.start as usize..word.span.end as usize].to_owned()),
            );
        }
        CommandKind::Subshell(body)
        | CommandKind::Group(body)
        | CommandKind::For { body, .. }
        | CommandKind::ArithmeticFor { body, .. } => names_in(text, body, names),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                names_in(text, condition, names);
                names_in(text, body, names);
            }
            names_in(text, otherwise.as_deref().unwrap_or_default(), names);
        }
        CommandKind::Loop { condition, body } => {
            names_in(text, condition, names);
            names_in(text, body, names);
        }
        CommandKind::Case { arms, .. } => {
            for arm in arms {
                names_in(text, &arm.body, names);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc { body } => {
            names_of(text, body, names);
        }
        CommandKind::Arithmetic(_) | CommandKind::Test(_) => {}
    }
}
