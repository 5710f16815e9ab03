//! Rows of a large cache, read by two threads: one from the beginning, one from a guessed row near
//! the middle, a quote at the beginning of a line. The first thread proves the guess: if it reaches
//! that byte as the beginning of a row, the second thread's rows count; else it reads all itself.

use std::thread;

use crate::records::{
    RecordedSpace,
    kernel_tuner::rows::RowReader,
    spaces::json_reader::{JsonFault, JsonReader},
};

/// Bytes of rows below which one thread is faster.
const WORTH_IT: usize = 1 << 20;
/// Bytes from the middle in which a row is looked for.
const FAR: usize = 1 << 16;

pub(in crate::records) fn read<'a>(
    rows: &mut RowReader<'a>,
    reader: &mut JsonReader<'a>,
    space: &mut RecordedSpace,
) -> Result<(), JsonFault> {
    rows.whole = reader.at();
    let middle = if reader.rest().len() < WORTH_IT { None } else { middle(reader.rest()) };
    match middle {
        Some(middle) => read_from(middle, rows, reader, space),
        None => rows.read(reader, space, None).map(drop),
    }
}

/// Position near the middle of a text where a row may begin.
fn middle(text: &str) -> Option<usize> {
    let from = text.len() / 2;
    let near = &text.as_bytes()[from..text.len().min(from + FAR)];
    near.windows(2).position(|pair| pair == b"\n\"").map(|line| from + line + 1)
}

/// Reads the rows; a second thread reads those from byte `middle` on.
fn read_from<'a>(
    middle: usize,
    rows: &mut RowReader<'a>,
    reader: &mut JsonReader<'a>,
    space: &mut RecordedSpace,
) -> Result<(), JsonFault> {
    let mut far = reader.clone();
    far.pass(middle);
    far.not_finite = 0;
    let middle = far.at();
    let mut beyond = RecordedSpace::new(space.parameters.clone());
    thread::scope(|scope| {
        let sparing = rows.sparing;
        let second = thread::Builder::new().spawn_scoped(scope, move || {
            let mut rows = RowReader::new(beyond.parameters.len(), sparing);
            let read = rows.read(&mut far, &mut beyond, None);
            (rows, far, beyond, read)
        });
        // Without a second thread, one reads all.
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

    /// The rows of a text, from `middle` on by another thread if given, and how reading ended.
    fn reading(text: &str, middle: Option<usize>) -> (RecordedSpace, String) {
        let lists = vec![("a".to_owned(), vec![Value::Int(1), Value::Int(2)])];
        let (mut space, mut reader) = (RecordedSpace::new(lists), JsonReader::new(text));
        reader.not_finite = 3;
        let mut rows = RowReader::new(1, false);
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
