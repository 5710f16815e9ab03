//! The curve of a study as text, for terminals: braille dots over the sizes, and a line at the knee.

use records::{StudyRecord, StudyView};
use report::exporters::{
    knee_answer::KneeAnswer,
    quantities::{grouped, significant},
};

/// Rows of the picture, each four dots high.
const ROWS: usize = 8;
/// Most columns of the picture, each two dots wide.
const MOST_COLUMNS: usize = 72;
/// A narrower terminal gets no picture.
const LEAST_COLUMNS: usize = 24;
/// Fewer sizes make no curve.
const LEAST_SIZES: usize = 4;
/// Least columns of the values in front of the picture.
const LEAST_LABEL: usize = 8;
/// The character of the line at the knee.
pub(crate) const KNEE: char = '┊';

/// Bits of the dots of a braille character, from top to bottom, in the left and the right column.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Draws the metric of the best configurations over the sizes, both axes labelled. `width` is that
/// of the terminal. Returns no lines if the study has few sizes or the terminal is narrow.
pub(crate) fn lines(record: &StudyRecord, view: &StudyView, width: usize) -> Vec<String> {
    let value = |(point, figure): (&records::SizePoint, &records::Figure)| {
        let value = figure.metric.as_ref()?.value;
        (value.is_finite() && value >= 0.0).then_some((point.size as f64, value))
    };
    let points: Vec<(f64, f64)> = view.measured().filter_map(value).collect();
    let highest = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let metric = &record.benchmark.secondary;
    let unit = if metric.unit.is_empty() { &metric.name } else { &metric.unit };
    let top = significant(highest, 3);
    let label =
        [unit, &top].map(|text| text.chars().count()).into_iter().fold(LEAST_LABEL, usize::max);
    // Behind the label stand a space and the axis.
    let margin = label + 2;
    let columns = width.saturating_sub(margin + 1).min(MOST_COLUMNS);
    if points.len() < LEAST_SIZES || columns < LEAST_COLUMNS || highest <= 0.0 {
        return Vec::new();
    }
    let answer = KneeAnswer::of(record, view);
    let knee = answer.as_ref().and_then(|answer| answer.knee);
    let picture = Picture::of(&points, highest, columns);
    let unit = format!("{unit:>label$}");
    let mut lines = vec![String::new(), head(&unit, answer.as_ref(), knee, columns)];
    let marked = knee.map(|size| picture.column(size as f64));
    for row in 0..ROWS {
        let value = match row {
            0 => top.as_str(),
            _ if row == ROWS - 1 => "0",
            _ => "",
        };
        let cells: String = (0..columns).map(|column| picture.cell(row, column, marked)).collect();
        lines.push(format!("{value:>label$} │{}", cells.trim_end()));
    }
    lines.push(format!("{:>label$} └{}", "", "─".repeat(columns)));
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let (first, last) = (grouped(first as u64), grouped(last as u64));
    let meaning = match record.benchmark.size_meaning.as_str() {
        "" => "size",
        meaning => meaning,
    };
    let room = columns.saturating_sub(first.chars().count() + last.chars().count());
    lines.push(format!("{:>margin$}{first}{meaning:^room$.room$}{last}", ""));
    lines
}

/// The line above the picture: the unit, and the knee with its confidence.
fn head(unit: &str, answer: Option<&KneeAnswer<'_>>, knee: Option<u64>, columns: usize) -> String {
    let trust = answer.and_then(KneeAnswer::word).map_or(String::new(), |word| format!(", {word}"));
    let knee = knee.map_or(String::new(), |size| format!("{KNEE} knee {}{trust}", grouped(size)));
    let room = columns.saturating_sub(knee.chars().count() + 1);
    format!("{unit}  {:room$}{knee}", "").trim_end().to_owned()
}

/// Dots of a curve.
struct Picture {
    columns: usize,
    /// Logarithms of the first and the last size.
    ends: (f64, f64),
    cells: Vec<u32>,
}

