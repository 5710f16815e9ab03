//! YAML nodes that know their place, for faults that state line and column.
//!
//! This crate never knows what keys mean. Begin with `options`.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_saphyr::{Location, Options, Spanned};

/// A place in a text; lines and columns count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

impl Default for Place {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

impl Place {
    fn of(location: Option<Location>) -> Self {
        let known = location.filter(|location| location.line() > 0);
        known.map_or(Self::default(), |l| Self { line: l.line(), column: l.column() })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct YamlFault {
    /// Where the fault is.
    pub place: Place,
    /// What is wrong, in one sentence.
    pub message: String,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where the value begins.
    pub place: Place,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Values by key, in order.
    Map(Vec<Member>),
    /// Values in order.
    List(Vec<Node>),
    /// A text, number or truth value as written, without quotes.
    Text(String),
    /// An empty value, or `~`.
    Nothing,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// Where the key begins.
    pub place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Reads a text.
    ///
    /// # Errors
    /// If the text is not YAML, or a key occurs twice.
    pub fn parse(text: &str) -> Result<Self, YamlFault> {
        let tree: Spanned<Tree> =
            serde_saphyr::from_str_with_options(text, options()).map_err(|e| fault(&e))?;
        Ok(Self::of(tree, text))
    }

    fn of(tree: Spanned<Tree>, text: &str) -> Self {
        let value = match tree.value {
            Tree::Map(members) => {
                let member = |(key, node): (Spanned<String>, _)| Member {
                    place: Place::of(Some(key.referenced)),
                    key: key.value,
                    node: Self::of(node, text),
                };
                Value::Map(members.into_iter().map(member).collect())
            }
            Tree::List(items) => {
                Value::List(items.into_iter().map(|item| Self::of(item, text)).collect())
            }
            Tree::Text(text) => Value::Text(text),
            Tree::Plain(usual) => {
                Value::Text(written(text, &tree.defined).map_or(usual, str::to_owned))
            }
            Tree::Nothing => Value::Nothing,
        };
        Self { place: Place::of(Some(tree.referenced)), value }
    }

    /// Place of a path like `launches[0].problem[1]`, or of its deepest part that exists.
    #[must_use]
    pub fn place_of(&self, path: &str) -> Place {
        let mut here = self;
        for part in path.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
            let next = match &here.value {
                Value::Map(members) => members.iter().find(|m| m.key == part).map(|m| &m.node),
                Value::List(items) => part.parse().ok().and_then(|at: usize| items.get(at)),
                Value::Text(_) | Value::Nothing => None,
            };
            match next {
                Some(next) => here = next,
                None => break,
            }
        }
        here.place
    }
}

/// The source text of a number or truth value.
fn written<'a>(text: &'a str, location: &Location) -> Option<&'a str> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset()?).ok()?;
    let end = start.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
    let written = text.get(start..end)?.trim();
    let is_plain = !written.is_empty() && !written.contains(char::is_whitespace);
    (is_plain && !written.starts_with(['*', '&', '!'])).then_some(written)
}

/// Limit of nested lists and maps, which bounds the use of the stack.
const DEEPEST: usize = 24;

/// The options that all YAML is read with.
#[must_use]
pub fn options() -> Options {
    serde_saphyr::options! {
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: DEEPEST },
    }
}

/// The reader's error as a fault: its sentence on one line, without its position.
#[must_use]
pub fn fault(error: &serde_saphyr::Error) -> YamlFault {
    let text = error.to_string();
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let message = match line.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message.to_owned(),
        None => match line.rsplit_once(" at line ") {
            Some((message, _)) => message.to_owned(),
            None => line,
        },
    };
    YamlFault { place: Place::of(error.location()), message }
}

