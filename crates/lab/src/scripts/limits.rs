//! Limits of a running script: its work between evaluations, its total time, and the end of its
//! search.
//!
//! Calls, returns and loop iterations count as steps; [`Limits::tick`] runs every few steps. After
//! a search is over, every step fails. A `pcall`, a handler or a coroutine may catch this, but
//! cannot call or repeat anything afterwards.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use mlua::{Error, Function, Lua, VmState};
use rustix::time::{ClockId, clock_gettime};
use search_api::Stop;

use super::{
    deadline::Deadline,
    faults::{Over, place},
    ticks::{self, Looking, Running},
};

/// Most bytes of memory.
pub(super) const MOST_BYTES: usize = 64 << 20;
/// Most steps (calls, returns and loop iterations) between evaluations.
const MOST_STEPS: u64 = 20_000_000;
/// CPU time limit between evaluations. Unlike the limit of steps, it is not reproducible. It is far
/// above the time of so many steps, and only ends scripts whose steps are slow.
const LONGEST: Duration = Duration::from_secs(20);
/// Steps between checks of the limits and of the search.
const LOOK: u64 = 1 << 10;
/// Bytes of memory at which garbage is collected. Luau's own collector depends on a clock, and weak
/// tables show what it collected. It is therefore stopped, and this rule replaces it.
const GARBAGE: usize = 4 << 20;
/// Smallest amount of garbage for which collecting pays off.
const LEAST_GARBAGE: usize = 1 << 20;
/// Steps that a refused call counts as, because formatting its message takes long.
const REFUSED: u64 = 1_000;

#[derive(Default)]
pub(super) struct Limits {
    over: RefCell<Option<Over>>,
    is_over: Cell<bool>,
    looking: Cell<Looking>,
    /// Steps at the last check, and steps from there until the next one.
    looked: Cell<u64>,
    ahead: Cell<u64>,
    look_at: Cell<u64>,
    /// Steps at the last evaluation, and extra steps for refused calls.
    rested: Cell<u64>,
    added: Cell<u64>,
    /// CPU time of this thread at the first check after an evaluation.
    since: Cell<Option<Duration>>,
    collect_at: Cell<usize>,
    deadline: RefCell<Option<Arc<Deadline>>>,
    /// Asks the problem whether the search may go on; set during a search.
    check: RefCell<Option<Function>>,
}

impl Limits {
    /// Creates the limits of a Luau state, and installs the counting.
    pub(super) fn watch(lua: &Lua) -> mlua::Result<Rc<Self>> {
        lua.set_memory_limit(MOST_BYTES)?;
        lua.gc_stop();
        let limits = Rc::new(Self::default());
        limits.collect_at.set(GARBAGE);
        let watching = Rc::clone(&limits);
        lua.set_interrupt(move |lua| watching.tick(lua).map(|()| VmState::Continue));
        limits.looking.set(Looking::counted(lua)?);
        Ok(limits)
    }

    /// Counts the steps of this state until the returned guard is dropped.
    pub(super) fn run(&self) -> Running {
        self.ahead.set(0);
        self.looking.get().run()
    }

    fn steps(&self) -> u64 {
        self.looked.get() + self.ahead.get().saturating_sub(ticks::left())
    }

    /// Restarts the limits, as after an evaluation.
    pub(super) fn rest(&self) {
        self.rested.set(self.steps());
        self.added.set(0);
        self.since.set(None);
    }

    /// Counts a refused call as many steps, because formatting its message takes long.
    pub(super) fn refused(&self) {
        self.added.set(self.added.get() + REFUSED);
    }

    /// Sets the deadline of the running search.
    pub(super) fn end_at(&self, deadline: Option<Arc<Deadline>>) {
        *self.deadline.borrow_mut() = deadline;
    }

    /// Sets a function that is called at every check; it fails when the search is over.
    pub(super) fn ask(&self, check: Option<Function>) {
        *self.check.borrow_mut() = check;
    }

    /// Ends the search: the script cannot run on. The first reason counts.
    pub(super) fn end(&self, why: Over) -> Error {
        if !self.is_over.replace(true) {
            *self.over.borrow_mut() = Some(why);
        }
        self.ahead.set(0);
        ticks::look_always();
        Error::RuntimeError("the search is over".to_owned())
    }

    pub(super) fn over(&self) -> Option<Over> {
        self.over.borrow().clone()
    }

    fn tick(&self, lua: &Lua) -> mlua::Result<()> {
        if self.is_over.get() {
            return Err(self.end(Over::Stopped(Stop::Exhausted)));
        }
        let steps = self.steps();
        self.looked.set(steps);
        if lua.used_memory() > self.collect_at.get() {
            self.collect(lua)?;
        }
        if steps >= self.look_at.get() {
            self.look_at.set(steps + LOOK);
            self.look(lua, steps.saturating_sub(self.rested.get()) + self.added.get())?;
        }
        let ahead = self.look_at.get() - steps;
        self.ahead.set(ahead);
        ticks::look_after(ahead, self.collect_at.get());
        Ok(())
    }

    #[cold]
    fn look(&self, lua: &Lua, steps: u64) -> mlua::Result<()> {
        let spent = spent();
        let since = self.since.get().unwrap_or(spent);
        self.since.set(Some(since));
        let too_long = if steps > MOST_STEPS {
            format!("took {} million steps", MOST_STEPS / 1_000_000)
        } else if spent.saturating_sub(since) > LONGEST {
            format!("computed for {} s", LONGEST.as_secs())
        } else {
            return self.go_on(lua);
        };
        let why = format!("{}{too_long} without an evaluation", place(lua));
        Err(self.end(Over::Fault(why)))
    }

    /// Fails if the deadline or the problem ends the search.
    fn go_on(&self, lua: &Lua) -> mlua::Result<()> {
        let deadline = self.deadline.borrow().clone();
        match deadline.map_or(Ok(()), |deadline| deadline.check()) {
            Ok(()) => {}
            Err(Over::Fault(why)) => return Err(self.end(Over::Fault(place(lua) + &why))),
            Err(stopped) => return Err(self.end(stopped)),
        }
        let check = self.check.borrow().clone();
        check.map_or(Ok(()), |check| check.call(()))
    }

    #[cold]
    fn collect(&self, lua: &Lua) -> mlua::Result<()> {
        lua.gc_collect()?;
        lua.gc_stop();
        self.collect_at.set(collect_at(lua.used_memory()));
        Ok(())
    }
}

/// Bytes at which garbage is collected next: twice the memory in use, but at most half-way to the
/// limit.
fn collect_at(used: usize) -> usize {
    let half = used + (MOST_BYTES.saturating_sub(used) / 2).max(LEAST_GARBAGE);
    (2 * used).max(GARBAGE).min(half)
}

/// CPU time of this thread.
fn spent() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
