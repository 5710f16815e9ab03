//! Compares the reader with `serde_json` on valid JSON, and checks it alone on other texts.

use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;

fn tree(reader: &mut JsonReader<'_>) -> Result<Json, JsonFault> {
    if reader.enter(b'{')? {
        let mut members = serde_json::Map::new();
        while let Some(name) = reader.key()? {
            let value = tree(reader)?;
            members.insert(name.into_owned(), value);
        }
        return Ok(Json::Object(members));
    }
    if reader.enter(b'[')? {
        let mut elements = Vec::new();
        while reader.element()? {
            elements.push(tree(reader)?);
        }
        return Ok(Json::Array(elements));
    }
    Ok(match reader.scalar()? {
        Scalar::Missing => Json::Null,
        Scalar::Number(number) => number.into(),
        Scalar::Text(text) => text.into_owned().into(),
        Scalar::Other(word) => (word == "true").into(),
    })
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<f64>().prop_filter("JSON has no such number", |f| f.is_finite()).prop_map(Json::from),
        ".*".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::hash_map(".*", inner, 0..6)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_json_is_read_as_serde_reads_it(value in json(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#} ") } else { format!("{value} ") };
        let mut reader = JsonReader::new(&text);
        prop_assert_eq!(tree(&mut reader), Ok(value.clone()));
        prop_assert_eq!(reader.rest().trim(), "");
        let mut reader = JsonReader::new(&text);
        prop_assert_eq!(reader.skip(), Ok(()));
        prop_assert_eq!(reader.rest().trim(), "");
        let kept = JsonReader::new(&text).json().expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Json>(&kept).expect("JSON"), value);
    }

    #[test]
    fn a_torn_text_ends_and_never_answers(value in json(), cut in any::<prop::sample::Index>()) {
        let text = format!("[{value}]");
        let ends: Vec<usize> = (0..text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        let torn = &text[..ends[cut.index(ends.len())]];
        prop_assert_eq!(JsonReader::new(torn).skip(), Err(JsonFault::End));
        prop_assert_eq!(tree(&mut JsonReader::new(torn)), Err(JsonFault::End));
    }

    #[test]
    fn any_text_is_answered(text in ".{0,60}") {
        let _ = tree(&mut JsonReader::new(&text));
        let _ = JsonReader::new(&text).json();
    }
}

#[test]
fn what_json_has_no_words_for_is_missing_and_counted() {
    let text = r#"[NaN, -Infinity, Infinity, 1e999, "NaN \" NaN", 2] "#;
    let mut reader = JsonReader::new(text);
    let expected = serde_json::json!([null, null, null, null, "NaN \" NaN", 2.0]);
    assert_eq!(tree(&mut reader), Ok(expected));
    assert_eq!(reader.missing.not_finite, 4);
    let mut reader = JsonReader::new(text);
    let kept = reader.json().expect("mended");
    assert_eq!(kept, r#"[null, null, null, null, "NaN \" NaN", 2]"#);
    assert_eq!(reader.missing.not_finite, 4);
}

#[test]
fn commas_too_many_are_borne() {
    let mut reader = JsonReader::new("{\"a\": [1, 2,], } ");
    assert_eq!(tree(&mut reader), Ok(serde_json::json!({"a": [1.0, 2.0]})));
}

#[test]
fn a_fault_says_what_was_expected_and_where() {
    for (text, sentence) in [
        ("{\n\"a\" 1} ", "`:` was expected in line 2, column 5"),
        ("{\"a\":\n  ]} ", "a value was expected in line 2, column 3"),
        ("[1, 2x] ", "a value was expected in line 1, column 5"),
        ("{\"a\": [1", "it ends too early in line 1, column 9"),
        ("{a: 1}", "a text in double quotes was expected in line 1, column 2"),
    ] {
        let fault = tree(&mut JsonReader::new(text)).expect_err(text);
        assert_eq!(fault.sentence(text), sentence, "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    let text = format!("{}{} ", "[".repeat(100_000), "]".repeat(100_000));
    let fault = JsonReader::new(&text).skip().expect_err("too deep");
    assert!(fault.sentence(&text).starts_with("less nesting"), "{fault:?}");
    let text = format!("{}1{} ", "[".repeat(127), "]".repeat(127));
    assert!(JsonReader::new(&text).json().is_ok());
}
