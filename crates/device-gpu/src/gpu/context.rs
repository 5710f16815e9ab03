//! An open device: its context, the one stream on which all work is queued, and events. Errors on
//! dropping these are ignored, since a lost device answers every call with the same code.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{cell::RefCell, rc::Rc, sync::Arc};

use super::{
    calls::{DeviceNumber, Handle, call},
    driver::Driver,
    fault::DriverFault,
};

/// Flag of a stream that does not wait for the default stream, in both vendors' headers.
const NON_BLOCKING: u32 = 1;
/// Flag of an event that records its time, in both vendors' headers.
const TIMED: u32 = 0;

/// The device's primary context, current on the thread that opened it.
pub(crate) struct Context {
    pub(crate) driver: Arc<Driver>,
    device: DeviceNumber,
    /// Whether the context was retained. HIP's driver has devices but no contexts.
    retained: bool,
    lost: RefCell<Option<DriverFault>>,
}

impl Context {
    pub(crate) fn open(driver: Arc<Driver>, device: DeviceNumber) -> Result<Rc<Self>, DriverFault> {
        let calls = &driver.calls;
        let contexts = calls.retain_context.zip(calls.use_context);
        let mut handle: Handle = std::ptr::null_mut();
        if let Some(((retain, name), _)) = contexts {
            // SAFETY: the handle lives until the call ends.
            driver.check(unsafe { retain(&raw mut handle, device) }, name)?;
        }
        let use_device = calls.use_device;
        let retained = contexts.is_some();
        let context = Rc::new(Self { driver, device, retained, lost: RefCell::new(None) });
        if let Some((_, (make_current, name))) = contexts {
            // SAFETY: retained above.
            context.check(unsafe { make_current(handle) }, name)?;
        } else if let Some((use_device, name)) = use_device {
            // SAFETY: a number that the driver gave.
            context.check(unsafe { use_device(device) }, name)?;
        }
        Ok(context)
    }

    /// Turns a code into a result. Remembers a fault from which the process cannot recover.
    pub(crate) fn check(&self, code: u32, call: &'static str) -> Result<(), DriverFault> {
        self.driver.check(code, call).inspect_err(|fault| {
            if fault.is_sticky() {
                self.lost.borrow_mut().get_or_insert_with(|| fault.clone());
            }
        })
    }

    pub(crate) fn lost(&self) -> Option<DriverFault> {
        self.lost.borrow().clone()
    }

    /// Total bytes of memory, and bytes free.
    pub(crate) fn memory(&self) -> Result<(u64, u64), DriverFault> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the numbers live until the call ends.
        unsafe { call!(self, memory(&raw mut free, &raw mut total)) }?;
        Ok((total as u64, free as u64))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some((release, _)) = self.driver.calls.release_context.filter(|_| self.retained) {
            // SAFETY: retained once in `open`; everything that uses the context holds a reference
            // to it.
            unsafe { release(self.device) };
        }
    }
}

pub(crate) struct Stream {
    pub(crate) context: Rc<Context>,
    pub(crate) handle: Handle,
}

impl Stream {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, DriverFault> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle lives until the call ends.
        unsafe { call!(context, create_stream(&raw mut handle, NON_BLOCKING)) }?;
        Ok(Self { context: Rc::clone(context), handle })
    }

    /// Waits for everything that is queued. Returns its faults.
    pub(crate) fn wait(&self) -> Result<(), DriverFault> {
        // SAFETY: the stream is alive.
        unsafe { call!(self.context, wait(self.handle)) }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created once in `new`, and used by nobody else.
        let _ = unsafe { call!(self.context, destroy_stream(self.handle)) };
    }
}

pub(crate) struct GpuEvent {
    context: Rc<Context>,
    handle: Handle,
}

impl GpuEvent {
    pub(crate) fn new(context: &Rc<Context>) -> Result<Self, DriverFault> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle lives until the call ends.
        unsafe { call!(context, create_event(&raw mut handle, TIMED)) }?;
        Ok(Self { context: Rc::clone(context), handle })
    }

    pub(crate) fn record(&self, stream: &Stream) -> Result<(), DriverFault> {
        // SAFETY: both are alive and of one context.
        unsafe { call!(self.context, record_event(self.handle, stream.handle)) }
    }

    /// Seconds since another event. Both events must have happened.
    pub(crate) fn since(&self, start: &Self) -> Result<f64, DriverFault> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both are alive, and the number lives until the call ends.
        unsafe { call!(self.context, elapsed(&raw mut milliseconds, start.handle, self.handle)) }?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for GpuEvent {
    fn drop(&mut self) {
        // SAFETY: created once in `new`, and used by nobody else.
        let _ = unsafe { call!(self.context, destroy_event(self.handle)) };
    }
}
