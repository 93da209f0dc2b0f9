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
    use super::*;

    #[test]
    fn numbers_and_names_agree() {
        for (number, variable) in Variable::ALL.into_iter().enumerate() {
            assert_eq!(variable as usize, number);
            assert_eq!(Variable::named(variable.name()), Some(variable));
        }
    }
}
