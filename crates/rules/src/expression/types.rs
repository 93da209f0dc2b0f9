//! The types of expressions, what the operators do with them, and the functions there are. Where a
//! type cannot be told, everything is allowed: a check that cries wolf is worse than none.

use std::fmt;

use cel::common::ast::operators;

/// What is known of a value before it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    Null,
    /// The type of a value, as `type(…)` gives it.
    Named,
    List(Box<Self>),
    /// By the type of its values; nothing is known of the keys.
    Map(Box<Self>),
    /// A map with the fields of an effect.
    Effect,
    /// Anything.
    Dyn,
}

use Type::{Bool, Bytes, Double, Duration, Dyn, Int, Timestamp, Uint};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bool => "bool",
            Int => "int",
            Uint => "uint",
            Double => "double",
            Self::String => "string",
            Bytes => "bytes",
            Timestamp => "timestamp",
            Duration => "duration",
            Self::Null => "null",
            Self::Named => "type",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Effect => "effect",
            Dyn => "dyn",
        })
    }
}

impl Type {
    pub(super) fn list_of_any() -> Self {
        Self::List(Box::new(Dyn))
    }

    pub(super) fn map_of_any() -> Self {
        Self::Map(Box::new(Dyn))
    }

    const fn is_number(&self) -> bool {
        matches!(self, Int | Uint | Double)
    }

    /// Whether a value of this type can stand where one of the other is wanted.
    pub(super) fn fits(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Dyn, _)
            | (_, Dyn)
            | (Self::List(_), Self::List(_))
            | (Self::Map(_) | Self::Effect, Self::Map(_) | Self::Effect) => true,
            (one, other) => one == other,
        }
    }

    /// Whether two values of these types can be equal.
    pub(super) fn can_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => true,
            (Self::List(one), Self::List(other)) => one.can_equal(other),
            (one, other) => (one.is_number() && other.is_number()) || one.fits(other),
        }
    }

    /// What is known of a value that is of the one type or of the other.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::List(_), Self::List(_)) => Self::list_of_any(),
            (Self::Map(_) | Self::Effect, Self::Map(_) | Self::Effect) => Self::map_of_any(),
            _ => Dyn,
        }
    }
}

/// The result of an operator that stands between two values; `None` where it is not for them.
pub(super) fn binary(operator: &str, left: &Type, right: &Type) -> Option<Type> {
    match operator {
        operators::LOGICAL_AND | operators::LOGICAL_OR => {
            (left.fits(&Bool) && right.fits(&Bool)).then_some(Bool)
        }
        operators::EQUALS | operators::NOT_EQUALS => left.can_equal(right).then_some(Bool),
        operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS => has_order(left, right).then_some(Bool),
        operators::IN => is_in(left, right).then_some(Bool),
        operators::INDEX => index(left, right),
        _ => arithmetic(operator, left, right),
    }
}

/// The result of an operator that stands before a value.
pub(super) fn unary(operator: &str, operand: &Type) -> Option<Type> {
    match (operator, operand) {
        (operators::LOGICAL_NOT, Bool | Dyn) => Some(Bool),
        (operators::NEGATE, Int | Double | Dyn) => Some(operand.clone()),
        _ => None,
    }
}

fn has_order(left: &Type, right: &Type) -> bool {
    let ordered = |it: &Type| {
        !matches!(
            it,
            Type::Null | Type::Named | Type::List(_) | Type::Map(_) | Type::Effect
        )
    };
    let comparable = (left.is_number() && right.is_number()) || left.fits(right);
    ordered(left) && ordered(right) && comparable
}

fn is_in(item: &Type, container: &Type) -> bool {
    match container {
        Type::List(of) => item.can_equal(of),
        Type::Map(_) => item.is_number() || matches!(item, Bool | Type::String | Dyn),
        Type::Effect => item.fits(&Type::String),
        Dyn => true,
        _ => false,
    }
}

fn index(container: &Type, at: &Type) -> Option<Type> {
    match container {
        Type::List(of) if at.is_number() || *at == Dyn => Some((**of).clone()),
        Type::Map(of) if at.is_number() || matches!(at, Bool | Type::String | Dyn) => {
            Some((**of).clone())
        }
        Type::Effect if at.fits(&Type::String) => Some(Dyn),
        Dyn => Some(Dyn),
        _ => None,
    }
}

fn arithmetic(operator: &str, left: &Type, right: &Type) -> Option<Type> {
    let (adds, takes) = (operator == operators::ADD, operator == operators::SUBSTRACT);
    let only_whole = operator == operators::MODULO;
    let one = |known: &Type| match known {
        Int | Uint => Some(known.clone()),
        Double if !only_whole => Some(Double),
        Type::String | Bytes if adds => Some(known.clone()),
        Type::List(_) if adds => Some(Type::list_of_any()),
        Timestamp | Duration if adds || takes => Some(Dyn),
        _ => None,
    };
    match (left, right) {
        (Dyn, Dyn) => Some(Dyn),
        (Dyn, known) | (known, Dyn) => one(known),
        (Timestamp, Timestamp) if takes => Some(Duration),
        (Timestamp, Duration) if adds || takes => Some(Timestamp),
        (Duration, Timestamp) if adds => Some(Timestamp),
        (Duration, Duration) if adds || takes => Some(Duration),
        (Timestamp | Duration, _) | (_, Timestamp | Duration) => None,
        (Type::List(one), Type::List(other)) if adds => Some(Type::List(Box::new(
            one.as_ref().clone().join(other.as_ref().clone()),
        ))),
        (left, right) if left == right => one(left),
        _ => None,
    }
}

