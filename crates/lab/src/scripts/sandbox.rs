//! A Luau state without access to the outside: no files, network, clock, environment or other code,
//! and nothing that differs between runs.

use std::{rc::Rc, sync::OnceLock};

use mlua::{
    Function, Lua, LuaOptions, MultiValue, StdLib, Table, Value,
    chunk::{ChunkMode, Compiler},
};

use super::{
    faults::{Over, PRELUDE, article, line, place, sentence},
    limits::{Limits, MOST_BYTES},
};

/// Extra bytes that allow the message about a memory fault to be built.
const ROOM: usize = 1 << 20;

/// All globals that a script sees.
const GLOBALS: [&str; 27] = [
    "_VERSION",
    "assert",
    "bit32",
    "buffer",
    "coroutine",
    "error",
    "getmetatable",
    "ipairs",
    "math",
    "next",
    "pairs",
    "pcall",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "string",
    "table",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
    "utf8",
    "xpcall",
];

/// Library functions that are removed: `randomseed`, which the clock may seed, and obsolete ones.
const MISSING: [(&str, &[&str]); 2] =
    [("math", &["randomseed"]), ("table", &["foreach", "foreachi", "getn", "maxn"])];

/// Compiler settings: optimised, with line numbers.
pub(super) const COMPILER: Compiler = Compiler::new().set_optimization_level(2).set_debug_level(1);

/// A Luau state for one script.
pub(super) struct Sandbox {
    pub(super) lua: Lua,
    pub(super) limits: Rc<Limits>,
    /// Luau function that runs a function with an error handler and a random source.
    guarded: Function,
    /// Luau function that wraps a function to return a list of its results.
    listing: Function,
}

impl Sandbox {
    pub(super) fn new() -> mlua::Result<Self> {
        let libraries = StdLib::TABLE
            | StdLib::STRING
            | StdLib::UTF8
            | StdLib::BIT
            | StdLib::MATH
            | StdLib::BUFFER
            | StdLib::COROUTINE;
        let lua = Lua::new_with(libraries, LuaOptions::default())?;
        let refuse = lua.create_function(|lua, what: String| -> mlua::Result<()> {
            Err(mlua::Error::RuntimeError(format!("{}{what} is refused", place(lua))))
        })?;
        let prelude = lua.load(prelude()?).set_name(format!("={PRELUDE}"));
        let (guarded, listing) = prelude.set_mode(ChunkMode::Binary).call(refuse)?;
        let globals = lua.globals();
        let names: Vec<String> = globals
            .pairs::<String, Value>()
            .map(|pair| Ok(pair?.0))
            .collect::<mlua::Result<_>>()?;
        for name in names.iter().filter(|name| !GLOBALS.contains(&name.as_str())) {
            globals.raw_set(name.as_str(), Value::Nil)?;
        }
        for (library, names) in MISSING {
            let library: Table = globals.raw_get(library)?;
            for name in names {
                library.raw_set(*name, Value::Nil)?;
            }
        }
        // From here on, the libraries and the metatable of strings are read-only.
        lua.sandbox(true)?;
        let limits = Limits::watch(&lua)?;
        Ok(Self { lua, limits, guarded, listing })
    }

    /// Wraps a function so that it returns all its results as one list.
    pub(super) fn listing(&self, results: Function) -> mlua::Result<Function> {
        self.listing.call(results)
    }

    /// The table that a compiled script returns.
    pub(super) fn returned(&self, name: &str, code: &[u8]) -> Result<Table, Over> {
        let chunk = self.lua.load(code).set_name(format!("={name}")).set_mode(ChunkMode::Binary);
        let chunk = chunk.into_function().map_err(|error| Over::Fault(sentence(&error)))?;
        match self.run(&chunk, None, ())? {
            Value::Table(table) => Ok(table),
            other => Err(Over::Fault(format!(
                "{name}: a script returns a table with `search`, not {}",
                article(other.type_name())
            ))),
        }
    }

    /// Calls a function of the script. The error says why it did not return.
    pub(super) fn run(
        &self,
        function: &Function,
        random: Option<&Function>,
        arguments: impl mlua::IntoLuaMulti,
    ) -> Result<Value, Over> {
        let called = self.called(function, random, arguments);
        // The script may have caught the end of the search, and even returned afterwards.
        match (self.limits.over(), called) {
            (Some(over), _) => Err(over),
            (None, Ok(called)) => called.map_err(Over::Fault),
            (None, Err(error)) => Err(Over::Fault(sentence(&error))),
        }
    }

    fn called(
        &self,
        function: &Function,
        random: Option<&Function>,
        arguments: impl mlua::IntoLuaMulti,
    ) -> mlua::Result<Result<Value, String>> {
        let handler = self.lua.create_function(|lua, error: Value| {
            // Make room for the message, in case the script has used all memory.
            lua.set_memory_limit(MOST_BYTES + ROOM)?;
            Ok(told(lua, &error))
        })?;
        let mut all = MultiValue::from_vec(arguments.into_lua_multi(&self.lua)?.into_vec());
        all.push_front(Value::Function(handler));
        all.push_front(Value::Function(function.clone()));
        all.push_front(random.map_or(Value::Nil, |random| Value::Function(random.clone())));
        let _running = self.limits.run();
        let (returned, value): (bool, Value) = self.guarded.call(all)?;
        Ok(match (returned, value) {
            (true, value) => Ok(value),
            (false, Value::String(text)) => Err(explained(text.to_string_lossy())),
            (false, _) => Err("a script failed".to_owned()),
        })
    }
}

/// The compiled code that replaces functions of the libraries.
fn prelude() -> mlua::Result<&'static [u8]> {
    static CODE: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(code) = CODE.get() {
        return Ok(code);
    }
    let code = COMPILER.compile(include_str!("prelude.luau"))?;
    Ok(CODE.get_or_init(|| code))
}

/// Adds the memory limit to Luau's message, which does not name it.
fn explained(text: String) -> String {
    match text.ends_with("not enough memory") {
        true => format!("{text}: a script has {} MiB", MOST_BYTES >> 20),
        false => text,
    }
}

/// A Luau error as a sentence that begins with its line.
fn told(lua: &Lua, error: &Value) -> String {
    let text = match error {
        Value::String(text) => line(&text.to_string_lossy()),
        Value::Error(error) => sentence(error),
        other => format!("raised {} and no text", article(other.type_name())),
    };
    let text = match text.strip_prefix(PRELUDE).and_then(|rest| rest.split_once(": ")) {
        Some((_, text)) => text.to_owned(),
        None => text,
    };
    let place = place(lua);
    let name = place.split(':').next().unwrap_or_default();
    match !name.is_empty() && text.starts_with(&format!("{name}:")) {
        true => text,
        false => place + &text,
    }
}
