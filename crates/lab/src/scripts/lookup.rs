//! Turns the path of a script into a strategy.

use std::{
    collections::HashMap,
    fs::File,
    io::Read,
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
};

use search_api::{Found, ScriptLoader, Strategy};

use super::{
    examples,
    faults::ScriptFault,
    script::{LONGEST, Script},
};

inventory::submit!(ScriptLoader {
    load: |path, recorded| script(path, recorded).map_err(|fault| fault.to_string()),
});

/// The strategy of a script: from its file, otherwise from the text `recorded`, otherwise from the
/// examples in the program.
fn script(name: &str, recorded: &str) -> Result<Found, ScriptFault> {
    let text = match read(Path::new(name)) {
        Some(text) => text?,
        None if !recorded.is_empty() => recorded.to_owned(),
        None => match examples::named(name) {
            Some(example) => example.text.to_owned(),
            None => return Err(ScriptFault::missing(name)),
        },
    };
    Ok(Found { strategy: loaded(name, &text)?, text })
}

/// The text of a file; `None` if the file does not exist.
fn read(path: &Path) -> Option<Result<String, ScriptFault>> {
    let fault = |why: String| Some(Err(ScriptFault::unreadable(path, &why)));
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return fault(error.to_string()),
        Ok(metadata) if !metadata.is_file() => return fault("it is no file".to_owned()),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    match (read, String::from_utf8(bytes)) {
        (Err(error), _) => fault(error.to_string()),
        (Ok(length), _) if length as u64 > LONGEST => fault("it is longer than 1 MiB".to_owned()),
        (_, Err(_)) => fault("it is no text in UTF-8".to_owned()),
        (_, Ok(text)) => Some(Ok(text)),
    }
}

/// The strategy of a script. Loaded scripts are kept as long as the program, like its own
/// strategies; the same text is loaded only once.
fn loaded(name: &str, text: &str) -> Result<&'static Strategy, ScriptFault> {
    static KEPT: OnceLock<Mutex<HashMap<(String, String), &'static Strategy>>> = OnceLock::new();
    let kept = KEPT.get_or_init(Mutex::default);
    let key = (name.to_owned(), text.to_owned());
    if let Some(known) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(known);
    }
    let strategy = Script::load(name, text)?.into_strategy();
    kept.lock().unwrap_or_else(PoisonError::into_inner).insert(key, strategy);
    Ok(strategy)
}
