//! Finds the mistakes of a parsed expression before it is ever evaluated: unknown names, wrong
//! types, patterns that are none. It changes nothing and evaluates nothing.

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, SelectExpr,
    SourceInfo, operators,
};

use super::error::{ExpressionError, ExpressionErrorKind as Kind};
use super::patterns;
use super::shown;
use super::span;
use super::types::{self, Overload, Type};
use super::variables::{EFFECT_FIELDS, Variable};

/// All mistakes of an expression, in the order of its text.
pub(super) fn check(expression: &IdedExpr, source: &SourceInfo) -> Vec<ExpressionError> {
    let mut checker = Checker {
        source,
        locals: Vec::new(),
        errors: Vec::new(),
    };
    let found = checker.infer(expression);
    if !found.fits(&Type::Bool) && checker.errors.is_empty() {
        checker.report(
            expression,
            Kind::NotBool(found.to_string()),
            "compare the value with something, as in `size(effects) > 0`",
        );
    }
    checker.errors.sort_by_key(|error| error.span.start);
    checker.errors
}

struct Checker<'a> {
    source: &'a SourceInfo,
    /// The variables of the loops around, and their accumulators.
    locals: Vec<(&'a str, Type)>,
    errors: Vec<ExpressionError>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, at: &IdedExpr, kind: Kind, help: impl Into<String>) {
        self.errors.push(ExpressionError {
            span: span::of(at, self.source),
            kind,
            help: help.into(),
        });
    }

    fn infer(&mut self, expression: &'a IdedExpr) -> Type {
        match &expression.expr {
            Expr::Literal(literal) => literal_type(literal),
            Expr::Ident(name) => self.name(expression, name),
            Expr::Select(select) => self.select(expression, select),
            Expr::Call(call) => self.call(expression, call),
            Expr::List(list) => Type::List(Box::new(self.items(list))),
            Expr::Map(map) => {
                let mut of = None;
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.infer(&entry.key);
                        of = Some(joined(of, self.infer(&entry.value)));
                    }
                }
                Type::Map(Box::new(of.unwrap_or(Type::Dyn)))
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(_) => {
                self.report(
                    expression,
                    Kind::Unsupported("a message with named fields"),
                    "use a map, as in `{'key': value}`",
                );
                Type::Dyn
            }
            Expr::Unspecified => {
                self.report(expression, Kind::Unsupported("an empty part"), "remove it");
                Type::Dyn
            }
        }
    }

    fn items(&mut self, list: &'a ListExpr) -> Type {
        let items = list.elements.iter();
        let of = items.fold(None, |of, item| Some(joined(of, self.infer(item))));
        of.unwrap_or(Type::Dyn)
    }

    fn name(&mut self, at: &IdedExpr, name: &str) -> Type {
        if let Some((_, local)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return local.clone();
        }
        if let Some(variable) = Variable::named(name) {
            return variable.value_type();
        }
        if types::TYPE_NAMES.contains(&name) {
            return Type::Named;
        }
        let mut names: Vec<&str> = self.locals.iter().map(|(name, _)| *name).collect();
        names.retain(|name| !name.starts_with('@'));
        for variable in Variable::ALL {
            names.push(variable.name());
        }
        let help = suggest(name, names.into_iter(), "variables");
        self.report(at, Kind::UnknownVariable(shown(name)), help);
        Type::Dyn
    }

    fn select(&mut self, at: &IdedExpr, select: &'a SelectExpr) -> Type {
        if is_protobuf_type(at) {
            return Type::Named;
        }
        let operand = self.infer(&select.operand);
        let found = match operand {
            Type::Dyn => Type::Dyn,
            Type::Map(of) => *of,
            Type::Effect => self.effect_field(at, &select.field),
            other => {
                let kind = Kind::Overload {
                    operation: format!(".{}", shown(&select.field)),
                    types: other.to_string(),
                };
                self.report(
                    at,
                    kind,
                    "only maps, effects and parts of `input` have fields",
                );
                Type::Dyn
            }
        };
        if select.test { Type::Bool } else { found }
    }

    fn effect_field(&mut self, at: &IdedExpr, name: &str) -> Type {
        let field = EFFECT_FIELDS.iter().find(|(field, _)| *field == name);
        if let Some((_, of)) = field {
            return of.clone();
        }
        let fields = EFFECT_FIELDS.iter().map(|(field, _)| *field);
        let help = suggest(name, fields, "fields of effects");
        self.report(at, Kind::UnknownField(shown(name)), help);
        Type::Dyn
    }

    fn call(&mut self, at: &IdedExpr, call: &'a CallExpr) -> Type {
        let receiver = call.target.as_deref().map(|target| self.infer(target));
        let args: Vec<Type> = call.args.iter().map(|arg| self.infer(arg)).collect();
        let name = call.func_name.as_str();
        let result = match (&receiver, args.as_slice()) {
            (None, [condition, yes, no]) if name == operators::CONDITIONAL => condition
                .fits(&Type::Bool)
                .then(|| yes.clone().join(no.clone())),
            (None, [operand]) if matches!(name, operators::LOGICAL_NOT | operators::NEGATE) => {
                types::unary(name, operand)
            }
            (None, [_]) if name == operators::NOT_STRICTLY_FALSE => Some(Type::Bool),
            (None, [left, right]) if shown_operator(name).is_some() => {
                types::binary(name, left, right)
            }
            _ => return self.function(at, call, receiver.as_ref(), &args),
        };
        result.unwrap_or_else(|| self.overload(at, name, receiver.as_ref(), &args))
    }

    fn function(
        &mut self,
        at: &IdedExpr,
        call: &'a CallExpr,
        receiver: Option<&Type>,
        args: &[Type],
    ) -> Type {
        let name = call.func_name.as_str();
        let ways = types::overloads(name);
        if ways.is_empty() && !types::MACROS.contains(&name) {
            let help = suggest(name, types::function_names(), "functions");
            self.report(at, Kind::UnknownFunction(shown(name)), help);
            return Type::Dyn;
        }
        let in_this_way = |way: &&&Overload| {
            way.receiver.is_some() == receiver.is_some() && way.args.len() == args.len()
        };
        let countable: Vec<_> = ways.iter().filter(in_this_way).collect();
        if countable.is_empty() {
            let kind = Kind::WrongArguments {
                function: shown(name),
                found: args.len(),
            };
            self.report(at, kind, usage(name, &ways));
            return Type::Dyn;
        }
        self.literals(call, receiver);
        let mut results = countable.iter().filter(|way| {
            let wanted = way.receiver.iter().chain(way.args);
            let mut given = receiver.into_iter().chain(args).zip(wanted);
            given.all(|(given, wanted)| given.fits(&Type::from(*wanted)))
        });
        let Some(first) = results.next() else {
            return self.overload(at, name, receiver, args);
        };
        results.fold(Type::from(first.result), |result, way| {
            result.join(Type::from(way.result))
        })
    }

    /// Checks the arguments whose text is there already.
    fn literals(&mut self, call: &'a CallExpr, receiver: Option<&Type>) {
        let name = call.func_name.as_str();
        if let (Some(_), [zone]) = (receiver, call.args.as_slice())
            && types::CLOCK_FUNCTIONS.contains(&name)
            && let Some(text) = literal_text(zone)
            && !is_time_zone(text)
        {
            let zones = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
            let help = suggest(text, zones, "");
            let help = format!("{help}use a name like `Europe/Berlin` or an offset like `+02:00`");
            self.report(zone, Kind::UnknownTimeZone(shown(text)), help);
        }
        let Some((pattern, _)) = patterns::operands(call) else {
            return;
        };
        if let Some(text) = literal_text(pattern)
            && let Err(kind) = patterns::Pattern::compile(name, text)
        {
            let help = match kind {
                Kind::BadGlob(_) => "use `*`, `**`, `?`, `[…]` and `{…,…}`",
                _ => "see the syntax of the crate `regex`; there is no look-around and no \\1",
            };
            self.report(pattern, kind, help);
        }
    }

    fn overload(
        &mut self,
        at: &IdedExpr,
        name: &str,
        receiver: Option<&Type>,
        args: &[Type],
    ) -> Type {
        let operator = shown_operator(name);
        let given = receiver.into_iter().chain(args).map(Type::to_string);
        let kind = Kind::Overload {
            operation: operator.unwrap_or(name).to_owned(),
            types: given.collect::<Vec<_>>().join(" and "),
        };
        let help = match operator {
            Some(_) => "convert one side, with `string(…)`, `int(…)` …, or compare another value"
                .to_owned(),
            None => usage(name, &types::overloads(name)),
        };
        self.report(at, kind, help);
        Type::Dyn
    }

    fn comprehension(&mut self, comprehension: &'a ComprehensionExpr) -> Type {
        let range = self.infer(&comprehension.iter_range);
        let item = match range {
            Type::List(of) => *of,
            Type::Effect => Type::String,
            Type::Map(_) | Type::Dyn => Type::Dyn,
            other => {
                let kind = Kind::Overload {
                    operation: "a loop".to_owned(),
                    types: other.to_string(),
                };
                let help = "`all`, `exists`, `map` and `filter` are for lists and maps";
                self.report(&comprehension.iter_range, kind, help);
                Type::Dyn
            }
        };
        let kept = self.locals.len();
        let start = self.infer(&comprehension.accu_init);
        self.locals.push((&comprehension.accu_var, start));
        self.locals.push((&comprehension.iter_var, item));
        let result = self.step(&comprehension.loop_step);
        self.locals.truncate(kept);
        result
    }

    /// The result of a loop with this step. `@result + […]` collects; its list is what results.
    fn step(&mut self, step: &'a IdedExpr) -> Type {
        let Expr::Call(call) = &step.expr else {
            return Type::Dyn;
        };
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, then, _]) => {
                let found = self.infer(condition);
                if !found.fits(&Type::Bool) {
                    self.report(
                        condition,
                        Kind::NotBool(found.to_string()),
                        "the condition of a loop gives true or false",
                    );
                }
                self.step(then)
            }
            (operators::ADD, [_, added]) => match self.infer(added) {
                list @ Type::List(_) => list,
                _ => Type::Bool,
            },
            _ => self.infer(step),
        }
    }
}

