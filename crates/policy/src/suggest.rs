//! Did-you-mean: the known word that a mistaken one most likely stands for.

/// The candidate closest to `word`, if one is close enough to be worth a suggestion.
///
/// Spellings that differ only in case, `_` and `-` are closest; then few edits; then a word that is
/// the beginning of a candidate.
pub(crate) fn closest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if word.len() > 64 {
        return None;
    }
    let folded = fold(word);
    if folded.is_empty() {
        return None;
    }
    let distance = |candidate: &str| strsim::damerau_levenshtein(&folded, &fold(candidate));
    let near = candidates
        .iter()
        .copied()
        .map(|candidate| (distance(candidate), candidate))
        .min_by_key(|(edits, _)| *edits)
        .filter(|(edits, _)| *edits <= folded.chars().count() / 3)
        .map(|(_, candidate)| candidate);
    near.or_else(|| {
        let starts = |candidate: &&&str| folded.len() >= 3 && fold(candidate).starts_with(&folded);
        candidates.iter().find(starts).copied()
    })
}

fn fold(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_for_common_slips() {
        let fields = ["id", "command", "timeoutMs", "enabled"];
        for (slip, meant) in [
            ("timeout_ms", Some("timeoutMs")),
            ("timeout", Some("timeoutMs")),
            ("comand", Some("command")),
            ("Enabled", Some("enabled")),
            ("shell", None),
            ("", None),
            (&"x".repeat(100_000), None),
        ] {
            assert_eq!(closest(slip, &fields), meant, "{slip}");
        }
    }
}
