//! Parses an answer of a generator: a name, a line of description, and one script.
//!
//! The script is between fences (```` ```lua ````, ```` ```luau ````, or without a language).
//! Blocks in other languages and thoughts in `<think>` are skipped. If there are several scripts,
//! none is chosen: it is unclear which was meant.

/// Most bytes of an answer.
const LONGEST_ANSWER: usize = 1 << 20;
/// Most bytes of a script; readable scripts are far shorter.
const LONGEST_SCRIPT: usize = 64 << 10;
/// Most characters of a description, and of a name.
const LONGEST_LINE: usize = 200;
const LONGEST_NAME: usize = 40;
/// Languages of a fence that mark a script.
const LANGUAGES: [&str; 3] = ["", "lua", "luau"];

/// The parts of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptText {
    /// Name of the strategy, in `a-z`, `0-9` and `_`; empty if the answer has none.
    pub name: String,
    /// Description in a line; empty if the answer has none.
    pub about: String,
    /// The script, ending with its last line.
    pub code: String,
}

/// Why an answer has no usable script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoScript {
    /// There is no script.
    #[error("the answer holds no script between fences")]
    Missing,
    /// There are several scripts; how many.
    #[error("the answer holds {0} scripts between fences, and one was asked for")]
    Several(usize),
    /// The closing fence is missing.
    #[error("the answer ends within its script, before the closing fence")]
    Cut,
    /// The whole answer is thoughts.
    #[error("the answer ends within its thoughts, before any script")]
    Thoughts,
    /// The script is empty.
    #[error("the script between the fences is empty")]
    Empty,
    /// The whole answer is too long.
    #[error("the answer is longer than {} MiB", LONGEST_ANSWER >> 20)]
    LongAnswer,
    /// The script is too long.
    #[error("the script is longer than {} KiB", LONGEST_SCRIPT >> 10)]
    LongScript,
}

/// Parses an answer.
///
/// # Errors
/// If it does not hold exactly one script.
pub fn script_text(answer: &str) -> Result<ScriptText, NoScript> {
    if answer.len() > LONGEST_ANSWER {
        return Err(NoScript::LongAnswer);
    }
    let answer = without_thoughts(answer)?;
    let Parts { words, scripts, is_cut } = parts(&answer);
    let code = match scripts.as_slice() {
        _ if is_cut => return Err(NoScript::Cut),
        [] => return Err(NoScript::Missing),
        [code] => code,
        several => return Err(NoScript::Several(several.len())),
    };
    if code.trim().is_empty() {
        return Err(NoScript::Empty);
    }
    if code.len() > LONGEST_SCRIPT {
        return Err(NoScript::LongScript);
    }
    let (name, about) = named(&words);
    Ok(ScriptText { name, about, code: code.clone() })
}

/// The text after the model's thoughts.
fn without_thoughts(answer: &str) -> Result<String, NoScript> {
    let answer = answer.replace("\r\n", "\n");
    match answer.trim_start().strip_prefix("<think>") {
        None => Ok(answer),
        Some(thoughts) => match thoughts.split_once("</think>") {
            Some((_, rest)) => Ok(rest.to_owned()),
            None => Err(NoScript::Thoughts),
        },
    }
}

/// The lines before the first block, and the blocks that are scripts.
#[derive(Default)]
struct Parts<'a> {
    words: Vec<&'a str>,
    scripts: Vec<String>,
    /// Whether the last script has no closing fence.
    is_cut: bool,
}

fn parts(answer: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut lines = answer.lines();
    let mut begun = false;
    while let Some(line) = lines.next() {
        let Some((fence, word)) = fence(line) else {
            if !begun {
                parts.words.push(line);
            }
            continue;
        };
        begun = true;
        let closes = |line: &&str| {
            let line = line.trim();
            line.len() >= fence.len() && line.chars().all(|c| fence.starts_with(c))
        };
        let (mut code, mut closed) = (String::new(), false);
        for line in lines.by_ref() {
            if closes(&line) {
                closed = true;
                break;
            }
            code.push_str(line);
            code.push('\n');
        }
        if LANGUAGES.contains(&word.to_ascii_lowercase().as_str()) {
            parts.scripts.push(code);
            parts.is_cut = !closed;
        }
    }
    parts
}

/// The fence at the start of a block, and the language after it; `None` for other lines.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let rest = line.trim_start_matches(mark);
    let fence = &line[..line.len() - rest.len()];
    let is_one = fence.len() >= 3 && !rest.contains(mark);
    is_one.then(|| (fence, rest.split_whitespace().next().unwrap_or_default()))
}

