//! Makes a script smaller as long as it fails: without lines, then without words, then characters.

/// Most scripts that are tried.
const MAX_TRIALS: usize = 400;

pub(crate) fn smallest(script: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut small = script.to_owned();
    let mut trials = 0;
    for cut in [lines as fn(&str) -> Vec<&str>, words, characters] {
        let mut width = cut(&small).len() / 2;
        while width > 0 {
            let mut at = 0;
            loop {
                let parts = cut(&small);
                if at >= parts.len() || trials >= MAX_TRIALS {
                    break;
                }
                let end = (at + width).min(parts.len());
                let other = [&parts[..at], &parts[end..]].concat().concat();
                trials += 1;
                if !other.is_empty() && fails(&other) {
                    small = other;
                } else {
                    at = end;
                }
            }
            width /= 2;
        }
        let single = cut(&small).len();
        for at in (0..single).rev() {
            let parts = cut(&small);
            if at >= parts.len() || trials >= MAX_TRIALS {
                continue;
            }
            let other = [&parts[..at], &parts[at + 1..]].concat().concat();
            trials += 1;
            if !other.is_empty() && fails(&other) {
                small = other;
            }
        }
    }
    small
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_inclusive([' ', ';', '\n']).collect()
}

fn characters(text: &str) -> Vec<&str> {
    text.split_inclusive(|_: char| true).collect()
}