fn joined(of: Option<Type>, item: Type) -> Type {
    match of {
        Some(of) => of.join(item),
        None => item,
    }
}

fn literal_type(literal: &LiteralValue) -> Type {
    match literal {
        LiteralValue::Boolean(_) => Type::Bool,
        LiteralValue::Bytes(_) => Type::Bytes,
        LiteralValue::Double(_) => Type::Double,
        LiteralValue::Int(_) => Type::Int,
        LiteralValue::Null => Type::Null,
        LiteralValue::String(_) => Type::String,
        LiteralValue::UInt(_) => Type::Uint,
    }
}

/// The text of a quoted literal.
pub(super) fn literal_text(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

/// `google.protobuf.Timestamp` and its like name types.
fn is_protobuf_type(expression: &IdedExpr) -> bool {
    let Expr::Select(name) = &expression.expr else {
        return false;
    };
    let Expr::Select(package) = &name.operand.expr else {
        return false;
    };
    matches!(&package.operand.expr, Expr::Ident(root) if root == "google")
        && package.field == "protobuf"
        && matches!(name.field.as_str(), "Timestamp" | "Duration")
}

/// A name of the time zone database, an offset `+hh:mm`, or nothing, which is UTC.
fn is_time_zone(text: &str) -> bool {
    let Some((hours, minutes)) = text.split_once(':') else {
        return text.is_empty() || text.parse::<chrono_tz::Tz>().is_ok();
    };
    let within = |text: &str, most: i32| text.parse::<i32>().is_ok_and(|it| it.abs() <= most);
    within(hours, 23) && within(minutes, 59) && !minutes.starts_with(['-'])
}

/// An operator as it is written; `None` for functions.
fn shown_operator(name: &str) -> Option<&'static str> {
    Some(match name {
        operators::CONDITIONAL => "?:",
        operators::LOGICAL_AND => "&&",
        operators::LOGICAL_OR => "||",
        operators::LOGICAL_NOT => "!",
        operators::SUBSTRACT | operators::NEGATE => "-",
        operators::ADD => "+",
        operators::MULTIPLY => "*",
        operators::DIVIDE => "/",
        operators::MODULO => "%",
        operators::EQUALS => "==",
        operators::NOT_EQUALS => "!=",
        operators::GREATER_EQUALS => ">=",
        operators::LESS_EQUALS => "<=",
        operators::GREATER => ">",
        operators::LESS => "<",
        operators::INDEX => "[]",
        operators::IN => "in",
        _ => return None,
    })
}

