//! Rows by configuration, unlisted values, and the space that the rows form.

use super::*;

fn named(a: i64, b: &str) -> Named {
    Named(vec![("a".into(), Value::Int(a)), ("b".into(), Value::from(b))])
}

fn timed(time_ms: f64) -> RecordedTrial {
    RecordedTrial { time_ms: Some(time_ms), ..RecordedTrial::default() }
}

fn space() -> RecordedSpace {
    let a = [4, 2].map(Value::Int).to_vec();
    let b = ["x", "y"].map(Value::from).to_vec();
    let mut space = RecordedSpace::new(vec![("a".to_owned(), a), ("b".to_owned(), b)]);
    assert!(space.insert(named(2, "y"), timed(1.0)));
    assert!(space.insert(named(4, "x"), timed(2.0)));
    assert!(space.insert(named(9, "x"), timed(3.0)));
    space
}

#[test]
fn a_row_is_found_in_any_order_of_its_parameters() {
    let mut turned = named(4, "x");
    turned.0.reverse();
    assert_eq!(space().get(&turned).and_then(|trial| trial.time_ms), Some(2.0));
    assert_eq!(space().get(&named(4, "y")), None);
    assert_eq!(space().get(&Named(vec![("a".into(), Value::Int(4))])), None);
}

#[test]
fn a_later_row_replaces_the_earlier_one_and_keeps_its_place() {
    let mut space = space();
    assert!(space.insert(named(2, "y"), timed(7.0)));
    let times: Vec<_> = space.rows().iter().map(|(named, t)| (named.key(), t.time_ms)).collect();
    assert_eq!(times[0], ("a=2,b=y".to_owned(), Some(7.0)));
    assert_eq!(space.rows().len(), 3);
}

#[test]
fn what_does_not_name_the_parameters_is_left_out() {
    let mut space = space();
    assert!(!space.insert(Named(vec![("a".into(), Value::Int(4))]), timed(1.0)));
    let mut more = named(4, "x");
    more.0.push(("c".into(), Value::Int(1)));
    assert!(!space.insert(more, timed(1.0)));
    assert_eq!(space.len(), 3);
}

#[test]
fn the_space_numbers_the_rows_whose_values_are_listed() {
    let recorded = space();
    let (space, rows) = recorded.space().expect("a space");
    assert_eq!((space.len(), rows.len()), (2, 2));
    for id in space.ids() {
        assert_eq!(Named::of(&space, id), recorded.configuration(rows[id.0 as usize]));
    }
}

#[test]
fn seen_values_can_become_the_list() {
    let mut recorded = space();
    recorded.list_seen(0);
    assert_eq!(recorded.parameters[0].1, [2, 4, 9].map(Value::Int));
    assert_eq!(recorded.get(&named(9, "x")).and_then(|trial| trial.time_ms), Some(3.0));
    assert_eq!(recorded.configuration(0), named(2, "y"));
    assert_eq!(recorded.space().expect("a space").0.len(), 3);
}
