//! The names that an expression can use, and the fields of effects. It knows their types, never
//! their values.

use super::types::Type;

/// A variable of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variable {
    Tool,
    NativeTool,
    Input,
    Effects,
    Cwd,
    Project,
    Origin,
    Agent,
    AgentType,
    Mode,
    Session,
    Now,
    Env,
}

impl Variable {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 13] = [
        Self::Tool,
        Self::NativeTool,
        Self::Input,
        Self::Effects,
        Self::Cwd,
        Self::Project,
        Self::Origin,
        Self::Agent,
        Self::AgentType,
        Self::Mode,
        Self::Session,
        Self::Now,
        Self::Env,
    ];

    /// Its name in an expression.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::NativeTool => "native_tool",
            Self::Input => "input",
            Self::Effects => "effects",
            Self::Cwd => "cwd",
            Self::Project => "project",
            Self::Origin => "origin",
            Self::Agent => "agent",
            Self::AgentType => "agent_type",
            Self::Mode => "mode",
            Self::Session => "session",
            Self::Now => "now",
            Self::Env => "env",
        }
    }

    /// The variable of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    pub(super) fn value_type(self) -> Type {
        match self {
            Self::Input => Type::Dyn,
            Self::Effects => Type::List(Box::new(Type::Effect)),
            Self::Now => Type::Timestamp,
            Self::Env => Type::Map(Box::new(Type::String)),
            _ => Type::String,
        }
    }
}

/// The fields that effects have in JSON, whatever their kind. Those that may be `null`, a list or
/// an object are [`Type::Dyn`].
pub(super) const EFFECT_FIELDS: [(&str, Type); 25] = [
    ("access", Type::String),
    ("agent_type", Type::Dyn),
    ("args", Type::Dyn),
    ("canonical", Type::Dyn),
    ("cause", Type::String),
    ("cwd", Type::Dyn),
    ("detail", Type::String),
    ("digest", Type::Dyn),
    ("env", Type::Dyn),
    ("host", Type::Dyn),
    ("inside_project", Type::Bool),
    ("interpreter", Type::String),
    ("kind", Type::String),
    ("path", Type::String),
    ("pattern", Type::Bool),
    ("program", Type::String),
    ("raw", Type::String),
    ("read", Type::Bool),
    ("server", Type::String),
    ("text", Type::String),
    ("tool", Type::String),
    ("tree", Type::Bool),
    ("url", Type::String),
    ("via", Type::String),
    ("why", Type::String),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::effect::{
        Access, Canonical, Effect, Exec, Network, Opaque, OpaqueCause, PathEffect, Unresolvable,
    };

    #[test]
    fn numbers_and_names_agree() {
        for (number, variable) in Variable::ALL.into_iter().enumerate() {
            assert_eq!(variable as usize, number);
            assert_eq!(Variable::named(variable.name()), Some(variable));
        }
    }

    fn causes() -> Vec<OpaqueCause> {
        let (text, access) = (String::new, Access::Read);
        vec![
            OpaqueCause::Unparsable { detail: text() },
            OpaqueCause::UnknownProgram,
            OpaqueCause::Code {
                interpreter: text(),
            },
            OpaqueCause::ScriptFile {
                path: "/s".into(),
                digest: None,
                read: true,
            },
            OpaqueCause::UnknownPath { access },
            OpaqueCause::Unresolvable {
                access,
                why: Unresolvable::Loop,
            },
        ]
    }

    fn effects() -> Vec<Effect> {
        let text = String::new;
        let mut effects = vec![
            Effect::Exec(Exec {
                program: text(),
                path: Some(text()),
                args: Vec::new(),
                env: vec![(text(), None)],
                cwd: None,
                raw: text(),
            }),
            Effect::Network(Network {
                host: None,
                url: Some(text()),
                via: text(),
            }),
            Effect::Mcp {
                server: text(),
                tool: text(),
            },
            Effect::Agent { agent_type: None },
            Effect::Path(PathEffect {
                access: Access::Write,
                path: "/p".into(),
                canonical: Canonical::Known("/p".into()),
                inside_project: true,
                pattern: true,
                tree: true,
                via: text(),
            }),
        ];
        let opaque = |cause| {
            Effect::Opaque(Opaque {
                cause,
                text: text(),
            })
        };
        effects.extend(causes().into_iter().map(opaque));
        effects
    }

    /// The closed list of fields and their types is what effects have in JSON.
    #[test]
    fn fields_of_effects_are_those_of_their_json() {
        let mut seen = BTreeSet::new();
        for effect in effects() {
            let Ok(Value::Object(fields)) = serde_json::to_value(&effect) else {
                panic!("{effect:?}");
            };
            for (name, value) in fields {
                let known = EFFECT_FIELDS.iter().find(|(known, _)| *known == name);
                let (_, of) = known.unwrap_or_else(|| panic!("{name} of {effect:?}"));
                let fits = match of {
                    Type::String => value.is_string(),
                    Type::Bool => value.is_boolean(),
                    _ => true,
                };
                assert!(fits, "{name}: {value}");
                seen.insert(name);
            }
        }
        let known: BTreeSet<String> = EFFECT_FIELDS.map(|(name, _)| name.to_owned()).into();
        assert_eq!(seen, known);
    }
}
