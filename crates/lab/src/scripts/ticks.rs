//! Counts the steps of a running script at almost no cost.
//!
//! Luau calls its interrupt at every call, return and loop iteration. Calling a Rust closure from
//! there takes longer than most steps. This interrupt therefore only counts. It calls the closure
//! when the count is reached, when memory has grown, or when the search is over.
#![expect(unsafe_code, reason = "puts a function that counts before a callback of Luau's state")]

use std::{cell::Cell, ffi::c_int};

use mlua::{
    Lua,
    ffi::{self, lua_State},
};

type Interrupt = unsafe extern "C-unwind" fn(*mut lua_State, c_int);

/// Steps and memory that are left on this thread until the next check.
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

/// mlua's interrupt, which calls the closure that checks.
#[derive(Clone, Copy, Default)]
pub(super) struct Looking(Option<Interrupt>);

/// Guard while a script runs. Dropping it restores the script that ran before on this thread.
pub(super) struct Running(Counter);

impl Looking {
    /// Replaces the interrupt of a state by the counter.
    pub(super) fn counted(lua: &Lua) -> mlua::Result<Self> {
        let mut look = None;
        // SAFETY: the state and its callbacks are valid while the closure runs, and only this
        // thread reads them.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                let callbacks = ffi::lua_callbacks(state);
                look = (*callbacks).interrupt;
                (*callbacks).interrupt = Some(count);
            })?;
        }
        Ok(Self(look))
    }

    /// Starts counting for this state; the first step is checked.
    pub(super) fn run(self) -> Running {
        Running(COUNTER.replace(Counter { look: self.0, ..IDLE }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        COUNTER.set(self.0);
    }
}

/// Steps until the next check.
pub(super) fn left() -> u64 {
    COUNTER.get().steps
}

/// Schedules the next check after this many steps, or when this many bytes are in use.
pub(super) fn look_after(steps: u64, bytes: usize) {
    let kib = c_int::try_from(bytes >> 10).unwrap_or(c_int::MAX);
    COUNTER.set(Counter { steps, kib, ..COUNTER.get() });
}

/// Checks every step from now on.
pub(super) fn look_always() {
    COUNTER.set(Counter { steps: 0, ..COUNTER.get() });
}

/// The interrupt of every state. A non-negative `stage` means that garbage is being collected.
unsafe extern "C-unwind" fn count(state: *mut lua_State, stage: c_int) {
    let counter = COUNTER.get();
    if stage >= 0 {
        return;
    }
    if counter.steps > 1 {
        COUNTER.set(Counter { steps: counter.steps - 1, ..counter });
        // SAFETY: Luau passes a valid state, and this call only reads a number from it.
        if unsafe { ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0) } <= counter.kib {
            return;
        }
    } else {
        COUNTER.set(Counter { steps: 0, ..counter });
    }
    if let Some(look) = counter.look {
        // SAFETY: this is mlua's own interrupt, called as Luau would call it. It may unwind: no
        // code here depends on its return.
        unsafe { look(state, stage) }
    }
}
