//! Iterated local search that tries the most promising neighbours first.
//!
//! It begins with the given starts, the default and a few points far apart. Then it climbs from the
//! best through Hamming neighbours, moving to the first that is better. A neighbour is promising if
//! the known configurations nearest to it are good, so a value that helped once is soon tried
//! elsewhere. A climb ends after too many failures. The next one begins at the most promising of a
//! few changed copies of the best, or sometimes far from everything known.

use rand::RngExt;
use registry::{Allowed, Knob, Knobs};
use rustc_hash::FxHashMap;
use search_api::{Evaluation, Problem, Stop, Strategy};
use space::{Configuration, ConfigurationId, Neighbourhood, Shuffle, Space};

use super::{surrogate::starts, walks::value_distance::ValueDistance};

/// Neighbours announced with `may_try` before they are needed.
const AHEAD: usize = 4;

/// Candidates from which a start is chosen.
const CANDIDATES: usize = 40;

/// Latest evaluated configurations that a prediction uses.
const MEMORY: usize = 400;

inventory::submit!(Strategy {
    name: "local_search",
    aliases: &[],
    about: "climbs from the best start through promising neighbours, then from changed copies of the best",
    reference: "Lourenço, Martin and Stützle, Iterated Local Search, Handbook of Metaheuristics, 2003",
    knobs: &[
        Knob {
            name: "design",
            about: "configurations far apart to begin with, at most a quarter of the budget",
            default: "5",
            allowed: Allowed::Integer(0, 10_000),
        },
        Knob {
            name: "patience",
            about: "neighbours in a row without a better one before a climb is left",
            default: "12",
            allowed: Allowed::Integer(1, 1_000_000),
        },
        Knob {
            name: "kick",
            about: "most parameters that change between climbs",
            default: "3",
            allowed: Allowed::Integer(1, 1_000),
        },
        Knob {
            name: "far",
            about: "share of climbs that begin far from everything known",
            default: "0.2",
            allowed: Allowed::Number(0.0, 1.0),
        },
    ],
    presets: &[],
    search: &search,
});

fn search(problem: &mut dyn Problem, knobs: &Knobs) -> Result<(), Stop> {
    let space = problem.space();
    let mut search =
        Search { memory: SearchMemory::new(&space), rest: space.shuffle(), space: &space };
    search.begin(problem, knobs.integer("design"))?;
    let (patience, kick) = (knobs.integer("patience"), knobs.integer("kick"));
    let Some(mut best) = search.memory.best() else { return Ok(()) };
    best = search.climb(problem, best, patience)?;
    loop {
        let far = problem.rng().random_bool(knobs.number("far"));
        let start = if far { search.far(problem) } else { search.kicked(problem, best, kick) };
        let Some(start) = start.or_else(|| search.unseen(problem)) else { return Ok(()) };
        search.evaluate(problem, start)?;
        let reached = search.climb(problem, start, patience)?;
        if search.memory.cost(reached) < search.memory.cost(best) {
            best = reached;
        }
    }
}

struct Search<'a> {
    space: &'a Space,
    memory: SearchMemory,
    /// Random configurations, for when every other source gives known ones.
    rest: Shuffle,
}

