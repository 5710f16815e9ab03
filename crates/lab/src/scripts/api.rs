//! The script's view of a problem: one table of functions and facts.

use std::cell::{Cell, RefCell};

use mlua::{Error, FromLuaMulti, Function, IntoLuaMulti, Lua, Scope, Table, Value, Variadic};
use rand::RngExt;
use registry::Knobs;
use search::{Explorer, repair};
use search_api::{Problem, Stop};
use space::{ConfigurationId, Neighbourhood, Space, Value as SpaceValue};

use super::{
    configurations::{self, any, neighbourhood, valid, written},
    declared::{DeclaredKnob, Setting},
    faults::{Over, place, sentence},
    limits::Limits,
    sandbox::Sandbox,
};

/// Most configurations that one call draws or evaluates.
const MOST_AT_ONCE: usize = 100_000;

/// Most configurations that `unknown` draws without an evaluation; each is stored to prevent
/// repetition.
const MOST_UNUSED: u64 = 1_000_000;

/// With up to this many parameters, indices are returned as separate results, which is faster than
/// a table.
const MOST_RESULTS: usize = 1_000;

/// Most parameters for which all 3^n combinations of steps are listed.
const MOST_MOVES: usize = 13;

/// Runs a script's function `search` on a problem, with the user's knobs or the defaults.
pub(super) fn search(
    sandbox: &Sandbox,
    search: &Function,
    problem: &mut dyn Problem,
    (declared, knobs): (&[DeclaredKnob], Option<&Knobs>),
) -> Result<(), Over> {
    let space = problem.space();
    if space.len() > configurations::MOST {
        let why = "a script cannot number the configurations of so large a space; narrow it";
        return Err(Over::Fault(why.to_owned()));
    }
    let explorer = RefCell::new(Explorer::new(problem));
    let (lua, limits) = (&sandbox.lua, &*sandbox.limits);
    let mut over = None;
    let scoped = lua.scope(|scope| {
        let seen = Seen { scope, sandbox, limits, space: &space, explorer: &explorer };
        let random = seen.function(|_, explorer, ()| Ok(explorer.rng().random::<f64>()))?;
        let check = seen.function(|_, explorer, ()| Ok(explorer.check()?))?;
        let arguments = (seen.table(lua)?, knob_table(lua, declared, knobs)?);
        limits.rest();
        limits.ask(Some(check));
        over = sandbox.run(search, Some(&random), arguments).err();
        limits.ask(None);
        Ok(())
    });
    match (over, scoped) {
        (Some(over), _) => Err(over),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(Over::Fault(sentence(&error))),
    }
}

fn knob_table(lua: &Lua, declared: &[DeclaredKnob], knobs: Option<&Knobs>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    for knob in declared {
        match knob.setting(knobs) {
            Some(Setting::Number(value)) => table.raw_set(knob.name.as_str(), value)?,
            Some(Setting::Word(word)) => table.raw_set(knob.name.as_str(), word)?,
            None => {}
        }
    }
    table.set_readonly(true);
    Ok(table)
}

/// Why a function returns no answer to a script.
enum Trouble {
    /// The arguments make no sense.
    Wrong(String),
    /// The search is over.
    Stop(Stop),
    /// An error of Luau itself.
    Luau(Error),
}

impl From<String> for Trouble {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Luau(error)
    }
}

/// Shared state of all functions of the table.
#[derive(Clone, Copy)]
struct Seen<'s, 'env, 'p> {
    scope: &'s Scope<'s, 'env>,
    sandbox: &'s Sandbox,
    limits: &'s Limits,
    space: &'s Space,
    explorer: &'s RefCell<Explorer<'p>>,
}

