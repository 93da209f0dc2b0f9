//! From JSON text to values of the expression language, without losing digits. It reads text that a
//! stricter reader has accepted already, and never looks at what the values mean.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use cel::common::types::{
    CelBool, CelBytes, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value that may borrow from the text it was read from.
pub(crate) type Value<'a> = Box<dyn Val + 'a>;

/// The key by which `serde_json` hands out a number that keeps its digits.
const NUMBER: &str = "$serde_json::private::Number";

/// What a scalar, a key or a container itself counts for in [`size`].
const NODE_BYTES: usize = 32;

/// Reads one JSON text. `null` where it is no JSON, which a tool's input never is.
pub(crate) fn from_json(text: &str) -> Value<'_> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.disable_recursion_limit();
    let value = Reader { text }.deserialize(&mut json);
    value.unwrap_or_else(|_| Box::new(CelNull))
}

/// A text as a value.
pub(crate) fn text<'a>(text: impl Into<Cow<'a, str>>) -> Value<'a> {
    Box::new(CelString::from(text.into()))
}

/// Names and texts as a map.
pub(crate) fn text_map(entries: &[(String, String)]) -> Value<'_> {
    let entries = entries.iter();
    let map: HashMap<CelMapKey<'_>, Value<'_>> = entries
        .map(|(name, value)| (CelMapKey::from(name.as_str()), text(value.as_str())))
        .collect();
    Box::new(CelMap::from(map))
}

/// About how many bytes a value holds, everything below it included. Stops counting above `most`,
/// so that it takes no longer than that.
pub(crate) fn size(value: &dyn Val, most: usize) -> usize {
    let mut bytes = NODE_BYTES;
    if let Some(text) = value.downcast_ref::<CelString>() {
        bytes += text.inner().len();
    } else if let Some(raw) = value.downcast_ref::<CelBytes>() {
        bytes += raw.inner().len();
    } else if let Some(list) = value.downcast_ref::<CelList>() {
        for item in list.inner() {
            if bytes > most {
                break;
            }
            bytes += size(item.as_ref(), most - bytes);
        }
    } else if let Some(map) = value.downcast_ref::<CelMap>() {
        for (key, item) in map.inner() {
            if bytes > most {
                break;
            }
            bytes += size(key.inner(), most) + NODE_BYTES;
            bytes += size(item.as_ref(), most.saturating_sub(bytes));
        }
    }
    bytes
}

/// A number from its digits: `int`, else `uint`, else `double`. A whole number that fits neither,
/// and one that no `double` reaches, is the text of its digits.
fn number(digits: &str) -> Value<'static> {
    if let Ok(int) = digits.parse::<i64>() {
        return Box::new(CelInt::from(int));
    }
    if let Ok(uint) = digits.parse::<u64>() {
        return Box::new(CelUInt::from(uint));
    }
    let is_whole = !digits.contains(['.', 'e', 'E']);
    match digits.parse::<f64>() {
        Ok(double) if double.is_finite() && !is_whole => Box::new(CelDouble::from(double)),
        _ => text(digits.to_owned()),
    }
}

/// Reads a value of `text`.
#[derive(Clone, Copy)]
struct Reader<'a> {
    text: &'a str,
}

impl<'de> DeserializeSeed<'de> for Reader<'de> {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'de> {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(Box::new(CelBool::from(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value<'de>, E> {
        Ok(Box::new(CelInt::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value<'de>, E> {
        Ok(match i64::try_from(value) {
            Ok(int) => Box::new(CelInt::from(int)),
            Err(_) => Box::new(CelUInt::from(value)),
        })
    }

    fn visit_str<E>(self, value: &str) -> Result<Value<'de>, E> {
        Ok(text(value.to_owned()))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Value<'de>, E> {
        Ok(text(value))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Box::new(CelNull))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let mut list: Vec<Value<'de>> = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Box::new(CelList::from(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut map: HashMap<CelMapKey<'de>, Value<'de>> = HashMap::new();
        while let Some(key) = entries.next_key_seed(KeyReader)? {
            match key {
                // A key of this name that stands in the text is a key like others.
                Cow::Borrowed(NUMBER) if !is_part(self.text, &key) => {
                    return Ok(number(&entries.next_value::<String>()?));
                }
                Cow::Borrowed(key) => map.insert(key.into(), entries.next_value_seed(self)?),
                Cow::Owned(key) => map.insert(key.into(), entries.next_value_seed(self)?),
            };
        }
        Ok(Box::new(CelMap::from(map)))
    }
}

/// Whether `part` is a piece of this very text.
fn is_part(text: &str, part: &str) -> bool {
    text.as_bytes().as_ptr_range().contains(&part.as_ptr())
}

/// Reads a key, borrowed where it has no escapes.
struct KeyReader;

impl<'de> DeserializeSeed<'de> for KeyReader {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeyReader {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn type_name(text: &str) -> String {
        from_json(text).get_type().name().to_owned()
    }

    /// Case B193: digits are not rounded.
    #[test]
    fn b193_numbers_keep_their_digits() {
        let value = from_json("7960607143101464577");
        let int = value.downcast_ref::<CelInt>().map(|int| *int.inner());
        assert_eq!(int, Some(7_960_607_143_101_464_577));
        for (text, expected) in [
            ("-0", "int"),
            ("-9223372036854775808", "int"),
            ("9223372036854775808", "uint"),
            ("18446744073709551615", "uint"),
            ("18446744073709551616", "string"),
            ("-9223372036854775809", "string"),
            ("1.5", "double"),
            ("1e3", "double"),
            ("1e999", "string"),
        ] {
            assert_eq!(type_name(text), expected, "{text}");
        }
    }

    #[test]
    fn a_key_named_like_a_number_is_a_key() {
        for text in [
            r#"{"$serde_json::private::Number":"12"}"#,
            r#"{"\u0024serde_json::private::Number":"12"}"#,
            r#"{"$serde_json::private::RawValue":"12"}"#,
        ] {
            assert_eq!(type_name(text), "map", "{text}");
        }
    }

    #[test]
    fn sizes_grow_with_the_text_and_stop_at_the_limit() {
        let long = format!("[\"{}\", {{\"key\": [1, 2]}}]", "x".repeat(1_000));
        let whole = size(from_json(&long).as_ref(), usize::MAX);
        assert!((1_100..1_400).contains(&whole), "{whole}");
        let many = format!("[{}0]", "0,".repeat(100_000));
        assert!(size(from_json(&many).as_ref(), 1_000) < 1_100);
    }
}
