//! NVIDIA's driver: its library, the names of its error codes, and the numbers of its attributes.
#![expect(unsafe_code, reason = "calls the driver's library")]

use std::{
    ffi::{CStr, c_char},
    sync::Arc,
};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use device::Missing;

use super::{calls, library_search, permission};
use crate::gpu::{
    api::symbol,
    driver::{Attributes, Driver, NameOf, Vendor},
    library_search::FoundLibrary,
};

static VENDOR: Vendor = Vendor {
    backend: "cuda",
    name: "CUDA",
    no_device: "see what `nvidia-smi -L` lists and what CUDA_VISIBLE_DEVICES leaves of it",
    no_description: "look at what `nvidia-smi` says of it",
    hindrance: permission::fault,
    takes_log: true,
    attributes: Attributes {
        block: [
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X as u32,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y as u32,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z as u32,
        ],
        grid: [
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X as u32,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y as u32,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z as u32,
        ],
        threads: Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32,
        shared: &[
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as u32,
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK as u32,
        ],
        multiprocessors: Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as u32,
        most_threads: Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR as u32,
    },
};

/// Type of `cuGetErrorName` with plain numbers, since an enumeration may lack codes.
type GetErrorName = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;

/// Opens and initialises the driver. Its version is the newest CUDA it can run: 12040 for 12.4.
pub(super) fn load() -> Result<Arc<Driver>, Missing> {
    library_search::DRIVER.find(&library_search::driver_folders(), take).map(Arc::new)
}

fn take(found: FoundLibrary) -> Result<Driver, String> {
    let FoundLibrary { library, path } = found;
    let calls = calls::load(&library)
        .map_err(|name| format!("`{path}` is no usable driver: it has no function `{name}`"))?;
    // SAFETY: the type is that of the driver's header, with the enumeration as a number.
    let ask = unsafe { symbol::<GetErrorName>(&library, "cuGetErrorName") }.ok();
    // The driver does not survive being unloaded while its threads run.
    std::mem::forget(library);
    let name_of: NameOf = Box::new(move |code| {
        let mut name = std::ptr::null();
        // SAFETY: any number may be passed; the answer is static text or null.
        let answered = unsafe { ask?.0(code, &raw mut name) == 0 };
        (answered && !name.is_null())
            // SAFETY: not null, and static text of the library.
            .then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    });
    Driver::start(&VENDOR, calls, name_of, path)
}
