//! Bounds the warnings about a file: a file with one fault in every member gets few sentences.

use std::collections::HashMap;

/// This many sentences of one kind are kept, and this many in all.
const OF_A_KIND: usize = 3;
const IN_ALL: usize = 30;

/// Keeps the first few sentences of each kind, and says how many more there were. Two sentences are
/// of one kind if they differ only in numbers and in what stands between backticks.
pub(crate) fn bound(warnings: &mut Vec<String>) {
    let mut kinds: HashMap<String, usize> = HashMap::new();
    let before = warnings.len();
    warnings.retain(|warning| {
        let seen = kinds.entry(kind(warning)).or_default();
        *seen += 1;
        *seen <= OF_A_KIND
    });
    warnings.truncate(IN_ALL);
    let more = before - warnings.len();
    if more > 0 {
        warnings.push(format!("there are {more} more warnings like these"));
    }
}

/// A sentence without its names and numbers.
fn kind(warning: &str) -> String {
    let outside = warning.split('`').step_by(2);
    outside.flat_map(str::chars).filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_sentences_of_a_kind_become_few_and_a_count() {
        let condition = |at: usize| format!("condition {at} has no `Expression`; it is left out");
        let mut warnings: Vec<String> = (1..=20_000).map(condition).collect();
        warnings.push("`Language` is missing".to_owned());
        bound(&mut warnings);
        let told: Vec<&str> = warnings.iter().map(String::as_str).collect();
        assert_eq!(told[..3], [condition(1), condition(2), condition(3)]);
        let rest = ["`Language` is missing", "there are 19997 more warnings like these"];
        assert_eq!(told[3..], rest);
    }

    #[test]
    fn sentences_of_many_kinds_are_bounded_too() {
        let words = "abcdefghijklmnopqrstuvwxyz";
        let mut warnings: Vec<String> =
            (0..200).map(|at| format!("{} {}", &words[..at % 26], "x".repeat(at / 26))).collect();
        bound(&mut warnings);
        assert_eq!(warnings.len(), IN_ALL + 1);
        assert!(warnings[IN_ALL].contains("170 more"), "{:?}", warnings[IN_ALL]);
        let few = vec!["one".to_owned(), "`a` is".to_owned(), "`b` is".to_owned()];
        let mut same = few.clone();
        bound(&mut same);
        assert_eq!(same, few);
    }
}