impl<'s, 'env, 'p> Seen<'s, 'env, 'p> {
    /// Makes a function that can use the problem.
    fn function<A: FromLuaMulti, R: IntoLuaMulti>(
        self,
        body: impl Fn(&Lua, &mut Explorer<'p>, A) -> Result<R, Trouble> + 's,
    ) -> mlua::Result<Function> {
        let Self { limits, explorer, .. } = self;
        self.scope.create_function(move |lua, arguments: A| {
            let busy = |_| Error::RuntimeError("the problem is busy".to_owned());
            let mut explorer = explorer.try_borrow_mut().map_err(busy)?;
            body(lua, &mut explorer, arguments).map_err(|trouble| match trouble {
                Trouble::Wrong(why) => {
                    limits.refused();
                    Error::RuntimeError(place(lua) + &why)
                }
                Trouble::Stop(stop) => limits.end(Over::Stopped(stop)),
                Trouble::Luau(error) => error,
            })
        })
    }

    /// The table; read-only for the script.
    fn table(self, lua: &Lua) -> mlua::Result<Table> {
        let table = lua.create_table()?;
        self.facts(lua, &table)?;
        self.evaluations(&table)?;
        self.choices(&table)?;
        self.places(&table)?;
        table.set_readonly(true);
        Ok(table)
    }

    /// Adds the facts that do not change during a search.
    fn facts(self, lua: &Lua, table: &Table) -> mlua::Result<()> {
        let explorer = self.explorer.borrow();
        table.raw_set("size", self.space.len() as f64)?;
        table.raw_set("parameters", parameters(lua, self.space)?)?;
        table.raw_set("default", self.space.default_id().map(number))?;
        table.raw_set("budget", explorer.limit().map(|limit| limit as f64))?;
        let starts = lua.create_sequence_from(explorer.starts().into_iter().map(number))?;
        starts.set_readonly(true);
        table.raw_set("starts", starts)
    }

    /// Adds the functions for costs and spent budget.
    fn evaluations(self, table: &Table) -> mlua::Result<()> {
        let Self { limits, space, .. } = self;
        let evaluate = self.function(move |_, explorer, written: Value| {
            let cost = explorer.cost(valid(space, &written)?)?;
            limits.rest();
            Ok(cost)
        })?;
        table.raw_set("evaluate", evaluate)?;
        let evaluate_all = self.function(move |lua, explorer, all: Table| {
            let ids = listed(space, &all)?;
            let costs = explorer.costs(&ids)?;
            // An empty list is no evaluation, so it must not reset the limits.
            if !ids.is_empty() {
                limits.rest();
            }
            Ok(lua.create_sequence_from(costs)?)
        })?;
        table.raw_set("evaluate_all", evaluate_all)?;
        let known = self.function(move |_, explorer, written: Value| {
            Ok(explorer.known(valid(space, &written)?))
        })?;
        table.raw_set("known", known)?;
        let spent = self.function(|_, explorer, ()| Ok(explorer.progress()))?;
        table.raw_set("spent", spent)
    }

    /// Adds the functions for random configurations and neighbours.
    fn choices(self, table: &Table) -> mlua::Result<()> {
        let space = self.space;
        let random =
            self.function(move |_, explorer, ()| Ok(space.random(explorer.rng()).map(number)))?;
        table.raw_set("random", random)?;
        let sample = self.function(move |lua, explorer, count: f64| {
            let most = MOST_AT_ONCE as f64;
            if !(count >= 0.0 && count <= most && count.fract() == 0.0) {
                return Err(format!("a sample has from 0 to {most} configurations").into());
            }
            let drawn = space.sample(count as usize, explorer.rng());
            Ok(lua.create_sequence_from(drawn.into_iter().map(number))?)
        })?;
        table.raw_set("sample", sample)?;
        let drawn = Cell::new(0_u64);
        let unknown = self.function(move |_, explorer, ()| {
            drawn.set(drawn.get() + 1);
            if drawn.get() > MOST_UNUSED + 2 * explorer.evaluations() {
                let why =
                    format!("{MOST_UNUSED} unknown configurations were drawn and not evaluated");
                return Err(why.into());
            }
            Ok(explorer.unknown().map(number))
        })?;
        table.raw_set("unknown", unknown)?;
        let neighbours = self.function(move |lua, _, (of, kind): (Value, Value)| {
            let (of, kind) = (any(space, &of)?, neighbourhood(&kind)?);
            can_list(space, kind)?;
            let found = space.neighbours_of_any(&of, kind);
            Ok(lua.create_sequence_from(found.into_iter().map(number))?)
        })?;
        table.raw_set("neighbours", neighbours)?;
        let neighbour = self.function(move |_, explorer, (of, kind): (Value, Value)| {
            let (of, kind) = (any(space, &of)?, neighbourhood(&kind)?);
            Ok(space.random_neighbour(&of, kind, explorer.rng()).map(number))
        })?;
        table.raw_set("neighbour", neighbour)
    }

    /// The function from a configuration to its indices.
    fn indices(self) -> mlua::Result<Function> {
        let Self { sandbox, space, .. } = self;
        if space.parameters().len() > MOST_RESULTS {
            return self.function(move |lua, _, of: Value| {
                let indices = space.configuration(valid(space, &of)?);
                Ok(lua.create_sequence_from(written(&indices))?)
            });
        }
        let results = self.function(move |_, _, of: Value| {
            let indices = space.configuration(valid(space, &of)?);
            Ok(written(&indices).collect::<Variadic<f64>>())
        })?;
        sandbox.listing(results)
    }

    /// Adds the conversions between configurations, indices and values.
    fn places(self, table: &Table) -> mlua::Result<()> {
        let space = self.space;
        table.raw_set("indices", self.indices()?)?;
        let values = self.function(move |lua, _, of: Value| {
            let named = space.named(valid(space, &of)?);
            let table = lua.create_table_with_capacity(0, named.len())?;
            for (name, value) in named {
                table.raw_set(name, shown(lua, value)?)?;
            }
            Ok(table)
        })?;
        table.raw_set("values", values)?;
        let find =
            self.function(move |_, _, of: Value| Ok(space.id_of(&any(space, &of)?).map(number)))?;
        table.raw_set("find", find)?;
        let repaired = self.function(move |_, explorer, of: Value| {
            Ok(repair::always(space, &any(space, &of)?, explorer.rng()).map(number))
        })?;
        table.raw_set("repair", repaired)?;
        let nearest = self.function(move |_, _, of: Value| {
            Ok(space.nearest_by_hamming(&any(space, &of)?).map(number))
        })?;
        table.raw_set("nearest", nearest)
    }
}

/// A configuration's number in scripts.
fn number(id: ConfigurationId) -> f64 {
    id.0 as f64
}

/// Refuses neighbourhoods with too many neighbours to list.
fn can_list(space: &Space, kind: Neighbourhood) -> Result<(), Trouble> {
    let moves = space.parameters().iter().filter(|parameter| parameter.values.len() > 1).count();
    let is_many = matches!(kind, Neighbourhood::Adjacent | Neighbourhood::StrictlyAdjacent);
    match is_many && moves > MOST_MOVES {
        true => Err(format!(
            "{moves} parameters have too many adjacent neighbours to be listed; problem.neighbour \
             draws one"
        )
        .into()),
        false => Ok(()),
    }
}

/// The valid configurations of a list.
fn listed(space: &Space, all: &Table) -> Result<Vec<ConfigurationId>, Trouble> {
    let count = all.raw_len();
    if count > MOST_AT_ONCE {
        return Err(format!("{count} configurations at once are more than {MOST_AT_ONCE}").into());
    }
    let (mut ids, mut fault) = (Vec::with_capacity(count), None);
    all.for_each_value(|written: Value| {
        match valid(space, &written) {
            Ok(id) => ids.push(id),
            Err(why) => fault = fault.take().or(Some(why)),
        }
        Ok(())
    })?;
    match fault {
        Some(why) => Err(why.into()),
        None if ids.len() != count => Err("a list of configurations has holes".to_owned().into()),
        None => Ok(ids),
    }
}

/// The parameters: names, values and defaults.
fn parameters(lua: &Lua, space: &Space) -> mlua::Result<Table> {
    let all = lua.create_table()?;
    for parameter in space.parameters() {
        let table = lua.create_table()?;
        table.raw_set("name", parameter.name.as_str())?;
        let values: Vec<Value> =
            parameter.values.iter().map(|value| shown(lua, value)).collect::<mlua::Result<_>>()?;
        let values = lua.create_sequence_from(values)?;
        values.set_readonly(true);
        table.raw_set("values", values)?;
        table.raw_set("default", parameter.default_index() + 1)?;
        table.set_readonly(true);
        all.raw_push(table)?;
    }
    all.set_readonly(true);
    Ok(all)
}

fn shown(lua: &Lua, value: &SpaceValue) -> mlua::Result<Value> {
    Ok(match value {
        SpaceValue::Bool(value) => Value::Boolean(*value),
        SpaceValue::Int(value) => Value::Number(*value as f64),
        SpaceValue::Float(value) => Value::Number(*value),
        SpaceValue::Text(text) => Value::String(lua.create_string(text.as_bytes())?),
    })
}