/// Name and description from the words before the script: `Name: …` and `Description: …`, or a line
/// `name: description`, or any line.
fn named(words: &[&str]) -> (String, String) {
    let (mut name, mut about, mut first) = (String::new(), String::new(), String::new());
    for line in words.iter().map(|line| plain(line)).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':').unwrap_or(("", &line));
        match plain(key).to_ascii_lowercase().as_str() {
            "name" if name.is_empty() => name = name_of(value),
            "description" | "about" if about.is_empty() => about = plain(value),
            // A heading, followed by its text in the next line.
            _ if value.is_empty() || !first.is_empty() => {}
            _ => first.clone_from(&line),
        }
    }
    if about.is_empty() {
        about = first;
        if let Some((key, value)) = about.split_once(':')
            && name.is_empty()
            && !plain(key).contains(' ')
        {
            (name, about) = (name_of(key), plain(value));
        }
    }
    (name, shortened(&about))
}

/// A line without Markdown marks and without control characters.
fn plain(line: &str) -> String {
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let marks = |c: char| c.is_whitespace() || ['*', '#', '`', '_', '-', '>'].contains(&c);
    line.trim_matches(marks).replace("**", "").replace('`', "")
}

/// A name in the form for tables and files.
fn name_of(text: &str) -> String {
    let mut name = String::new();
    let mut previous = ' ';
    for c in plain(text).chars() {
        // `TabuSearch` becomes `tabu_search`.
        let begins = c.is_ascii_uppercase() && previous.is_ascii_lowercase();
        if (begins || !c.is_ascii_alphanumeric()) && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    name.truncate(LONGEST_NAME);
    name.trim_matches('_').to_owned()
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(answer: &str) -> (String, String, String) {
        let ScriptText { name, about, code } = script_text(answer).expect(answer);
        (name, about, code)
    }

    fn owned(parts: [&str; 3]) -> (String, String, String) {
        let [name, about, code] = parts.map(str::to_owned);
        (name, about, code)
    }

    #[test]
    fn name_line_and_script_are_found_however_they_are_dressed() {
        let wanted = owned(["tabu_search", "walks and forgets", "return 1\n"]);
        for answer in [
            "Name: TabuSearch\nDescription: walks and forgets\n```lua\nreturn 1\n```\n",
            "tabu_search: walks and forgets\n\n```luau\nreturn 1\n```",
            "**Name:** `tabu search`\r\n\r\n**Description:** walks and forgets\r\n~~~\r\nreturn 1\r\n~~~",
            "# Name: tabu-search\n# Description: walks and forgets\n````Lua\nreturn 1\n````\nEnd.",
            "<think>```lua\nno\n```</think>Name: tabu_search\nDescription: walks and forgets\n\
             ```lua\nreturn 1\n```",
            "Name: tabu_search\nDescription: walks and forgets\n```lua\nreturn 1\n```\n\
             ```text\nas wished\n```",
        ] {
            assert_eq!(parts_of(answer), wanted, "{answer}");
        }
    }

    #[test]
    fn what_is_not_said_is_empty() {
        assert_eq!(parts_of("```\nreturn 1\n```"), owned(["", "", "return 1\n"]));
        let told = "It walks: then it stops.\n```\nreturn 1\n```";
        assert_eq!(parts_of(told), owned(["", "It walks: then it stops.", "return 1\n"]));
    }

    #[test]
    fn an_answer_without_exactly_one_whole_script_says_why() {
        let fault = |answer: &str| script_text(answer).expect_err(answer);
        assert_eq!(fault(""), NoScript::Missing);
        assert_eq!(fault("I cannot."), NoScript::Missing);
        assert_eq!(fault("```python\nreturn\n```"), NoScript::Missing);
        assert_eq!(fault("```lua\n1\n```\n```lua\n2\n```"), NoScript::Several(2));
        assert_eq!(fault("```lua\nreturn {"), NoScript::Cut);
        assert_eq!(fault("```lua\n1\n```\n```lua\n2"), NoScript::Cut);
        assert_eq!(fault("<think>well, ```lua\n1\n```"), NoScript::Thoughts);
        assert_eq!(fault("```lua\n \n```"), NoScript::Empty);
        assert_eq!(fault(&"x".repeat(LONGEST_ANSWER + 1)), NoScript::LongAnswer);
        let long = format!("```\n{}\n```", "x".repeat(LONGEST_SCRIPT));
        assert_eq!(fault(&long), NoScript::LongScript);
        assert_eq!(NoScript::LongScript.to_string(), "the script is longer than 64 KiB");
    }

    #[test]
    fn names_and_lines_are_short_and_hold_nothing_that_a_terminal_obeys() {
        let long = format!(
            "Name: {}\nDescription: \u{1b}[31m{}\n```\n1\n```",
            "n\u{e9}".repeat(99),
            "ü".repeat(999)
        );
        let (name, about, _) = parts_of(&long);
        assert!(name.len() <= LONGEST_NAME && name.starts_with("n_n"), "{name}");
        assert_eq!(about.chars().count(), LONGEST_LINE + 1);
        assert!(!about.contains('\u{1b}'));
    }
}
