//! Runs back to back as one piece of work: launched by themselves, kernels of a microsecond would
//! wait for the host that launches them.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::rc::Rc;

use cudarc::driver::sys::{CUgraph, CUgraphExec, CUstreamCaptureMode};

use super::{
    context::{Context, Stream},
    fault::Fault,
};

/// A captured sequence of launches, ready to be queued.
pub(super) struct Graph {
    context: Rc<Context>,
    handle: CUgraphExec,
}

/// A graph that was captured and not made ready yet.
struct Captured {
    context: Rc<Context>,
    handle: CUgraph,
}

impl Drop for Captured {
    fn drop(&mut self) {
        // SAFETY: captured once, used by nobody else.
        unsafe { (self.context.driver.calls.cuGraphDestroy)(self.handle) };
    }
}

impl Graph {
    /// Captures what `queue` puts on the stream, without running it.
    pub(super) fn capture(
        stream: &Stream,
        queue: impl FnOnce() -> Result<(), Fault>,
    ) -> Result<Self, Fault> {
        let context = &stream.context;
        let calls = &context.driver.calls;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive and captures nothing yet.
        let code = unsafe { (calls.cuStreamBeginCapture_v2)(stream.handle, mode) };
        context.check(code, "cuStreamBeginCapture_v2")?;
        let queued = queue();
        let mut handle: CUgraph = std::ptr::null_mut();
        // Also after a fault: the stream must not stay in capture.
        // SAFETY: the capture was begun above.
        let code = unsafe { (calls.cuStreamEndCapture)(stream.handle, &raw mut handle) };
        let captured =
            (!handle.is_null()).then(|| Captured { context: Rc::clone(context), handle });
        context.check(code, "cuStreamEndCapture")?;
        queued?;
        let graph = captured.as_ref().map_or(std::ptr::null_mut(), |captured| captured.handle);
        let mut handle: CUgraphExec = std::ptr::null_mut();
        // SAFETY: the graph is complete.
        let code = unsafe { (calls.cuGraphInstantiateWithFlags)(&raw mut handle, graph, 0) };
        context.check(code, "cuGraphInstantiateWithFlags")?;
        let graph = Self { context: Rc::clone(context), handle };
        // SAFETY: instantiated above.
        let code = unsafe { (calls.cuGraphUpload)(graph.handle, stream.handle) };
        context.check(code, "cuGraphUpload")?;
        Ok(graph)
    }

    /// Queues all of it.
    pub(super) fn queue(&self, stream: &Stream) -> Result<(), Fault> {
        // SAFETY: both are alive and of one context.
        let code = unsafe { (self.context.driver.calls.cuGraphLaunch)(self.handle, stream.handle) };
        self.context.check(code, "cuGraphLaunch")
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: instantiated once; the driver waits for launches of it.
        unsafe { (self.context.driver.calls.cuGraphExecDestroy)(self.handle) };
    }
}