/// One way to call a function.
pub(super) struct Overload {
    pub(super) name: &'static str,
    /// What stands before the dot, where it is called so.
    pub(super) receiver: Option<Want>,
    pub(super) args: &'static [Want],
    pub(super) result: Want,
}

/// A type in the table of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    Type,
    List,
    Map,
    Any,
}

impl From<Want> for Type {
    fn from(want: Want) -> Self {
        match want {
            Want::Bool => Self::Bool,
            Want::Int => Self::Int,
            Want::Uint => Self::Uint,
            Want::Double => Self::Double,
            Want::String => Self::String,
            Want::Bytes => Self::Bytes,
            Want::Timestamp => Self::Timestamp,
            Want::Duration => Self::Duration,
            Want::Type => Self::Named,
            Want::List => Self::list_of_any(),
            Want::Map => Self::map_of_any(),
            Want::Any => Self::Dyn,
        }
    }
}

/// The functions by which the time zone of their first argument counts.
pub(super) const CLOCK_FUNCTIONS: [&str; 10] = [
    "getFullYear",
    "getMonth",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
];

/// The macros, which are no functions and give themselves away only when they are called wrongly.
pub(super) const MACROS: [&str; 7] = [
    "has",
    "all",
    "exists",
    "exists_one",
    "existsOne",
    "map",
    "filter",
];

/// All ways to call a function of this name.
pub(super) fn overloads(name: &str) -> Vec<&'static Overload> {
    FUNCTIONS.iter().filter(|it| it.name == name).collect()
}

/// The names of all functions and macros.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|it| it.name).chain(MACROS)
}

/// Rows of a table of functions: `name (arguments) -> result` or `receiver.name (arguments) -> result`.
macro_rules! functions {
    ($($( $receiver:ident . )? $name:literal ( $($arg:ident),* ) -> $result:ident;)*) => {
        &[$(Overload {
            name: $name,
            receiver: functions!(@receiver $($receiver)?),
            args: &[$(Want::$arg),*],
            result: Want::$result,
        }),*]
    };
    (@receiver) => { None };
    (@receiver $receiver:ident) => { Some(Want::$receiver) };
}

static FUNCTIONS: &[Overload] = functions! {
    "size"(String) -> Int;
    "size"(Bytes) -> Int;
    "size"(List) -> Int;
    "size"(Map) -> Int;
    String."size"() -> Int;
    Bytes."size"() -> Int;
    List."size"() -> Int;
    Map."size"() -> Int;
    "bool"(Bool) -> Bool;
    "bool"(String) -> Bool;
    "bytes"(String) -> Bytes;
    "bytes"(Bytes) -> Bytes;
    "double"(Double) -> Double;
    "double"(Int) -> Double;
    "double"(Uint) -> Double;
    "double"(String) -> Double;
    "int"(Int) -> Int;
    "int"(Uint) -> Int;
    "int"(Double) -> Int;
    "int"(String) -> Int;
    "int"(Timestamp) -> Int;
    "uint"(Uint) -> Uint;
    "uint"(Int) -> Uint;
    "uint"(Double) -> Uint;
    "uint"(String) -> Uint;
    "string"(String) -> String;
    "string"(Bool) -> String;
    "string"(Int) -> String;
    "string"(Uint) -> String;
    "string"(Double) -> String;
    "string"(Bytes) -> String;
    "string"(Timestamp) -> String;
    "string"(Duration) -> String;
    "timestamp"(String) -> Timestamp;
    "timestamp"(Timestamp) -> Timestamp;
    "timestamp"(Int) -> Timestamp;
    "duration"(String) -> Duration;
    "duration"(Duration) -> Duration;
    "dyn"(Any) -> Any;
    "type"(Any) -> Type;
    String."contains"(String) -> Bool;
    String."startsWith"(String) -> Bool;
    String."endsWith"(String) -> Bool;
    "matches"(String, String) -> Bool;
    String."matches"(String) -> Bool;
    "glob"(String, String) -> Bool;
    String."glob"(String) -> Bool;
    "under"(String, String) -> Bool;
    "host"(String) -> String;
    Timestamp."getFullYear"() -> Int;
    Timestamp."getFullYear"(String) -> Int;
    Timestamp."getMonth"() -> Int;
    Timestamp."getMonth"(String) -> Int;
    Timestamp."getDate"() -> Int;
    Timestamp."getDate"(String) -> Int;
    Timestamp."getDayOfMonth"() -> Int;
    Timestamp."getDayOfMonth"(String) -> Int;
    Timestamp."getDayOfWeek"() -> Int;
    Timestamp."getDayOfWeek"(String) -> Int;
    Timestamp."getDayOfYear"() -> Int;
    Timestamp."getDayOfYear"(String) -> Int;
    Timestamp."getHours"() -> Int;
    Timestamp."getHours"(String) -> Int;
    Timestamp."getMinutes"() -> Int;
    Timestamp."getMinutes"(String) -> Int;
    Timestamp."getSeconds"() -> Int;
    Timestamp."getSeconds"(String) -> Int;
    Timestamp."getMilliseconds"() -> Int;
    Timestamp."getMilliseconds"(String) -> Int;
    Duration."getHours"() -> Int;
    Duration."getMinutes"() -> Int;
    Duration."getSeconds"() -> Int;
    Duration."getMilliseconds"() -> Int;
};

/// Names that stand for types.
pub(super) const TYPE_NAMES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "duration",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "timestamp",
    "type",
    "uint",
];
