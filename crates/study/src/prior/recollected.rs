//! Recorded spaces as the prior of a search: which of them count, and as which sources.

use exchange::{RecordedSpace, names_processor};
use records::{Named, RecordedTrial};
use search_api::{Memory, PastTrial, Provenance, Source};
use space::{Parameter, Value};

use super::{Cell, Origin, ScoredSpace, costs, figure};
use crate::tuning::Ranking;

/// Smallest share of common parameters or values that makes two spaces or parameters alike.
const ALIKE: f64 = 0.5;
/// Smallest share of equal costs, among common configurations, that makes two recordings the same.
const EQUAL: f64 = 0.5;

/// Most configurations with which a search for a front begins.
const MOST_STARTS: usize = 8;

/// A recorded space that can be a source of a prior.
#[derive(Debug, Clone, PartialEq)]
pub struct Recollected {
    /// The recorded kernel, device and size.
    pub origin: Origin,
    parameters: Vec<Parameter>,
    source: Source,
    /// Its front, if a front is sought: the lowest first objective first.
    front: Vec<Named>,
}

impl Recollected {
    /// Takes the trials of a recorded space, and its front if the ranking has several objectives.
    ///
    /// # Errors
    /// If its parameters are faulty, or no configuration has the first objective within the bounds.
    pub fn new(name: &str, recorded: &RecordedSpace, ranking: &Ranking) -> Result<Self, String> {
        let one = Self::of(&ScoredSpace::under(name, recorded, ranking)?);
        if !ranking.seeks_front() {
            return Ok(one);
        }
        let holds = |trial: &RecordedTrial| ranking.bounds.hold(|metric| figure(trial, metric));
        let rows = recorded.trials().iter().enumerate().filter(|(_, trial)| holds(trial));
        let costs = rows.filter_map(|(row, trial)| Some((costs(trial, ranking)?, row)));
        let (costs, rows): (Vec<Vec<f64>>, Vec<usize>) = costs.unzip();
        let mut on_front = math::front(&costs);
        on_front.sort_by(|a, b| costs[*a][0].total_cmp(&costs[*b][0]));
        let front = on_front.into_iter().map(|at| recorded.configuration(rows[at])).collect();
        Ok(Self { front, ..one })
    }

    /// Takes the trials of a recorded space, with their scores as costs.
    #[must_use]
    pub fn of(scored: &ScoredSpace) -> Self {
        let space = &scored.space;
        let trial = |(id, cell): (_, &Cell)| PastTrial {
            values: space.values(id),
            cost: cell.score.unwrap_or(f64::INFINITY),
        };
        let source = Source {
            name: scored.name.clone(),
            from: Provenance::OtherSize,
            other_vendor: None,
            parameters: space.parameters().iter().map(|p| p.name.clone()).collect(),
            trials: space.ids().zip(&scored.cells).map(trial).collect(),
        };
        let (origin, parameters) = (scored.origin.clone(), space.parameters().to_vec());
        Self { origin, parameters, source, front: Vec::new() }
    }

