//! The rows of a large cache, read by two threads: one from the beginning, one from a row in the
//! middle. Where that row begins is a guess, a quote at the beginning of a line, which the first
//! thread proves: if it comes by it as the beginning of a row, what the second read from there on is
//! what it would have read itself. If it does not, it reads all.

use std::thread;

use crate::records::{
    RecordedSpace,
    kernel_tuner::rows::Rows,
    spaces::json_reader::{Fault, Reader},
};

/// Rows of fewer bytes are read by one thread: starting another costs more than it saves.
const WORTH_IT: usize = 1 << 20;
/// No row is looked for farther than this from the middle.
const FAR: usize = 1 << 16;

/// Reads the rows of the object that was entered.
pub(in crate::records) fn read<'a>(
    rows: &mut Rows<'a>,
    reader: &mut Reader<'a>,
    space: &mut RecordedSpace,
) -> Result<(), Fault> {
    rows.whole = reader.at();
    let middle = if reader.rest().len() < WORTH_IT { None } else { middle(reader.rest()) };
    match middle {
        Some(middle) => read_from(middle, rows, reader, space),
        None => rows.read(reader, space, None).map(drop),
    }
}

/// Where a row may begin, near the middle of a text.
fn middle(text: &str) -> Option<usize> {
    let from = text.len() / 2;
    let near = &text.as_bytes()[from..text.len().min(from + FAR)];
    near.windows(2).position(|pair| pair == b"\n\"").map(|line| from + line + 1)
}

/// Reads the rows, those from so many bytes on with a thread of its own.
fn read_from<'a>(
    middle: usize,
    rows: &mut Rows<'a>,
    reader: &mut Reader<'a>,
    space: &mut RecordedSpace,
) -> Result<(), Fault> {
    let mut far = reader.clone();
    far.pass(middle);
    far.not_finite = 0;
    let middle = far.at();
    let mut beyond = RecordedSpace::new(space.parameters.clone());
    thread::scope(|scope| {
        let sparing = rows.sparing;
        let second = thread::Builder::new().spawn_scoped(scope, move || {
            let mut rows = Rows::new(beyond.parameters.len(), sparing);
            let read = rows.read(&mut far, &mut beyond, None);
            (rows, far, beyond, read)
        });
        // Where no thread can be had, one reads all.
        let Ok(second) = second else { return rows.read(reader, space, None).map(drop) };
        if !rows.read(reader, space, Some(middle))? {
            return Ok(());
        }
        let (others, far, beyond, read) =
            second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let before = reader.not_finite;
        *reader = far;
        reader.not_finite += before;
        rows.append(&others);
        rows.again += space.append(beyond);
        read.map(drop)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::space::Value;

    /// What is read of a text, by one thread or from `middle` on by another, and how it ended.
    fn reading(text: &str, middle: Option<usize>) -> (RecordedSpace, String) {
        let lists = vec![("a".to_owned(), vec![Value::Int(1), Value::Int(2)])];
        let (mut space, mut reader) = (RecordedSpace::new(lists), Reader::new(text));
        reader.not_finite = 3;
        let mut rows = Rows::new(1, false);
        assert_eq!(reader.enter(b'{'), Ok(true));
        rows.whole = reader.at();
        let read = match middle {
            Some(middle) => read_from(middle - 1, &mut rows, &mut reader, &mut space),
            None => rows.read(&mut reader, &mut space, None).map(drop),
        };
        let counted = (rows.whole, rows.unreadable, rows.unknown, rows.again, reader.not_finite);
        (space, format!("{counted:?} {} {read:?}", reader.at()))
    }

    fn row() -> impl Strategy<Value = String> {
        prop_oneof![
            (0..6, 0..9).prop_map(|(a, time)| format!("\"{a}\": {{\"a\": {a}, \"time\": {time}}}")),
            (0..3).prop_map(|a| format!("\"{a}.0\": {{\n\"a\": {a}.0, \"time\": NaN}}")),
            (0..3).prop_map(|a| format!("\"{a}\": {{\"more\": \"\n\", \"x\": {{\n\"a\": {a}}}}}")),
            Just("\"none\": 3".to_owned()),
        ]
    }

    proptest! {
        #[test]
        fn rows_are_the_same_from_wherever_a_second_thread_begins(
            rows in prop::collection::vec(row(), 1..12), kept in 0.3..1.5_f64, guess in any::<prop::sample::Index>(),
        ) {
            let mut text = format!("{{\n{}}} ", rows.join(",\n"));
            text.truncate((text.len() as f64 * kept) as usize);
            let alone = reading(&text, None);
            let lines: Vec<usize> = text.match_indices("\n\"").map(|(at, _)| at + 1).collect();
            if !lines.is_empty() {
                prop_assert_eq!(reading(&text, Some(*guess.get(&lines))), alone);
            }
        }
    }
}
