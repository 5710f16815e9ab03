//! Tags: words by which a user finds studies again.

/// Largest number of characters in a tag.
const LONGEST: usize = 64;

/// Reads a tag: letters, digits and `. _ - + : / =`. A shell needs no quotes for these.
///
/// # Errors
/// If the text is empty, too long, or has other characters.
pub fn parse_tag(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_alphanumeric() || "._-+:/=".contains(c);
    match text {
        "" => Err("a tag is a word, such as `nightly`".to_owned()),
        _ if text.chars().count() > LONGEST => Err(format!("a tag has at most {LONGEST} letters")),
        _ if text.starts_with('-') || !text.chars().all(fits) => {
            Err("a tag is a word of letters, digits and `._-+:/=` that does not begin with `-`"
                .to_owned())
        }
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words() {
        for tag in ["nightly", "pull/17", "driver=550.54", "Prüfung"] {
            assert_eq!(parse_tag(tag), Ok(tag.to_owned()));
        }
        let long = "x".repeat(65);
        for wrong in ["", "two words", "a\nb", "-x", "<b>", "a,b", long.as_str()] {
            assert!(parse_tag(wrong).is_err(), "{wrong}");
        }
    }
}
