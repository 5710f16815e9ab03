//! Checks that `include/autobench.h` is generated from `src/abi.rs` and `src/inputs.h`, and that
//! its generators give the same bits as `src/inputs.rs`. After a change,
//! `AUTOBENCH_WRITE_HEADER=1 cargo test -p autobench-sdk` writes it again.

use std::{env, fmt::Write as _, fs, path::Path, process::Command};

use autobench_sdk::{
    abi,
    inputs::{self, Permutation},
};
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type};

const START: &str = "\
/* What a benchmark plugin in C exports. Written from benchmarks/sdk/src/abi.rs: change that file,
 * then run AUTOBENCH_WRITE_HEADER=1 cargo test -p autobench-sdk. */
#ifndef AUTOBENCH_H
#define AUTOBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Before the one table of a plugin:
 * AUTOBENCH_EXPORT const autobench_table autobench_benchmark = {...};
 * A library with several benchmarks has a table for each, named after it:
 * AUTOBENCH_EXPORT const autobench_table autobench_benchmark_NAME = {...}; */
#ifdef __cplusplus
#define AUTOBENCH_EXPORT extern \"C\" __attribute__((visibility(\"default\")))
#else
#define AUTOBENCH_EXPORT __attribute__((visibility(\"default\")))
#endif

#ifdef __cplusplus
extern \"C\" {
#endif
";

const END: &str = "
/* Writes a zero-terminated text to a sink. */
static inline void autobench_write(autobench_sink sink, const char *text)
{
  if (sink.write) sink.write(sink.context, (const uint8_t *)text, strlen(text));
}

/* Writes a zero-terminated text as a JSON string, quotes and all. */
static inline void autobench_write_json(autobench_sink sink, const char *text)
{
  static const char digits[] = \"0123456789abcdef\";
  autobench_write(sink, \"\\\"\");
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    char one[7] = {'\\\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], 0};
    if (c >= 32 && c != '\"' && c != '\\\\') {
      one[0] = (char)c;
      one[1] = 0;
    }
    autobench_write(sink, one);
  }
  autobench_write(sink, \"\\\"\");
}

";

const LAST: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

fn header() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let abi = fs::read_to_string(folder.join("src/abi.rs")).unwrap();
    let twin = fs::read_to_string(folder.join("src/inputs.h")).unwrap();
    let mut text = START.to_owned();
    for item in syn::parse_file(&abi).unwrap().items {
        declare(&item, &mut text);
    }
    format!("{text}{END}{twin}{LAST}")
}

fn declare(item: &Item, text: &mut String) {
    match item {
        Item::Const(constant) => {
            if let Expr::Lit(value) = &*constant.expr
                && let Lit::Int(value) = &value.lit
            {
                let _ = write!(text, "\n{}", comment(&constant.attrs, ""));
                let _ = writeln!(text, "#define AUTOBENCH_{} {value}", constant.ident);
            }
        }
        Item::Struct(structure) => {
            let name = c_name(&structure.ident.to_string());
            let _ = write!(text, "\n{}", comment(&structure.attrs, ""));
            match &structure.fields {
                Fields::Unnamed(only) => {
                    let _ = writeln!(text, "typedef {};", declarator(&only.unnamed[0].ty, &name));
                }
                Fields::Named(fields) => {
                    let _ = writeln!(text, "typedef struct {name} {{");
                    for field in &fields.named {
                        let ident = field.ident.as_ref().unwrap().to_string();
                        text.push_str(&comment(&field.attrs, "  "));
                        let _ = writeln!(text, "  {};", declarator(&field.ty, &ident));
                    }
                    let _ = writeln!(text, "}} {name};");
                }
                Fields::Unit => panic!("`{name}` has no fields"),
            }
        }
        // The constants of `Status`.
        Item::Impl(block) => {
            for item in &block.items {
                if let syn::ImplItem::Const(constant) = item
                    && let Expr::Call(call) = &constant.expr
                    && let Expr::Lit(value) = &call.args[0]
                    && let Lit::Int(value) = &value.lit
                {
                    text.push_str(&comment(&constant.attrs, ""));
                    let _ = writeln!(text, "#define AUTOBENCH_{} {value}", constant.ident);
                }
            }
        }
        _ => {}
    }
}

/// The documentation as a C comment, with the names that C uses.
fn comment(attributes: &[Attribute], indent: &str) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        if let Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(line) = &literal.lit
        {
            let line = line.value().trim().replace("[`", "`").replace("`]", "`");
            let line = line.replace("`SYMBOL`", &format!("`{}`", abi::SYMBOL));
            lines.push(line.replace("`ABI_VERSION`", "`AUTOBENCH_ABI_VERSION`"));
        }
    }
    format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * ")))
}