    /// Returns the name of the recording.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Returns the number of evaluations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.source.trials.len()
    }

    /// Whether there are no evaluations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.source.trials.is_empty()
    }

    /// Whether the recording is of this kernel. With the kernel's name, it must have half of the
    /// kernel's parameters that have several values. With another name, it must have all of these
    /// with half of their values, and no other parameter with several values.
    #[must_use]
    pub fn is_about(&self, kernel: &str, parameters: &[Parameter]) -> bool {
        let choices: Vec<&Parameter> = parameters.iter().filter(|p| p.values.len() > 1).collect();
        let same = |wanted: &&&Parameter| self.parameters.iter().find(|p| p.name == wanted.name);
        let shared = choices.iter().filter(|wanted| same(wanted).is_some()).count();
        if shared == 0 {
            return false;
        }
        if !kernel.is_empty() && self.origin.kernel == kernel {
            return shared as f64 >= ALIKE * choices.len() as f64;
        }
        let named: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
        let further =
            self.parameters.iter().any(|p| p.values.len() > 1 && !named.contains(&p.name.as_str()));
        let meant = |wanted: &&Parameter| {
            let Some(known) = same(&wanted) else { return false };
            let common = wanted.values.iter().filter(|value| known.values.contains(value)).count();
            common as f64 >= ALIKE * wanted.values.len() as f64
        };
        !further && choices.iter().all(meant)
    }

    /// Whether the recording is of this space: the names of kernel and device are the same and the
    /// sizes are not known to differ, or [`Recollected::repeats`] holds.
    #[must_use]
    pub fn is_of(&self, scored: &ScoredSpace) -> bool {
        self.is_from_origin(&scored.origin) || self.repeats(scored)
    }

    /// Whether kernel and device are known and the same, and the sizes are not known to differ.
    #[must_use]
    pub fn is_from_origin(&self, its: &Origin) -> bool {
        let own = &self.origin;
        let named = !its.kernel.is_empty() && !its.device.is_empty();
        let alike = own.kernel == its.kernel && own.device == its.device;
        named && alike && !own.differs_in_size(its)
    }

    /// Whether half of the common configurations have equal costs, as in copies of one recording.
    #[must_use]
    pub fn repeats(&self, scored: &ScoredSpace) -> bool {
        let cost = |values: &[Value]| {
            let pairs = self.source.parameters.iter().map(String::as_str).zip(values);
            let id = scored.space.id_of_named(pairs)?;
            scored.cell(id).score
        };
        self.has_costs_of(cost)
    }

    /// Whether half of the costs that both sides know are equal.
    fn has_costs_of(&self, cost: impl Fn(&[Value]) -> Option<f64>) -> bool {
        let trials = self.source.trials.iter().filter(|trial| trial.cost.is_finite());
        let both = trials.filter_map(|trial| Some((trial.cost, cost(&trial.values)?)));
        let (common, equal) = both.fold((0_u32, 0_u32), |(common, equal), (a, b)| {
            (common + 1, equal + u32::from(a.total_cmp(&b).is_eq()))
        });
        common > 0 && f64::from(equal) >= EQUAL * f64::from(common)
    }

    /// Whether kernel and device are those of the target.
    fn is_from(&self, target: &Origin) -> bool {
        let (own, its) = (target, &self.origin);
        !own.device.is_empty() && (&own.device, &own.kernel) == (&its.device, &its.kernel)
    }

    /// Whether kernel, device, size and parameters are the same, so that both are one source.
    fn is_with(&self, other: &Self) -> bool {
        self.origin == other.origin
            && !self.origin.device.is_empty()
            && self.source.parameters == other.source.parameters
    }
}

/// Builds the prior for a kernel on a device, from ordered sources.
#[must_use]
pub fn memory_of<'a>(
    target: &Origin,
    recollected: impl IntoIterator<Item = &'a Recollected>,
) -> Memory {
    let is_same = |one: &Recollected| one.is_from(target);
    let source = |one: Recollected| {
        let is_same_size = !is_same(&one) && target.numbers() == one.origin.numbers();
        let from = if is_same_size { Provenance::SameSize } else { Provenance::OtherSize };
        let device = &one.origin.device;
        // Devices whose names show no vendor count as one vendor's.
        let other_vendor = (maker(device) != maker(&target.device)).then(|| device.clone());
        Source { from, other_vendor, ..one.source }
    };
    Memory { sources: ordered(target, recollected).into_iter().map(source).collect() }
}

/// Configurations with which a search for a front begins: at most eight, and at most half of its
/// evaluations, from the front of each device at its nearest size. A front that is longer than what
/// is left gives those farthest apart in its order. Also returns how many each recording gave.
#[must_use]
pub fn begin_with<'a>(
    target: &Origin,
    recollected: impl IntoIterator<Item = &'a Recollected>,
    evaluations: Option<u64>,
) -> (Vec<Named>, Vec<(String, u64)>) {
    let half = evaluations.map_or(usize::MAX, |all| all as usize / 2);
    let most = MOST_STARTS.min(half);
    let (mut chosen, mut from) = (Vec::<Named>::new(), Vec::new());
    let mut devices: Vec<String> = Vec::new();
    for one in ordered(target, recollected) {
        // A device's other sizes have much the same front.
        if devices.contains(&one.origin.device) {
            continue;
        }
        devices.push(one.origin.device.clone());
        let new: Vec<&Named> = one.front.iter().filter(|name| !chosen.contains(name)).collect();
        let room = (most - chosen.len()).min(new.len());
        let last = (new.len().max(1) - 1) as f64 / (room.max(2) - 1) as f64;
        let spread = (0..room).map(|at| new[(at as f64 * last).round() as usize].clone());
        let spread: Vec<Named> = spread.collect();
        if !spread.is_empty() {
            from.push((one.name().to_owned(), spread.len() as u64));
        }
        chosen.extend(spread);
    }
    (chosen, from)
}

