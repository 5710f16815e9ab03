//! Graphs of runs. If launched one by one, kernels of a microsecond would wait for the host.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::rc::Rc;

use super::{
    calls::{Handle, call},
    context::{Context, Stream},
    fault::DriverFault,
};

/// Capture mode that records only calls of this thread, in both vendors' headers.
const THREAD_LOCAL: u32 = 1;

pub(crate) struct Graph {
    context: Rc<Context>,
    handle: Handle,
}

struct Captured {
    context: Rc<Context>,
    handle: Handle,
}

impl Drop for Captured {
    fn drop(&mut self) {
        // SAFETY: captured once, and used by nobody else.
        let _ = unsafe { call!(self.context, destroy_graph(self.handle)) };
    }
}

impl Graph {
    /// Captures what `queue` puts on the stream, without running it.
    pub(crate) fn capture(
        stream: &Stream,
        queue: impl FnOnce() -> Result<(), DriverFault>,
    ) -> Result<Self, DriverFault> {
        let context = &stream.context;
        // SAFETY: the stream is alive and captures nothing yet.
        unsafe { call!(context, begin_capture(stream.handle, THREAD_LOCAL)) }?;
        let queued = queue();
        let mut handle: Handle = std::ptr::null_mut();
        // Also done after a fault: the stream must not stay in capture.
        // SAFETY: the capture was begun above.
        let ended = unsafe { call!(context, end_capture(stream.handle, &raw mut handle)) };
        let captured =
            (!handle.is_null()).then(|| Captured { context: Rc::clone(context), handle });
        ended?;
        queued?;
        let graph = captured.as_ref().map_or(std::ptr::null_mut(), |captured| captured.handle);
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: the graph is complete.
        unsafe { call!(context, instantiate_graph(&raw mut handle, graph, 0)) }?;
        let graph = Self { context: Rc::clone(context), handle };
        if let Some((upload, name)) = context.driver.calls.upload_graph {
            // SAFETY: instantiated above.
            context.check(unsafe { upload(graph.handle, stream.handle) }, name)?;
        }
        Ok(graph)
    }

    pub(crate) fn queue(&self, stream: &Stream) -> Result<(), DriverFault> {
        // SAFETY: both are alive and of one context.
        unsafe { call!(self.context, launch_graph(self.handle, stream.handle)) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: instantiated once; the driver waits for its launches.
        let _ = unsafe { call!(self.context, destroy_instance(self.handle)) };
    }
}
