//! Opens a device or skips with a message, and makes short jobs.
#![expect(clippy::print_stderr, reason = "skips are said aloud")]

use std::{
    rc::Rc,
    sync::{PoisonError, RwLockReadGuard},
};

use device::{ArgumentValue, BACKENDS, BoundLaunch, Buffer, CompileJob, Device, Kernel};
use space::accuracy::Element;

/// A device, and the folder for its compiled kernels.
pub(crate) struct Bench {
    pub(crate) backend: &'static str,
    pub(crate) device: Box<dyn Device>,
    pub(crate) folder: tempfile::TempDir,
    /// Held while tests share the GPU, so that no misbehaving test runs meanwhile.
    _peace: Rc<RwLockReadGuard<'static, ()>>,
}

/// Every wanted backend that has a device here; others are skipped with a message.
pub(crate) fn devices_of(wanted: impl Fn(&str) -> bool) -> Vec<Bench> {
    let peace = Rc::new(crate::GPU.read().unwrap_or_else(PoisonError::into_inner));
    let mut found = Vec::new();
    for backend in BACKENDS.iter().filter(|backend| wanted(backend.name)) {
        match (backend.probe)() {
            Err(missing) => eprintln!("skipped: backend `{}`: {missing}", backend.name),
            Ok(_) => {
                let folder = tempfile::tempdir().expect("a folder for kernels");
                let mut device = (backend.open)(0).expect("a probed device opens");
                device.set_cache(Some(folder.path().to_owned())).expect("a cache");
                let (backend, _peace) = (backend.name, Rc::clone(&peace));
                found.push(Bench { backend, device, folder, _peace });
            }
        }
    }
    found
}

/// A job with one source and one entry.
pub(crate) fn job(text: &str, entry: &str, block: [u32; 3]) -> CompileJob {
    CompileJob {
        sources: vec![("test.cu".to_owned(), text.to_owned())],
        macros: vec![],
        options: vec![],
        entries: vec![entry.to_owned()],
        blocks: vec![block],
    }
}

impl Bench {
    pub(crate) fn compile(&mut self, job: CompileJob) -> Kernel {
        self.device.compile(&[job]).remove(0).expect("it compiles")
    }

    pub(crate) fn floats(&mut self, values: &[f32]) -> Buffer {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let buffer = self.device.allocate(bytes.len() as u64).expect("memory");
        self.device.write(buffer, 0, &bytes).expect("write");
        buffer
    }

    pub(crate) fn values(&mut self, buffer: Buffer, element: Element, count: u64) -> Vec<f64> {
        let indices: Vec<u64> = (0..count).collect();
        self.device.gather(buffer, element, &indices).expect("gather")
    }
}

/// A launch of the first entry.
pub(crate) fn step(grid: [u32; 3], block: [u32; 3], arguments: Vec<ArgumentValue>) -> BoundLaunch {
    BoundLaunch { entry: 0, grid, block, shared_bytes: 0, arguments }
}

pub(crate) fn int(value: i32) -> ArgumentValue {
    ArgumentValue::Scalar(value.to_le_bytes().to_vec())
}
