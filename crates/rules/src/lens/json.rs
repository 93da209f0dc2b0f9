//! Reads JSON text in place: entries of one level as slices of the text, and strings at any level.
//!
//! Builds no tree and copies no text that needs no decoding. The text is one that
//! [`ToolInput`](hookward_contract::ToolInput) has checked: syntax and depth are known to be sound.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Most entries of one level that are looked at.
pub(super) const MAX_ENTRIES: usize = 1_024;

/// What `serde_json` names the only key of a number that it hands over as a map.
const NUMBER: &str = "$serde_json::private::Number";

/// The entries of an object, the items of an array with empty keys, or a scalar as one item.
#[derive(Debug, Default)]
pub(super) struct Entries<'a> {
    /// Keys and values, in the order of the text.
    pub(super) list: Vec<(Cow<'a, str>, &'a RawValue)>,
    /// Whether there are more than [`MAX_ENTRIES`], so that some are missing in the list.
    pub(super) cut: bool,
}

impl<'a> Entries<'a> {
    /// Reads one level of `raw`.
    pub(super) fn of(raw: &'a RawValue) -> Self {
        if !is_nested(raw) {
            return Self {
                list: vec![(Cow::Borrowed(""), raw)],
                cut: false,
            };
        }
        let mut json = serde_json::Deserializer::from_str(raw.get());
        json.disable_recursion_limit();
        // Nothing is lost in silence: a text that cannot be read has entries that are missing.
        json.deserialize_any(EntriesVisitor).unwrap_or(Self {
            list: Vec::new(),
            cut: true,
        })
    }

    /// The value of a key; `null` is taken for a missing one.
    pub(super) fn get(&self, key: &str) -> Option<&'a RawValue> {
        let (_, raw) = self.list.iter().find(|(name, _)| name == key)?;
        (raw.get() != "null").then_some(*raw)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Entries::default();
        while let Some(Text(key)) = map.next_key()? {
            if entries.list.len() < MAX_ENTRIES {
                entries.list.push((key, map.next_value()?));
            } else {
                entries.cut = true;
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(entries)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut entries = Entries::default();
        while entries.list.len() < MAX_ENTRIES {
            match items.next_element()? {
                Some(item) => entries.list.push((Cow::Borrowed(""), item)),
                None => return Ok(entries),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {
            entries.cut = true;
        }
        Ok(entries)
    }
}

/// A string, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// The value as a string, if it is one.
pub(super) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let Text(text) = serde_json::from_str(raw.get()).ok()?;
    Some(text)
}

/// The value as a list of strings, if it is one of at most [`MAX_ENTRIES`].
pub(super) fn texts(raw: &RawValue) -> Option<Vec<Cow<'_, str>>> {
    if !raw.get().starts_with('[') {
        return None;
    }
    let entries = Entries::of(raw);
    let all = entries.list.iter().map(|(_, item)| text(item));
    if entries.cut { None } else { all.collect() }
}

/// Whether the value is a string.
pub(super) fn is_text(raw: &RawValue) -> bool {
    raw.get().starts_with('"')
}

/// Whether the value is an object or an array.
pub(super) fn is_nested(raw: &RawValue) -> bool {
    raw.get().starts_with(['{', '['])
}

/// Shows `visit` every string of a value with the key nearest to it, `key` for those without. Keys
/// of objects are strings, too; theirs is empty.
pub(super) fn strings(raw: &RawValue, key: &str, visit: &mut dyn FnMut(&str, &str)) {
    let mut json = serde_json::Deserializer::from_str(raw.get());
    json.disable_recursion_limit();
    // The text is known to be sound; at worst what comes after an error is not seen.
    let _ = Strings { key, visit }.deserialize(&mut json);
}

struct Strings<'v> {
    key: &'v str,
    visit: &'v mut dyn FnMut(&str, &str),
}

impl<'de> DeserializeSeed<'de> for Strings<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        (self.visit)(self.key, text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Strings { key, visit } = self;
        while items.next_element_seed(Strings { key, visit })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Strings { key, visit } = self;
        while let Some(Text(inner)) = entries.next_key()? {
            // The digits of a number are shown as a string, so that no object can hide one by
            // looking like a number.
            if inner == NUMBER {
                entries.next_value_seed(Strings { key, visit })?;
                continue;
            }
            visit("", &inner);
            entries.next_value_seed(Strings { key: &inner, visit })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn one_level_is_read_in_place() {
        let input = raw(r#"{"a": "x", "b": [1, 2], "\u0063": null}"#);
        let entries = Entries::of(&input);
        let keys: Vec<_> = entries.list.iter().map(|(key, _)| key.as_ref()).collect();
        assert_eq!(keys, ["a", "b", "c"]);
        assert_eq!(entries.get("b").unwrap().get(), "[1, 2]");
        assert!(entries.get("c").is_none());
        let Some(Cow::Borrowed("x")) = text(entries.get("a").unwrap()) else {
            panic!("copied");
        };
    }

    #[test]
    fn long_levels_say_that_they_are_cut() {
        for (count, cut) in [(MAX_ENTRIES, false), (MAX_ENTRIES + 1, true)] {
            let list = raw(&format!("[{}1]", "1,".repeat(count - 1)));
            let entries = Entries::of(&list);
            assert_eq!((entries.list.len(), entries.cut), (MAX_ENTRIES, cut));
        }
    }

    #[test]
    fn every_string_is_seen_with_its_key() {
        let input = raw(
            r#"{"a":["x",{"b":"y\n"}],"n":123456789012345678901234567890,"f":{"k.txt":true},
               "m":{"$serde_json::private::Number":"/etc"}}"#,
        );
        let mut seen = Vec::new();
        strings(&input, "", &mut |key, text| {
            seen.push(format!("{key}={text}"));
        });
        let expected = [
            "=a",
            "a=x",
            "=b",
            "b=y\n",
            "=n",
            "n=123456789012345678901234567890",
            "=f",
            "=k.txt",
            "=m",
            "m=/etc",
        ];
        assert_eq!(seen, expected);
    }
}
