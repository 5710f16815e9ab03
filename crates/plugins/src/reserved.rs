//! Names that parameters cannot have. Every parameter is a macro in kernels, so a word of the
//! language or of the kernel headers would be replaced by a value wherever it occurs.

use autobench_sdk::document::Document;

use super::{fault::DocumentFault, formula::is_identifier};

/// Words with a meaning in expressions and metrics.
const OF_EXPRESSIONS: [&str; 18] = [
    "size",
    "seconds",
    "flops",
    "bytes",
    "i",
    "and",
    "or",
    "not",
    "in",
    "if",
    "else",
    "for",
    "True",
    "False",
    "true",
    "false",
    "None",
    "autobench",
];

/// Keywords of C++20, including those that are keywords only in some contexts.
const OF_CPP: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char \
    char8_t char16_t char32_t class compl concept const consteval constexpr constinit const_cast \
    continue co_await co_return co_yield decltype default defined delete do double dynamic_cast else \
    enum explicit export extern false final float for friend goto if import inline int long module \
    mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected \
    public register reinterpret_cast requires return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename \
    union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Names of CUDA C++, and words that macros of `kernels/include` write into kernels.
const OF_HEADERS: &str = "threadIdx blockIdx blockDim gridDim warpSize x y z w ab unroll GCC clang \
    rsqrtf rsqrt sincosf main NULL";

/// Prefixes of names that belong to the headers and to compilers.
const BEGINNINGS: [&str; 4] = ["__", "ab_", "AUTOBENCH", "autobench_"];

/// Why a parameter or any other macro cannot have this name, as the end of a sentence.
fn reserved(name: &str) -> Option<&'static str> {
    let is_one_of = |words: &str| words.split_whitespace().any(|word| word == name);
    if OF_EXPRESSIONS.contains(&name) {
        Some("it means something else in expressions")
    } else if is_one_of(OF_CPP) {
        Some("it is a word of C++, and parameters are macros in kernels")
    } else if is_one_of(OF_HEADERS)
        || BEGINNINGS.iter().any(|start| name.starts_with(start))
        || name
            .strip_prefix('_')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    {
        Some("kernels and their headers use the word, and parameters are macros in them")
    } else {
        None
    }
}

/// Why a macro cannot have this name, as the end of a sentence.
pub(super) fn no_macro(name: &str) -> Option<&'static str> {
    match is_identifier(name) {
        true => reserved(name),
        false => Some("a name is letters, digits and `_`, a digit never first"),
    }
}

/// Checks the macro that holds the size.
pub(super) fn size_macro(document: &Document) -> Result<(), DocumentFault> {
    let Some(name) = &document.size_macro else { return Ok(()) };
    if let Some(why) = no_macro(name) {
        let why = format!("the size cannot be the macro `{name}`: {why}");
        return Err(DocumentFault::new("size_macro", why));
    }
    if document.parameters.iter().any(|parameter| parameter.name == *name) {
        let why = format!("`{name}` is a parameter already");
        return Err(DocumentFault::new("size_macro", why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
        path::Path,
    };

    use super::*;

    /// Texts of all headers below a folder.
    fn headers(folder: &Path, texts: &mut Vec<String>) {
        for entry in folder.read_dir().expect("a folder").flatten() {
            if entry.path().is_dir() {
                headers(&entry.path(), texts);
            } else {
                // Joins lines that continue on the next line.
                texts.push(fs::read_to_string(entry.path()).expect("a text").replace("\\\n", " "));
            }
        }
    }

    fn words(text: &str) -> Vec<&str> {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            .collect()
    }

    #[test]
    fn every_word_that_a_macro_of_the_headers_leaves_in_kernels_is_reserved() {
        let mut texts = Vec::new();
        headers(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/include"), &mut texts);
        let (mut macros, mut gone) = (BTreeMap::<&str, Vec<&str>>::new(), BTreeSet::new());
        for line in texts.iter().flat_map(|text| text.lines()) {
            let line = line.split("//").next().unwrap_or_default().trim();
            if let Some(rest) = line.strip_prefix("#define ") {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                let (name, body) = rest.split_at(end.unwrap_or(rest.len()));
                let (arguments, body) = match body.strip_prefix('(').and_then(|b| b.split_once(')'))
                {
                    Some(both) => both,
                    None => ("", body),
                };
                // The words in a pragma's text count.
                let is_text = !body.trim_start().starts_with("_Pragma");
                let plain: String = match is_text {
                    true => body.split('"').step_by(2).collect(),
                    false => body.to_owned(),
                };
                let taken = words(arguments);
                let left = words(&plain).into_iter().filter(|word| !taken.contains(word));
                let left: Vec<&str> =
                    left.filter_map(|word| words(body).into_iter().find(|w| *w == word)).collect();
                macros.entry(name).or_default().extend(left);
            } else if let Some(name) = line.strip_prefix("#undef ") {
                gone.insert(name.trim());
            }
        }
        assert!(macros.contains_key("AUTOBENCH_PHASE") && macros.contains_key("__shared__"));
        // Other macros of ours are used only in headers, before any parameter is a macro.
        let of_kernels =
            ["PHASE", "UNROLL", "INLINE", "TABLE"].map(|word| format!("AUTOBENCH_{word}"));
        let met = |name: &str| {
            !gone.contains(name)
                && (!name.starts_with("AUTOBENCH") || of_kernels.iter().any(|known| known == name))
        };
        for (name, left) in macros.iter().filter(|(name, _)| met(name)) {
            assert!(reserved(name).is_some(), "the macro `{name}` is not reserved");
            for word in left {
                assert!(reserved(word).is_some(), "`{word}` of the macro `{name}` is not reserved");
            }
        }
    }

    #[test]
    fn names_as_benchmarks_use_them_are_free() {
        for name in "block_size_x tile n k unroll_loads precision absent use unused variant table"
            .split(' ')
        {
            assert_eq!(reserved(name), None, "{name}");
        }
        for name in ["unroll", "for", "x", "size", "ab_x", "__syncthreads", "AUTOBENCH_PHASE"] {
            assert!(reserved(name).is_some(), "{name}");
        }
    }
}
