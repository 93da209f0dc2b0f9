//! Takes secrets out of text that hooks print, before anybody reads it. Patterns only: it knows the
//! shapes of common credentials and `name=value` pairs whose name says that the value is secret.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex_lite::Regex;

/// What stands where a secret was.
#[cfg(test)]
const MARK: &str = "[redacted]";

/// A name that says that its value is secret, up to the sign that follows it.
macro_rules! secret_name {
    () => {
        concat!(
            r"(?i)\b([A-Z0-9_.-]*(?:secret|passwd|password|passphrase|token|api[_-]?key|",
            r#"access[_-]?key|private[_-]?key|credential)[A-Z0-9_.-]*["']?\s*"#
        )
    };
}

/// A quoted text. Others may follow it without a blank: a shell takes them for one value.
macro_rules! quoted {
    () => {
        r#"(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"#
    };
}

/// A pattern and its replacement.
const PATTERNS: &[(&str, &str)] = &[
    (
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
        "[redacted]",
    ),
    (r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", "[redacted]"),
    (
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
        "[redacted]",
    ),
    (r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}", "[redacted]"),
    (r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}", "[redacted]"),
    (r"\bAIza[0-9A-Za-z_-]{30,}", "[redacted]"),
    (
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        "[redacted]",
    ),
    (
        r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/_.=~-]{12,}",
        "$1 [redacted]",
    ),
    (
        r"([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*):[^\s/@]+@",
        "$1:[redacted]@",
    ),
    // `name=value`: any value. `name: value`: a quoted one, or one with a digit, since prose has
    // colons, too.
    (
        concat!(secret_name!(), r"=\s*)(?:", quoted!(), r#"|[^\s"',;])+"#),
        "$1[redacted]",
    ),
    (
        concat!(
            secret_name!(),
            r":\s*)(?:",
            quoted!(),
            "(?:",
            quoted!(),
            r#"|[^\s"',;])*|[^\s"',;0-9]*[0-9][^\s"',;]*)"#
        ),
        "$1[redacted]",
    ),
];

fn patterns() -> &'static [(Regex, &'static str)] {
    static COMPILED: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        PATTERNS
            .iter()
            // A test asserts that every pattern compiles.
            .filter_map(|(pattern, to)| Regex::new(pattern).ok().map(|regex| (regex, *to)))
            .collect()
    })
}

/// `text` with everything that looks like a secret replaced by `[redacted]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for (regex, to) in patterns() {
        if let Cow::Owned(replaced) = regex.replace_all(&current, *to) {
            current = Cow::Owned(replaced);
        }
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(patterns().len(), PATTERNS.len());
    }

    #[test]
    fn secrets_go_and_words_stay() {
        let secret = "s3cr3tValue0123456789";
        for (text, kept) in [
            (format!("X_API_KEY={secret} is set"), "is set"),
            (
                format!("AWS_SECRET_ACCESS_KEY: '{secret} with blank' end"),
                "end",
            ),
            (format!(r#"{{"token": "{secret}", "user": "ann"}}"#), "ann"),
            (
                // A shell takes the parts for one word, whatever their quotes.
                format!(r#"TOKEN='a'{secret}"b {secret}"'{secret}' end"#),
                "end",
            ),
            (
                format!(r#"{{"token": "a\"{secret}", "user": "ann"}}"#),
                "ann",
            ),
            (format!("Authorization: Bearer {secret}"), "Bearer"),
            (
                format!("clone https://ann:{secret}@example.org/x"),
                "example.org/x",
            ),
            (format!("key ghp_{secret}{secret}"), "key"),
            (format!("key sk-ant-{secret}"), "key"),
            (
                format!(
                    "-----BEGIN RSA PRIVATE KEY-----\n{secret}\n-----END RSA PRIVATE KEY-----."
                ),
                ".",
            ),
            (format!("cut -----BEGIN PRIVATE KEY-----\n{secret}"), "cut"),
        ] {
            let clean = redact(&text);
            assert!(!clean.contains("s3cr3t"), "{clean}");
            assert!(clean.contains(MARK) && clean.contains(kept), "{clean}");
        }
    }

    #[test]
    fn honest_text_is_untouched() {
        for text in [
            "No pushes after 18:00; ask in #release.",
            "The token bucket is empty, wait 3 s",
            "use sk-learn instead",
            "/x.sh: 3: POLICY_TOKEN: parameter not set",
        ] {
            assert!(
                matches!(redact(text), Cow::Borrowed(_)),
                "{text} -> {}",
                redact(text)
            );
        }
    }
}
