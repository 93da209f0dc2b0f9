//! One lens per family of tools: from a call to what it would do.
//!
//! | family | tools | effects |
//! | --- | --- | --- |
//! | shell | `Bash`, `exec_command`, `run_shell_command` … | those of its text |
//! | files | `Read`, `Write`, `Edit`, `NotebookEdit`, `delete_file`, `move_file` … | every file that it names |
//! | search | `Glob`, `Grep` | reads of the folders looked through |
//! | patch | `apply_patch` | every file of the patch |
//! | web | `WebFetch`, `WebSearch` | hosts |
//! | agents | `Agent`, `SendMessage`, `CronCreate` … | an agent |
//! | code | `exec`, `PowerShell`, `WriteStdin`, `computer` … | opaque |
//! | batch | `Batch`, `multi_tool_use.parallel` | those of each inner call |
//! | MCP | `mcp__<server>__<tool>` | the server's tool, and what the input looks like |
//! | unknown | any other | what the input looks like |
//!
//! A known tool whose input has another shape than is known is opaque. No lens looks at the world:
//! what it needs comes from the observation, through the collector.

mod agent;
mod batch;
mod code;
mod family;
mod files;
mod guess;
mod json;
mod mcp;
mod patch;
#[cfg(test)]
mod property;
mod search;
mod shell;
mod target;
#[cfg(test)]
mod tests;
mod verb;
mod view;
mod web;

use std::borrow::Cow;

use hookward_contract::Call;

use self::family::Family;
use self::view::{ShellInput, View};
use crate::collector::Collector;
use crate::effect::{Effect, EffectKind, KindSet, OpaqueCause};
use crate::observation::Observation;

/// What a call would do, in the order in which its text says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    list: Vec<Effect>,
}

impl Effects {
    /// Reads a call. Takes time linear in the size of its text.
    pub fn of(call: &Call, observation: &Observation<'_>) -> Self {
        let mut collector = Collector::new(observation);
        read(&View::of(call), &mut collector);
        Self {
            list: collector.finish(),
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Effect] {
        &self.list
    }

    /// These effects but for those of which `drop` holds.
    #[must_use]
    pub fn without(&self, drop: impl Fn(&Effect) -> bool) -> Self {
        let kept = self.list.iter().filter(|effect| !drop(effect));
        Self {
            list: kept.cloned().collect(),
        }
    }

    /// The kinds of effects that there are, and those that something opaque might be.
    pub fn kinds(&self) -> KindSet {
        let might = |effect: &Effect, kind| match effect {
            Effect::Opaque(opaque) => opaque.might(kind),
            _ => false,
        };
        let is = |kind: &EffectKind| {
            let mut effects = self.list.iter();
            effects.any(|effect| effect.kind() == *kind || might(effect, *kind))
        };
        EffectKind::ALL.into_iter().filter(is).collect()
    }
}

/// Reads one call, or one within another.
fn read(view: &View<'_>, collector: &mut Collector<'_>) {
    if let Some(family) = view.names().find_map(Family::of) {
        known(family, view, collector);
    } else if mcp::is_name(view.tool()) {
        mcp::effects(view, collector);
    } else {
        guess::effects(view.tool(), view, collector);
    }
}

fn known(family: Family, view: &View<'_>, collector: &mut Collector<'_>) {
    match family {
        Family::Shell => shell_or_patch(view, collector),
        Family::Files(verb) => files::effects(verb, view, collector),
        Family::Editor => files::editor(view, collector),
        Family::ReadMany => search::read_many(view, collector),
        Family::List => search::list(view, collector),
        Family::Glob => search::glob(view, collector),
        Family::Grep => search::grep(view, collector),
        Family::Patch => patch::effects(view, collector),
        Family::Fetch => web::fetch(view, collector),
        Family::Search => web::search(view, collector),
        Family::Agent => agent::effects(view, collector),
        Family::Workflow => {
            agent::effects(view, collector);
            collector.opaque(OpaqueCause::ToolCalls, view.input());
        }
        Family::Exec => code::exec(view, collector),
        Family::Interpreter(name) => code::interpreter(name, view, collector),
        Family::ProcessInput => code::process_input(view, collector),
        Family::Computer => code::computer(view, collector),
        Family::Batch => batch::effects(view, collector),
        Family::Resource(method) => mcp::resource(method, view, collector),
        Family::Nothing => {}
    }
}

/// A patch may sit where a shell's text would be. It is both then: a tool that knows no patches runs
/// its lines.
fn shell_or_patch(view: &View<'_>, collector: &mut Collector<'_>) {
    let commands = view.shell_commands();
    if patch::is_in(&commands) {
        patch::effects(view, collector);
    }
    shell_effects(view, commands, collector);
}

/// What a shell would do with the commands of a shell tool.
fn shell_effects(view: &View<'_>, commands: Vec<ShellInput<'_>>, collector: &mut Collector<'_>) {
    let Some(cwd) = view.workdir(collector.observation.home) else {
        return view.unknown_input(collector);
    };
    if commands.is_empty() {
        view.unknown_input(collector);
    }
    for command in commands {
        match command {
            ShellInput::Text(text) => shell::script_text(&text, &cwd, collector),
            ShellInput::Texts(texts) => {
                for text in texts {
                    shell::script_text(&text, &cwd, collector);
                }
            }
            ShellInput::Argv(words) => {
                let words: Vec<_> = words.into_iter().map(Cow::into_owned).collect();
                shell::argument_list(&words, &cwd, collector);
            }
            ShellInput::Other => view.unknown_input(collector),
        }
    }
}