/// A node as the reader produces it.
enum Tree {
    Map(Vec<(Spanned<String>, Spanned<Tree>)>),
    List(Vec<Spanned<Tree>>),
    Text(String),
    /// A number or truth value as Rust prints it; `written` recovers its source text.
    Plain(String),
    Nothing,
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Map(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(Tree::List(entries))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Plain(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Tree, E> {
        Ok(Tree::Plain(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Tree, E> {
        Ok(Tree::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Plain(value.to_string()))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Tree, E> {
        match value.contains('\0') {
            true => Err(E::custom("a text holds a NUL character")),
            false => Ok(Tree::Text(value.to_owned())),
        }
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Nothing)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Nothing)
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Tree, E> {
        Err(E::custom("binary data has no place here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member<'a>(node: &'a Node, key: &str) -> &'a Member {
        let Value::Map(members) = &node.value else { panic!("no map: {node:?}") };
        members.iter().find(|member| member.key == key).expect(key)
    }

    #[test]
    fn numbers_are_kept_as_they_are_written_and_know_their_place() {
        let text = "# é\nmax-error: 1e-5\nlist: [4Ki, 0x10, '7', 1.50]\nhot: true\nnone: ~\nempty:\nbig: 18446744073709551616\n";
        let tree = Node::parse(text).expect("YAML");
        for (key, wanted) in
            [("max-error", "1e-5"), ("hot", "true"), ("big", "18446744073709551616")]
        {
            assert_eq!(member(&tree, key).node.value, Value::Text(wanted.to_owned()));
        }
        let Value::List(items) = &member(&tree, "list").node.value else { panic!("a list") };
        let texts: Vec<&Value> = items.iter().map(|item| &item.value).collect();
        assert_eq!(
            texts,
            ["4Ki", "0x10", "7", "1.50"]
                .map(|t| Value::Text(t.to_owned()))
                .iter()
                .collect::<Vec<_>>()
        );
        assert_eq!(items[1].place, Place { line: 3, column: 13 });
        assert_eq!(member(&tree, "hot").place, Place { line: 4, column: 1 });
        for key in ["none", "empty"] {
            assert_eq!(member(&tree, key).node.value, Value::Nothing);
        }
        assert_eq!(tree.place_of("list[2].x"), Place { line: 3, column: 19 });
    }

    #[test]
    fn anchors_stand_where_they_are_used_and_keep_their_words() {
        let tree = Node::parse("a: &x 1e-5\nb: *x\nc: {d: &y [1, 2]}\ne: *y\n").expect("YAML");
        let b = &member(&tree, "b").node;
        assert_eq!((&b.value, b.place.line), (&Value::Text("1e-5".to_owned()), 2));
        assert!(matches!(&member(&tree, "e").node.value, Value::List(items) if items.len() == 2));
    }

    #[test]
    fn what_is_too_deep_is_refused_with_a_sentence() {
        for text in ["[".repeat(60) + &"]".repeat(60), "- ".repeat(60) + "1", "{a: ".repeat(2000)] {
            let fault = Node::parse(&text).expect_err("too deep");
            assert!(!fault.message.is_empty(), "{fault:?}");
        }
        // Anchors do not allow more depth.
        let deep = |inner: &str| "[".repeat(20) + inner + &"]".repeat(20);
        let mut text = format!("a0: &a0 {}\n", deep("1"));
        for at in 1..40 {
            text += &format!("a{at}: &a{at} {}\n", deep(&format!("*a{}", at - 1)));
        }
        Node::parse(&text).expect_err("too deep");
    }

    #[test]
    fn what_is_no_yaml_or_says_a_key_twice_is_one_sentence_with_a_place() {
        for text in ["a: [1, 2\nb: 3\n", "a: 1\na: 2\n", "a: b: c", "*x"] {
            let fault = Node::parse(text).expect_err(text);
            assert!(!fault.message.is_empty() && !fault.message.contains('\n'), "{fault:?}");
            assert!(!fault.message.contains("line "), "{fault:?}");
        }
        assert_eq!(Node::parse("a: 1\na: 2\n").expect_err("twice").place.line, 2);
    }
}