impl Search<'_> {
    fn evaluate(&mut self, problem: &mut dyn Problem, id: ConfigurationId) -> Result<f64, Stop> {
        let evaluation = problem.evaluate(id)?;
        self.memory.learn(self.space, id, &evaluation);
        Ok(evaluation.cost())
    }

    /// The starts, the default, and points far from them and from each other.
    fn begin(&mut self, problem: &mut dyn Problem, design: u64) -> Result<(), Stop> {
        let mut first = starts(problem);
        first.extend(self.space.default_id());
        problem.may_try(&first);
        for id in first {
            self.evaluate(problem, id)?;
        }
        let quarter = problem.spent().evaluations_left().map_or(design, |left| left / 4);
        for _ in 0..design.min(quarter) {
            let Some(id) = self.far(problem) else { break };
            self.evaluate(problem, id)?;
        }
        Ok(())
    }

    /// Moves to better neighbours until `patience` in a row were not better.
    fn climb(
        &mut self,
        problem: &mut dyn Problem,
        start: ConfigurationId,
        patience: u64,
    ) -> Result<ConfigurationId, Stop> {
        let mut current = start;
        let mut failures = 0;
        'moved: loop {
            let mut neighbours = self.space.neighbours(current, Neighbourhood::Hamming);
            neighbours.retain(|id| !self.memory.knows(*id));
            let promise = self.memory.promises(self.space, &neighbours);
            let mut order: Vec<usize> = (0..neighbours.len()).collect();
            order.sort_by(|a, b| promise[*a].total_cmp(&promise[*b]));
            let order: Vec<_> = order.into_iter().map(|i| neighbours[i]).collect();
            for (at, id) in order.iter().enumerate() {
                if failures >= patience {
                    return Ok(current);
                }
                problem.may_try(&order[at..order.len().min(at + AHEAD)]);
                if self.evaluate(problem, *id)? < self.memory.cost(current) {
                    current = *id;
                    failures = 0;
                    continue 'moved;
                }
                failures += 1;
            }
            return Ok(current);
        }
    }

    /// The most promising of a few copies of `best` with up to `kick` parameters changed.
    fn kicked(
        &mut self,
        problem: &mut dyn Problem,
        best: ConfigurationId,
        kick: u64,
    ) -> Option<ConfigurationId> {
        let mut copies = Vec::with_capacity(CANDIDATES);
        for _ in 0..CANDIDATES {
            let mut copy = best;
            for _ in 0..problem.rng().random_range(1..=kick) {
                let neighbours = self.space.neighbours(copy, Neighbourhood::Hamming);
                if !neighbours.is_empty() {
                    copy = neighbours[problem.rng().random_range(0..neighbours.len())];
                }
            }
            if !self.memory.knows(copy) {
                copies.push(copy);
            }
        }
        let promise = self.memory.promises(self.space, &copies);
        (0..copies.len()).min_by(|a, b| promise[*a].total_cmp(&promise[*b])).map(|i| copies[i])
    }

    /// The random configuration, of a few, that is farthest from everything known.
    fn far(&mut self, problem: &mut dyn Problem) -> Option<ConfigurationId> {
        let drawn = (0..CANDIDATES).filter_map(|_| self.space.random(problem.rng()));
        let unknown: Vec<_> = drawn.filter(|id| !self.memory.knows(*id)).collect();
        let isolation =
            |id: &ConfigurationId| self.memory.isolation(&self.space.configuration(*id));
        unknown.into_iter().max_by(|a, b| isolation(a).total_cmp(&isolation(b)))
    }

    fn unseen(&mut self, problem: &mut dyn Problem) -> Option<ConfigurationId> {
        std::iter::from_fn(|| self.rest.next(problem.rng())).find(|id| !self.memory.knows(*id))
    }
}

struct SearchMemory {
    cost: FxHashMap<ConfigurationId, f64>,
    points: Vec<(ConfigurationId, Configuration)>,
    spread: ValueDistance,
}

impl SearchMemory {
    fn new(space: &Space) -> Self {
        Self { cost: FxHashMap::default(), points: Vec::new(), spread: ValueDistance::new(space) }
    }

    fn learn(&mut self, space: &Space, id: ConfigurationId, evaluation: &Evaluation) {
        if self.cost.insert(id, evaluation.cost()).is_none() {
            self.points.push((id, space.configuration(id)));
        }
    }

    fn knows(&self, id: ConfigurationId) -> bool {
        self.cost.contains_key(&id)
    }

    fn cost(&self, id: ConfigurationId) -> f64 {
        self.cost.get(&id).copied().unwrap_or(f64::INFINITY)
    }

    fn best(&self) -> Option<ConfigurationId> {
        let cost = |point: &&(ConfigurationId, Configuration)| self.cost(point.0);
        self.points.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).map(|p| p.0)
    }

    fn isolation(&self, configuration: &Configuration) -> f64 {
        self.spread.isolation(configuration, self.points.iter().map(|(_, point)| point))
    }

    /// Expected ranks of configurations, lower is better: the mean rank of known configurations,
    /// weighted by nearness. Ranks do not depend on the unit and scale of the score.
    fn promises(&self, space: &Space, ids: &[ConfigurationId]) -> Vec<f64> {
        let recent = &self.points[self.points.len().saturating_sub(MEMORY)..];
        let mut order: Vec<usize> = (0..recent.len()).collect();
        order.sort_by(|a, b| self.cost(recent[*a].0).total_cmp(&self.cost(recent[*b].0)));
        let mut rank = vec![0.0; recent.len()];
        for (place, index) in order.iter().enumerate() {
            rank[*index] = place as f64 / recent.len() as f64;
        }
        ids.iter()
            .map(|id| {
                let configuration = space.configuration(*id);
                let (mut sum, mut weights) = (0.0, 0.0);
                for ((_, point), rank) in recent.iter().zip(&rank) {
                    let weight = self.spread.between(point, &configuration).max(1e-3).powi(-3);
                    sum += weight * rank;
                    weights += weight;
                }
                if weights > 0.0 { sum / weights } else { 0.5 }
            })
            .collect()
    }
}