/// One recording per device and size. A search uses only the first few, so they are ordered: of each
/// device the size nearest to the target's, then the second nearest, and so on; among these the
/// target's own device comes first. Where the target's size is unknown, larger sizes come first.
fn ordered<'a>(
    target: &Origin,
    recollected: impl IntoIterator<Item = &'a Recollected>,
) -> Vec<Recollected> {
    let mut merged: Vec<Recollected> = Vec::new();
    for one in recollected {
        match merged.iter_mut().find(|other| other.is_with(one)) {
            Some(other) => {
                other.source.trials.extend(one.source.trials.iter().cloned());
                other.front.extend(one.front.iter().cloned());
                other.source.name = format!("{}, {}", other.source.name, one.source.name);
            }
            None => merged.push(one.clone()),
        }
    }
    let sizes = |one: &Recollected| one.origin.numbers();
    let precedes = |one: &Recollected, other: &Recollected| match &target.numbers()[..] {
        [wanted] => {
            let apart = |size: u64| (size.max(1) as f64 / (*wanted).max(1) as f64).ln().abs();
            let nearest = |one| sizes(one).first().map_or(f64::INFINITY, |size| apart(*size));
            nearest(one) < nearest(other)
        }
        _ => sizes(one) > sizes(other),
    };
    let mut order: Vec<(usize, bool, usize)> = Vec::with_capacity(merged.len());
    for (at, one) in merged.iter().enumerate() {
        let before =
            |other: &&Recollected| other.origin.device == one.origin.device && precedes(other, one);
        order.push((merged.iter().filter(before).count(), !one.is_from(target), at));
    }
    order.sort_unstable();
    let mut merged: Vec<Option<Recollected>> = merged.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(.., at)| merged[at].take()).collect()
}

/// Vendors, and the words in device names that show them.
const MAKERS: [(&str, &[&str]); 4] = [
    ("NVIDIA", &["nvidia", "geforce", "rtx", "gtx", "titan", "tesla", "quadro"]),
    ("AMD", &["amd", "radeon", "instinct"]),
    ("Intel", &["intel"]),
    ("Apple", &["apple"]),
];

