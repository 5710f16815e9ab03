//! Checks that `schema/benchmark.json` is generated from the types that read a benchmark's document.
//! After a change, `AUTOBENCH_WRITE_SCHEMA=1 cargo test -p autobench-sdk` writes it again.

use std::{env, fs, path::Path};

use serde_json::{Map, Value, json};
use syn::{
    Attribute, Expr, Fields, FieldsNamed, GenericArgument, Item, ItemEnum, Lit, Meta,
    PathArguments, Type,
};

/// Files whose types read documents. `options.rs` reads by hand, so its types stand below.
const FILES: [&str; 2] = ["src/document.rs", "src/stage.rs"];

fn schema() -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut definitions = Map::new();
    for file in FILES {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        for item in syn::parse_file(&text).unwrap().items {
            match &item {
                Item::Struct(one) if says(&one.attrs, "derive", "Deserialize") => {
                    let Fields::Named(fields) = &one.fields else { panic!("{}", one.ident) };
                    definitions.insert(one.ident.to_string(), object(&one.attrs, fields));
                }
                Item::Enum(one) if says(&one.attrs, "derive", "Deserialize") => {
                    definitions.insert(one.ident.to_string(), choice(one));
                }
                _ => {}
            }
        }
    }
    let option = json!({ "anyOf": [text(), {
        "type": "object",
        "properties": { "flag": text(), "when": text() },
        "required": ["flag"],
        "additionalProperties": false,
    }] });
    let list = json!({ "type": "array", "items": { "$ref": "#/definitions/CompilerOption" } });
    definitions.insert("CompilerOption".to_owned(), option);
    definitions.insert(
        "CompilerOptions".to_owned(),
        json!({ "anyOf": [list, { "type": "object", "additionalProperties": list }] }),
    );
    let mut whole = definitions.remove("Document").expect("the document");
    whole["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    whole["title"] = json!("autobench benchmark");
    whole["definitions"] = Value::Object(definitions);
    whole
}

/// A scalar: expressions may be numbers.
fn text() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

fn object(attributes: &[Attribute], fields: &FieldsNamed) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in &fields.named {
        let name = field.ident.as_ref().unwrap().to_string();
        let mut property = kind(&field.ty);
        let about = words(&field.attrs);
        if !about.is_empty() {
            // Editors ignore what stands beside a reference.
            if property.get("$ref").is_some() {
                property = json!({ "allOf": [property] });
            }
            property["description"] = json!(about);
        }
        if !says(&field.attrs, "serde", "default") && name_of(&field.ty).0 != "Option" {
            required.push(json!(name));
        }
        properties.insert(name, property);
    }
    json!({
        "description": words(attributes),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn choice(one: &ItemEnum) -> Value {
    let untagged = says(&one.attrs, "serde", "untagged");
    let mut ways = Vec::new();
    for variant in &one.variants {
        let about = words(&variant.attrs);
        let name = snake(&variant.ident.to_string());
        let content = match &variant.fields {
            Fields::Unit => None,
            Fields::Named(fields) => Some(object(&variant.attrs, fields)),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Some(kind(&fields.unnamed[0].ty))
            }
            Fields::Unnamed(fields) => {
                let items: Vec<Value> =
                    fields.unnamed.iter().map(|field| kind(&field.ty)).collect();
                let count = items.len();
                Some(
                    json!({ "type": "array", "items": items, "minItems": count, "maxItems": count }),
                )
            }
        };
        ways.push(match content {
            Some(content) if untagged => content,
            Some(content) => json!({
                "description": about,
                "type": "object",
                "properties": { &name: content },
                "required": [name],
                "additionalProperties": false,
            }),
            None => json!({ "description": about, "const": name }),
        });
    }
    json!({ "description": words(&one.attrs), "anyOf": ways })
}

fn kind(ty: &Type) -> Value {
    let (name, inner) = name_of(ty);
    match name.as_str() {
        "String" => text(),
        "f64" => json!({ "type": "number" }),
        "i64" => json!({ "type": "integer" }),
        "u32" | "u64" | "usize" => json!({ "type": "integer", "minimum": 0 }),
        "Value" => json!({}),
        "Option" => kind(&inner[0]),
        "Vec" => json!({ "type": "array", "items": kind(&inner[0]) }),
        "BTreeMap" => json!({ "type": "object", "additionalProperties": kind(&inner[1]) }),
        own => json!({ "$ref": format!("#/definitions/{own}") }),
    }
}

/// The last name of a type's path, and its arguments.
fn name_of(ty: &Type) -> (String, Vec<Type>) {
    let Type::Path(path) = ty else { panic!("a document holds no such type") };
    let last = path.path.segments.last().unwrap();
    let inner = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => {
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    };
    (last.ident.to_string(), inner)
}

/// Whether an attribute such as `serde(…)` has a word at its top level.
fn says(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident(name)).any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.tokens.clone().into_iter().any(|token| token.to_string() == word)
    })
}

/// The documentation in one line, without the marks of links.
fn words(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(line) => Some(line.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<_>>().join(" ").trim().to_owned();
    text.replace("[`", "`").replace("`]", "`")
}

/// `AsWritten` as `as_written`, as all enums of documents are renamed.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.chars().enumerate() {
        if at > 0 && c.is_uppercase() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}

#[test]
fn the_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/benchmark.json");
    let text = format!("{:#}\n", schema());
    if env::var_os("AUTOBENCH_WRITE_SCHEMA").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert!(known == text, "AUTOBENCH_WRITE_SCHEMA=1 cargo test -p autobench-sdk writes it again");
}

#[test]
fn enums_of_one_word_have_the_names_that_documents_use() {
    use autobench_sdk::document::{Better, Fill, Made, Over, Role};
    let written = |value: Value| value.as_str().unwrap().to_owned();
    let names = [
        written(serde_json::to_value(Made::AsWritten).unwrap()),
        written(serde_json::to_value(Over::RootMeanSquare).unwrap()),
        written(serde_json::to_value(Role::Inout).unwrap()),
        written(serde_json::to_value(Better::Higher).unwrap()),
        written(serde_json::to_value(Fill::Permutation).unwrap()),
    ];
    let schema = schema().to_string();
    for name in names {
        assert!(schema.contains(&format!("\"const\":\"{name}\"")), "{name}");
    }
}
