//! Objects that are read as objects only. A derived reader takes an array of a structure's fields
//! for the structure as well, so that a strict format would have two spellings.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer};

/// A structure that stands in a document as an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

/// Reads a field that is an object; for `#[serde(deserialize_with = …)]`.
///
/// # Errors
///
/// Those of `T`, and any value that is no object.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Visitor(PhantomData))
}

/// Reads a field that is a list of objects; for `#[serde(deserialize_with = …)]`.
///
/// # Errors
///
/// Those of `T`, and any value that is no list of objects.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let list: Vec<Object<T>> = Vec::deserialize(deserializer)?;
    Ok(list.into_iter().map(|Object(item)| item).collect())
}

struct Visitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for Visitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, entries: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Point {
        x: u8,
        #[serde(default, deserialize_with = "objects")]
        more: Vec<Point>,
    }

    /// Found by fuzzing: `[1, []]` is no spelling of an object.
    #[test]
    fn an_array_is_no_object() {
        let read = |text: &str| serde_json::from_str::<Object<Point>>(text).map(|it| it.0.x);
        assert_eq!(read(r#"{"x": 1, "more": [{"x": 2}]}"#).unwrap(), 1);
        for text in ["[1, []]", r#"{"x": 1, "more": [[2, []]]}"#, "1", "null"] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("expected an object at line 1"), "{error}");
        }
        for text in [r#"{"x": 1, "y": 2}"#, r#"{"x": 1, "x": 1}"#, "{}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
