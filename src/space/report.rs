//! The report of a space, as data.

use std::time::Instant;

use records::{Named, settings::DEFAULT_SEED};
use serde::{Serialize, Serializer};
use space::{ConfigurationId, Expression, Neighbourhood, Space, Value, seeded};

use super::source::SpaceSource;

/// Flags that narrow the space and choose what is reported.
#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// Narrow a parameter: `block_size_x=64,128` (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUES")]
    parameters: Vec<String>,
    /// A further restriction: `block_size_x * block_size_y <= 256` (repeatable)
    #[arg(long = "restrict", value_name = "EXPR")]
    restrictions: Vec<String>,
    /// Draw this many different valid configurations, all equally likely
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// Seed of all random choices
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Count the neighbours of a thousand random configurations
    #[arg(long)]
    neighbours: bool,
}

/// Number of random configurations whose neighbours are counted.
const ASKED: usize = 1000;

/// The count stops early at this many neighbours in total.
const MAX_NEIGHBOURS: usize = 4_000_000;

#[derive(Debug, Serialize)]
pub(super) struct SpaceReport {
    pub(super) name: String,
    pub(super) about: String,
    /// Number of combinations of all values, exact.
    #[serde(serialize_with = "number")]
    pub(super) cartesian: String,
    pub(super) valid: u64,
    pub(super) fraction: f64,
    /// Seconds to build the space.
    pub(super) seconds: f64,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    pub(super) bytes: usize,
    pub(super) parameters: Vec<ParameterReport>,
    pub(super) restrictions: Vec<RestrictionReport>,
    pub(super) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sample: Vec<Named>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) neighbours: Vec<NeighbourReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct ParameterReport {
    pub(super) name: String,
    pub(super) default: Value,
    pub(super) values: Vec<ValueReport>,
}

/// A value, and the number of valid configurations that have it.
#[derive(Debug, Serialize)]
pub(super) struct ValueReport {
    pub(super) value: Value,
    pub(super) valid: u64,
}

/// A restriction, and the share of all combinations that it excludes by itself.
#[derive(Debug, Serialize)]
pub(super) struct RestrictionReport {
    pub(super) text: String,
    pub(super) removes: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct NeighbourReport {
    pub(super) kind: &'static str,
    pub(super) asked: usize,
    pub(super) mean: f64,
    pub(super) seconds: f64,
}

/// Writes a JSON number, or a string if the number exceeds 128 bits.
fn number<S: Serializer>(digits: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match digits.parse::<u128>() {
        Ok(number) => serializer.serialize_u128(number),
        Err(_) => serializer.serialize_str(digits),
    }
}

impl SpaceReport {
    pub(super) fn of(source: &SpaceSource, arguments: &ReportArgs) -> Result<Self, String> {
        let start = Instant::now();
        let space = source.build(&arguments.parameters, &arguments.restrictions)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut warnings = source.warnings.clone();
        warnings.extend(space.undefined().map(|(text, times)| {
            format!("`{text}` divides by zero in {times} checks; that counts as satisfied")
        }));
        let draw = |count, stream| space.sample(count, &mut seeded(arguments.seed, stream));
        let asked = if arguments.neighbours { draw(ASKED, 1) } else { Vec::new() };
        Ok(Self {
            name: source.name.clone(),
            about: source.about.clone(),
            cartesian: space.cartesian_digits(),
            valid: space.len(),
            fraction: space.fraction(),
            seconds,
            nodes: space.nodes(),
            edges: space.edges(),
            bytes: space.bytes(),
            parameters: parameters(&space),
            restrictions: space.restrictions().map(|r| restriction(&space, r)).collect(),
            warnings,
            sample: draw(arguments.sample, 0).into_iter().map(|id| Named::of(&space, id)).collect(),
            neighbours: if asked.is_empty() { Vec::new() } else { neighbours(&space, &asked) },
        })
    }
}

fn parameters(space: &Space) -> Vec<ParameterReport> {
    let counted = space.parameters().iter().zip(space.occurrences());
    counted
        .map(|(parameter, counts)| ParameterReport {
            name: parameter.name.clone(),
            default: parameter.values[parameter.default_index()].clone(),
            values: parameter
                .values
                .iter()
                .zip(counts)
                .map(|(value, valid)| ValueReport { value: value.clone(), valid })
                .collect(),
        })
        .collect()
}

/// The share that a restriction excludes, in the space of only the parameters that it names.
fn restriction(space: &Space, restriction: &Expression) -> RestrictionReport {
    let named: Vec<&str> = restriction.names_used().collect();
    let parameters = space.parameters().iter().filter(|p| named.contains(&p.name.as_str()));
    let alone =
        Space::build(parameters.cloned().collect(), &[restriction.text()], space.constants());
    RestrictionReport {
        text: restriction.text().to_owned(),
        removes: alone.ok().map(|alone| 1.0 - alone.fraction()),
    }
}

fn neighbours(space: &Space, asked: &[ConfigurationId]) -> Vec<NeighbourReport> {
    let kinds = [
        ("hamming", Neighbourhood::Hamming),
        ("adjacent", Neighbourhood::Adjacent),
        ("strictly-adjacent", Neighbourhood::StrictlyAdjacent),
    ];
    let count = |(kind, neighbourhood)| {
        let start = Instant::now();
        let (mut found, mut done) = (0, 0_usize);
        for id in asked {
            found += space.neighbours(*id, neighbourhood).len();
            done += 1;
            if found > MAX_NEIGHBOURS {
                break;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        NeighbourReport { kind, asked: done, mean: found as f64 / done as f64, seconds }
    };
    kinds.into_iter().map(count).collect()
}