fn c_name(rust: &str) -> String {
    format!("autobench_{}", rust.to_lowercase())
}

/// A C declaration of `name` with a Rust type.
fn declarator(ty: &Type, name: &str) -> String {
    match ty {
        Type::Ptr(pointer) => {
            let target = declarator(&pointer.elem, "");
            let constant = if pointer.const_token.is_some() { "const " } else { "" };
            let star = if target.ends_with('*') { "" } else { " " };
            format!("{constant}{}{star}*{name}", target.trim_end())
        }
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            if let PathArguments::AngleBracketed(arguments) = &last.arguments {
                assert_eq!(last.ident, "Option");
                let GenericArgument::Type(Type::BareFn(function)) = &arguments.args[0] else {
                    panic!("only functions are optional");
                };
                let parameters: Vec<String> = function
                    .inputs
                    .iter()
                    .map(|input| declarator(&input.ty, &input.name.as_ref().unwrap().0.to_string()))
                    .collect();
                let answer = match function.output.clone() {
                    syn::ReturnType::Default => "void".to_owned(),
                    syn::ReturnType::Type(_, ty) => declarator(&ty, "").trim_end().to_owned(),
                };
                return format!("{answer} (*{name})({})", parameters.join(", "));
            }
            let plain = match last.ident.to_string().as_str() {
                "u8" => "uint8_t".to_owned(),
                "u32" => "uint32_t".to_owned(),
                "i32" => "int32_t".to_owned(),
                "u64" => "uint64_t".to_owned(),
                "usize" => "size_t".to_owned(),
                "f64" => "double".to_owned(),
                "c_char" => "char".to_owned(),
                "c_void" => "void".to_owned(),
                own => c_name(own),
            };
            format!("{plain} {name}")
        }
        _ => panic!("a type that C does not have"),
    }
}

#[test]
fn the_header_is_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/autobench.h");
    let written = header();
    if env::var_os("AUTOBENCH_WRITE_HEADER").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == written,
        "include/autobench.h is out of date: AUTOBENCH_WRITE_HEADER=1 cargo test -p autobench-sdk"
    );
}

#[test]
fn the_generators_in_c_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("bits.c");
    let program = folder.path().join("bits");
    fs::write(
        &source,
        r#"#include "autobench.h"
#include <inttypes.h>
#include <stdio.h>
static void show(double x) { uint64_t b; memcpy(&b, &x, 8); printf("%" PRIu64 "\n", b); }
int main(void) {
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint64_t bits = autobench_bits(i * 77 + 5, (uint32_t)(i % 5), i * i * i);
    printf("%" PRIu64 "\n", bits);
    show(autobench_uniform(bits, -0.3, 1.7));
    show((double)autobench_integer(bits, -3, (int64_t)i - 4));
    show((double)autobench_integer(bits, INT64_MIN, INT64_MAX));
    show(autobench_bell(bits, 0.7));
    show((double)autobench_permutation(i, 2, i / 2, i));
    show((double)autobench_permutation(i, 2, i << 30, UINT64_C(1) << 43));
    show(autobench_ramp(i, 0.1, 0.3));
  }
}
"#,
    )
    .unwrap();
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let built = Command::new(compiler)
        .args(["-std=c11", "-O3", "-march=native", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("a C compiler");
    assert!(built.success());
    let output = Command::new(&program).output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    let mut expected = String::new();
    for i in 0..1000_u64 {
        let bits = inputs::bits(i * 77 + 5, (i % 5) as u32, i * i * i);
        let _ = writeln!(expected, "{bits}");
        let ramp = autobench_sdk::document::Fill::Ramp { start: 0.1, step: 0.3 };
        for value in [
            inputs::uniform(bits, -0.3, 1.7),
            inputs::integer(bits, -3, i as i64 - 4) as f64,
            inputs::integer(bits, i64::MIN, i64::MAX) as f64,
            inputs::bell(bits, 0.7),
            Permutation::new(i, 2, i).at(i / 2) as f64,
            Permutation::new(i, 2, 1 << 43).at(i << 30) as f64,
            inputs::element(&ramp, 0, 0, i, 0),
        ] {
            let _ = writeln!(expected, "{}", value.to_bits());
        }
    }
    assert!(found == expected, "the C generators differ from the Rust ones");
}
