//! Counts the steps of a running script for next to nothing.
//!
//! Luau calls its interrupt at every call, return and turn of a loop. The way from there to a closure of
//! ours is longer than most steps, so this one only counts, and goes that way when enough steps are
//! counted, when memory has grown, or when the search is over.
#![expect(unsafe_code, reason = "puts a function that counts before a callback of Luau's state")]

use std::{cell::Cell, ffi::c_int};

use mlua::{
    Lua,
    ffi::{self, lua_State},
};

type Interrupt = unsafe extern "C-unwind" fn(*mut lua_State, c_int);

/// What the script that runs on this thread has left before it is looked at.
#[derive(Clone, Copy)]
struct Counter {
    steps: u64,
    kib: c_int,
    look: Option<Interrupt>,
}

const IDLE: Counter = Counter { steps: 0, kib: 0, look: None };

thread_local! {
    static COUNTER: Cell<Counter> = const { Cell::new(IDLE) };
}

/// The way to the closure that looks, as a state had it.
#[derive(Clone, Copy, Default)]
pub(super) struct Looking(Option<Interrupt>);

/// A script's time to run; what ran before it on this thread goes on when it is dropped.
pub(super) struct Running(Counter);

impl Looking {
    /// Puts the counter before the interrupt of a state.
    pub(super) fn counted(lua: &Lua) -> mlua::Result<Self> {
        let mut look = None;
        // SAFETY: the state is valid while the closure runs, and so are its callbacks, which only this
        // thread reads.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                let callbacks = ffi::lua_callbacks(state);
                look = (*callbacks).interrupt;
                (*callbacks).interrupt = Some(count);
            })?;
        }
        Ok(Self(look))
    }

    /// Counts for this state from now on; the first step is looked at.
    pub(super) fn run(self) -> Running {
        Running(COUNTER.replace(Counter { look: self.0, ..IDLE }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        COUNTER.set(self.0);
    }
}

/// Steps until the next look that are left.
pub(super) fn left() -> u64 {
    COUNTER.get().steps
}

/// Looks again after so many steps, or when so many bytes are in use.
pub(super) fn look_after(steps: u64, bytes: usize) {
    let kib = c_int::try_from(bytes >> 10).unwrap_or(c_int::MAX);
    COUNTER.set(Counter { steps, kib, ..COUNTER.get() });
}

/// Looks at every step from now on.
pub(super) fn look_always() {
    COUNTER.set(Counter { steps: 0, ..COUNTER.get() });
}

/// The interrupt of every state; a second argument from 0 on is a stage of collecting garbage.
unsafe extern "C-unwind" fn count(state: *mut lua_State, stage: c_int) {
    let counter = COUNTER.get();
    if stage >= 0 {
        return;
    }
    if counter.steps > 1 {
        COUNTER.set(Counter { steps: counter.steps - 1, ..counter });
        // SAFETY: Luau hands over a state that is valid; this call only reads a number of it.
        if unsafe { ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0) } <= counter.kib {
            return;
        }
    } else {
        COUNTER.set(Counter { steps: 0, ..counter });
    }
    if let Some(look) = counter.look {
        // SAFETY: the interrupt that mlua had put there, called as Luau would. It may unwind: nothing
        // here waits for its return.
        unsafe { look(state, stage) }
    }
}