/// Returns a device's vendor, if its name shows one, and whether the device is a CPU.
fn maker(device: &str) -> (Option<&'static str>, bool) {
    let name = device.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let of = |word| MAKERS.iter().find(|(_, words)| words.contains(&word));
    (words.find_map(of).map(|(maker, _)| *maker), names_processor(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recording whose run times are a function of the sum of its parameters.
    fn recorded(
        (kernel, device): (&str, &str),
        parameters: &[(&str, &[i64])],
        time: impl Fn(f64) -> f64,
    ) -> ScoredSpace {
        let listed = parameters.iter().map(|(name, values)| {
            ((*name).to_owned(), values.iter().map(|v| Value::Int(*v)).collect())
        });
        let mut space = RecordedSpace::new(listed.collect());
        space.kernel = kernel.to_owned();
        space.device = device.to_owned();
        let mut places = vec![0; parameters.len()];
        'rows: loop {
            let chosen = parameters
                .iter()
                .zip(&places)
                .map(|((name, values), place)| ((*name).to_owned(), Value::Int(values[*place])));
            let chosen: Vec<(String, Value)> = chosen.collect();
            let sum: f64 = chosen.iter().filter_map(|(_, value)| value.as_f64()).sum();
            let time_ms = Some(time(sum));
            let trial = RecordedTrial { time_ms, times_ms: vec![time(sum)], ..Default::default() };
            space.insert(Named(chosen), trial);
            for (place, (_, values)) in places.iter_mut().zip(parameters) {
                *place += 1;
                if *place < values.len() {
                    continue 'rows;
                }
                *place = 0;
            }
            return ScoredSpace::new(device, &space).expect("a space");
        }
    }

    const BLOCKS: &[i64] = &[16, 32, 64, 128];
    const TILES: &[i64] = &[1, 2, 3, 4];

    fn one(kernel: &str, device: &str) -> ScoredSpace {
        recorded((kernel, device), &[("block", BLOCKS), ("tile", TILES), ("one", &[7])], |x| x)
    }

    fn about(scored: &ScoredSpace, other: &ScoredSpace) -> bool {
        Recollected::of(other).is_about(&scored.origin.kernel, scored.space.parameters())
    }

    #[test]
    fn a_kernel_of_the_name_counts_with_half_of_the_parameters_and_others_with_all_of_them() {
        let here = one("gemm", "here");
        let with = |kernel, parameters: &[(&str, &[i64])]| {
            about(&here, &recorded((kernel, "there"), parameters, |x| x * 2.0))
        };
        assert!(with("gemm", &[("block", BLOCKS), ("tile", TILES)]));
        assert!(with("gemm", &[("block", &[1, 2]), ("stages", &[1, 2])]));
        assert!(!with("gemm", &[("stages", &[1, 2])]));
        assert!(with("sgemm", &[("tile", TILES), ("block", &[32, 64, 256])]));
        assert!(with("", &[("block", BLOCKS), ("tile", TILES), ("one", &[7])]));
        assert!(!with("sgemm", &[("block", BLOCKS)]));
        assert!(!with("sgemm", &[("block", BLOCKS), ("tile", TILES), ("stages", &[1, 2])]));
        assert!(!with("sgemm", &[("block", BLOCKS), ("tile", &[4, 5, 6])]));
    }

    #[test]
    fn a_space_is_told_by_its_names_or_by_its_costs() {
        let here = one("gemm", "here");
        let of = |other: &ScoredSpace| Recollected::of(other).is_of(&here);
        assert!(of(&here) && of(&one("", "")));
        assert!(
            of(&recorded(("gemm", "here"), &[("block", BLOCKS), ("tile", TILES)], |x| x * 2.0))
        );
        let there = recorded(
            ("gemm", "there"),
            &[("block", BLOCKS), ("tile", TILES), ("one", &[7])],
            |x| x * 2.0,
        );
        assert!(!of(&there));
    }

    #[test]
    fn another_size_on_the_device_is_another_space_and_a_source_of_its_own() {
        let sized = |size: &str, factor: f64| {
            let mut of = recorded(("gemm", "here"), &[("block", BLOCKS)], |x| factor * x);
            of.origin.size = size.to_owned();
            of
        };
        let (small, large, unknown) = (sized("64", 1.0), sized("128", 8.0), sized("", 3.0));
        let is_of = |a: &ScoredSpace, b: &ScoredSpace| Recollected::of(a).is_of(b);
        assert!(!is_of(&small, &large) && is_of(&unknown, &large) && is_of(&small, &unknown));
        assert!(is_of(&sized("64", 1.5), &small) && is_of(&sized("128", 1.0), &small));
        // Sizes with different wording may be the same size.
        assert!(is_of(&sized("64 × 64", 2.0), &small) && is_of(&sized("n = 64", 2.0), &small));
        let all = [&small, &large, &sized("64", 1.1)].map(Recollected::of);
        let memory = memory_of(&small.origin, &all);
        let of_size = |memory: &Memory| -> Vec<usize> {
            let same = memory.sources.iter().filter(|source| source.from == Provenance::SameSize);
            same.map(|source| source.trials.len()).collect()
        };
        assert!(of_size(&memory).is_empty(), "of the device itself it is its own or another size");
        let there = Origin { device: "there".to_owned(), ..small.origin.clone() };
        assert_eq!(of_size(&memory_of(&there, &all)), [8], "both of 64");
        assert!(of_size(&memory_of(&one("gemm", "there").origin, &all)).is_empty());
        let counts = |memory: &Memory| -> Vec<usize> {
            memory.sources.iter().map(|source| source.trials.len()).collect()
        };
        assert_eq!(counts(&memory), [8, 4], "the nearest first");
        assert_eq!(counts(&memory_of(&unknown.origin, &all)), [4, 8], "the largest first");
    }

    #[test]
    fn another_makers_device_is_told_by_its_name() {
        let other_vendor = |here: &str, there: &str| {
            let memory =
                memory_of(&one("gemm", here).origin, &[Recollected::of(&one("gemm", there))]);
            memory.sources[0].other_vendor.clone()
        };
        for (here, there) in [
            ("NVIDIA A100-PCIE-40GB", "NVIDIA RTX A4000"),
            ("NVIDIA A100", "Tesla V100"),
            ("RTX 2080 Ti", "NVIDIA TITAN V"),
            ("Radeon Pro W6600", "AMD Instinct MI250X"),
            ("12th Gen Intel(R) Core(TM) i9-12900K", "Intel(R) Xeon(R) CPU @ 2.20GHz"),
            ("one", "another"),
        ] {
            assert_eq!(other_vendor(here, there), None, "{here} {there}");
        }
        for (here, there) in [
            ("NVIDIA A100", "AMD Instinct MI250X"),
            ("AMD Instinct MI250X", "AMD EPYC"),
            ("NVIDIA A100", "of some maker"),
        ] {
            assert_eq!(other_vendor(here, there).as_deref(), Some(there));
        }
    }

    #[test]
    fn recordings_of_one_device_are_one_source() {
        let (a, b) = (one("gemm", "a"), one("gemm", "b"));
        let all = [&a, &b, &a].map(Recollected::of);
        let c = one("gemm", "c").origin;
        let memory = memory_of(&c, &all);
        let counts: Vec<usize> = memory.sources.iter().map(|s| s.trials.len()).collect();
        assert_eq!(counts, [32, 16]);
        assert_eq!(memory.sources[0].name, "a, a");
        assert!(memory_of(&c, &[]).is_empty() && all.iter().all(|one| !one.is_empty()));
    }
}