impl Picture {
    fn of(points: &[(f64, f64)], highest: f64, columns: usize) -> Self {
        let way = |size: f64| size.max(1.0).ln();
        let ends = (way(points[0].0), way(points[points.len() - 1].0));
        let mut picture = Self { columns, ends, cells: vec![0; columns * ROWS] };
        let (wide, high) = ((2 * columns - 1) as f64, (4 * ROWS - 1) as f64);
        let place = |(size, value): (f64, f64)| (picture_share(way(size), ends) * wide, value);
        let placed: Vec<(f64, f64)> = points.iter().map(|point| place(*point)).collect();
        for pair in placed.windows(2) {
            let ((from, start), (to, end)) = (pair[0], pair[1]);
            // Steep pieces need a dot in each row.
            let rise = (end - start).abs() / highest * high;
            let steps = (to - from).max(rise).ceil().max(1.0) as usize;
            for step in 0..=steps {
                let share = step as f64 / steps as f64;
                let across = from + share * (to - from);
                let up = (start + share * (end - start)) / highest * high;
                picture.dot(across.round() as usize, (high - up).round() as usize);
            }
        }
        picture
    }

    fn dot(&mut self, across: usize, down: usize) {
        let cell = (down / 4) * self.columns + across / 2;
        if let Some(cell) = self.cells.get_mut(cell) {
            *cell |= DOTS[across % 2][down % 4];
        }
    }

    /// The column of a size.
    fn column(&self, size: f64) -> usize {
        let share = picture_share(size.max(1.0).ln(), self.ends);
        (share * (self.columns - 1) as f64).round() as usize
    }

    fn cell(&self, row: usize, column: usize, marked: Option<usize>) -> char {
        match self.cells[row * self.columns + column] {
            0 if marked == Some(column) => KNEE,
            0 => ' ',
            dots => char::from_u32(0x2800 + dots).unwrap_or(' '),
        }
    }
}

/// Where a value lies between two ends, from 0 to 1.
fn picture_share(value: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use records::{
        BenchmarkRecord, DeviceRecord, Figure, Host, MetricFigure, Named, SizeClosed, SizePoint,
        Summary, settings::StudySettings,
    };

    use super::*;

    fn record() -> StudyRecord {
        let (host, device) = (Host::default(), DeviceRecord::default());
        StudyRecord::new(vec![], host, device, BenchmarkRecord::default(), StudySettings::default())
    }

    fn view(values: &[f64]) -> StudyView {
        let point = |(at, value): (usize, &f64)| SizePoint {
            size: 1000 << at,
            closed: Some(SizeClosed {
                best: Some(Figure {
                    configuration: Named(Vec::new()),
                    seconds: Summary::of(&[1.0]).expect("a sample"),
                    metric: Some(MetricFigure { value: *value, ..MetricFigure::default() }),
                    error: None,
                    unsettled: false,
                    metrics: Default::default(),
                }),
                ..SizeClosed::default()
            }),
            ..Default::default()
        };
        StudyView { sizes: values.iter().enumerate().map(point).collect(), ..StudyView::default() }
    }

    #[test]
    fn a_curve_fits_the_terminal_and_climbs_from_left_to_right() {
        let view = view(&[1.0, 2.0, 4.0, 8.0, 15.0, 16.0, 16.0]);
        for width in [40, 80, 300] {
            let lines = lines(&record(), &view, width);
            assert_eq!(lines.len(), ROWS + 4, "{lines:#?}");
            assert!(lines.iter().all(|line| line.chars().count() < width), "{lines:#?}");
            let first = |row: usize| {
                lines[2 + row].chars().position(|c| ('\u{2801}'..='\u{28ff}').contains(&c))
            };
            let (top, bottom) = (first(0).expect("dots"), first(ROWS - 1).expect("dots"));
            assert!(bottom == LEAST_LABEL + 2 && top > bottom + 8, "{lines:#?}");
            assert!(lines[2].starts_with("      16 │"), "{lines:#?}");
            let last = &lines[ROWS + 3];
            assert!(last.contains("1000") && last.ends_with("64\u{a0}000"), "{lines:#?}");
        }
    }

    #[test]
    fn few_sizes_and_narrow_terminals_have_no_picture() {
        let record = record();
        assert!(lines(&record, &view(&[1.0, 2.0, 3.0]), 80).is_empty());
        assert!(lines(&record, &view(&[1.0, 2.0, 3.0, 4.0]), 20).is_empty());
        assert!(lines(&record, &view(&[0.0; 6]), 80).is_empty());
    }
}