/// How a function or macro is called.
fn usage(name: &str, ways: &[&Overload]) -> String {
    let text = match name {
        "has" => "has(map.field)",
        "map" => "list.map(x, value)` or `list.map(x, condition, value)",
        "all" | "exists" | "exists_one" | "existsOne" | "filter" => {
            return format!("it is called as `list.{name}(x, condition)`");
        }
        "glob" => "glob(pattern, text)` or `text.glob(pattern)",
        "under" => "under(path, directory)",
        "matches" => "text.matches(pattern)",
        _ => "",
    };
    if !text.is_empty() {
        return format!("it is called as `{text}`");
    }
    let mut shown: Vec<String> = Vec::new();
    for way in ways {
        let receiver = way.receiver.map(|it| format!("{}.", Type::from(it)));
        let args = way.args.iter().map(|it| Type::from(*it).to_string());
        let args = args.collect::<Vec<_>>().join(", ");
        shown.push(format!("`{}{name}({args})`", receiver.unwrap_or_default()));
    }
    format!("it is called as {}", shown.join(", "))
}

/// `did you mean …`, or what there is.
fn suggest<'n>(name: &str, known: impl Iterator<Item = &'n str>, what: &str) -> String {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    let score = |it: &&str| strsim::damerau_levenshtein(&name.to_lowercase(), &it.to_lowercase());
    let nearest = known.iter().min_by_key(|it| score(it));
    match nearest {
        Some(near) if name.len() <= 80 && score(near) <= 1 + name.chars().count() / 4 => {
            format!("did you mean `{near}`? ")
        }
        _ if what.is_empty() => String::new(),
        _ => format!("the {what} are {}", known.join(", ")),
    }
}
