//! A device in use: its context, the one stream that everything is queued on, and events. Dropping
//! any of these gives it back; what a driver answers to that is not asked, for a device that was
//! lost answers every call with what it was lost by.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{cell::RefCell, rc::Rc, sync::Arc};

use cudarc::driver::sys::{CUcontext, CUdevice, CUevent, CUevent_flags, CUstream, CUstream_flags};

use super::{driver::Driver, fault::Fault};

/// The device's primary context, current on the thread that opened it.
pub(super) struct Context {
    pub(super) driver: Arc<Driver>,
    device: CUdevice,
    /// What the device was lost by.
    lost: RefCell<Option<Fault>>,
}

impl Context {
    /// Takes the primary context of a device.
    pub(super) fn open(driver: Arc<Driver>, device: CUdevice) -> Result<Rc<Self>, Fault> {
        let mut handle: CUcontext = std::ptr::null_mut();
        // SAFETY: the handle lives until the call ends.
        let code = unsafe { (driver.calls.cuDevicePrimaryCtxRetain)(&raw mut handle, device) };
        driver.check(code, "cuDevicePrimaryCtxRetain")?;
        let context = Rc::new(Self { driver, device, lost: RefCell::new(None) });
        // SAFETY: retained above.
        let code = unsafe { (context.driver.calls.cuCtxSetCurrent)(handle) };
        context.check(code, "cuCtxSetCurrent")?;
        Ok(context)
    }

    /// A result as a fault, if it is one; one that nothing recovers from is remembered.
    pub(super) fn check(&self, code: u32, call: &'static str) -> Result<(), Fault> {
        self.driver.check(code, call).inspect_err(|fault| {
            if fault.is_sticky() {
                self.lost.borrow_mut().get_or_insert_with(|| fault.clone());
            }
        })
    }

    /// What the device was lost by, if it was.
    pub(super) fn lost(&self) -> Option<Fault> {
        self.lost.borrow().clone()
    }

    /// Bytes of memory, and how many of them are free.
    pub(super) fn memory(&self) -> Result<(u64, u64), Fault> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the numbers live until the call ends.
        let code = unsafe { (self.driver.calls.cuMemGetInfo_v2)(&raw mut free, &raw mut total) };
        self.check(code, "cuMemGetInfo_v2")?;
        Ok((total as u64, free as u64))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `open`; everything of the context holds the context.
        unsafe { (self.driver.calls.cuDevicePrimaryCtxRelease_v2)(self.device) };
    }
}

/// The stream that everything is queued on, in order.
pub(super) struct Stream {
    pub(super) context: Rc<Context>,
    pub(super) handle: CUstream,
}

impl Stream {
    /// A stream that does not wait for the legacy one.
    pub(super) fn new(context: &Rc<Context>) -> Result<Self, Fault> {
        let mut handle = std::ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the handle lives until the call ends.
        let code = unsafe { (context.driver.calls.cuStreamCreate)(&raw mut handle, flags) };
        context.check(code, "cuStreamCreate")?;
        Ok(Self { context: Rc::clone(context), handle })
    }

    /// Waits for everything queued; tells what went wrong in it.
    pub(super) fn wait(&self) -> Result<(), Fault> {
        // SAFETY: the stream is alive.
        let code = unsafe { (self.context.driver.calls.cuStreamSynchronize)(self.handle) };
        self.context.check(code, "cuStreamSynchronize")
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created once in `new`, used by nobody else.
        unsafe { (self.context.driver.calls.cuStreamDestroy_v2)(self.handle) };
    }
}

/// A moment on the stream.
pub(super) struct Event {
    context: Rc<Context>,
    handle: CUevent,
}

impl Event {
    /// An event that keeps its time.
    pub(super) fn new(context: &Rc<Context>) -> Result<Self, Fault> {
        let mut handle = std::ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_DEFAULT as u32;
        // SAFETY: the handle lives until the call ends.
        let code = unsafe { (context.driver.calls.cuEventCreate)(&raw mut handle, flags) };
        context.check(code, "cuEventCreate")?;
        Ok(Self { context: Rc::clone(context), handle })
    }

    /// Queues it.
    pub(super) fn record(&self, stream: &Stream) -> Result<(), Fault> {
        // SAFETY: both are alive and of one context.
        let code = unsafe { (self.context.driver.calls.cuEventRecord)(self.handle, stream.handle) };
        self.context.check(code, "cuEventRecord")
    }

    /// Seconds since another event; both are over.
    pub(super) fn since(&self, start: &Self) -> Result<f64, Fault> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both are alive, and the number lives until the call ends.
        let code = unsafe {
            (self.context.driver.calls.cuEventElapsedTime)(
                &raw mut milliseconds,
                start.handle,
                self.handle,
            )
        };
        self.context.check(code, "cuEventElapsedTime")?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once in `new`, used by nobody else.
        unsafe { (self.context.driver.calls.cuEventDestroy_v2)(self.handle) };
    }
}
