//! The runtime functions in use, with the types of HIP's headers. All runtimes since ROCm 5.2 have
//! them. With the feature `hip-sys` the types are that crate's, and the compiler compares every
//! function with its bindings.

use std::ffi::{c_char, c_int, c_uint, c_void};

#[cfg(feature = "hip-sys")]
use hip_sys::hiprt::{self as sys, *};

use crate::gpu::calls::Calls;
#[cfg(not(feature = "hip-sys"))]
use names::*;

/// HIP's names of types.
#[cfg(not(feature = "hip-sys"))]
#[expect(non_camel_case_types, reason = "the library's own names")]
mod names {
    use std::ffi::{c_int, c_uint, c_void};

    pub(super) type hipError_t = c_uint;
    pub(super) type hipDevice_t = c_int;
    pub(super) type hipDeviceAttribute_t = c_uint;
    pub(super) type hipDeviceptr_t = *mut c_void;
    pub(super) type hipModule_t = *mut c_void;
    pub(super) type hipJitOption = c_uint;
    pub(super) type hipFunction_t = *mut c_void;
    pub(super) type hipFunction_attribute = c_uint;
    pub(super) type hipStream_t = *mut c_void;
    pub(super) type hipStreamCaptureMode = c_uint;
    pub(super) type hipEvent_t = *mut c_void;
    pub(super) type hipGraph_t = *mut c_void;
    pub(super) type hipGraphExec_t = *mut c_void;
}

crate::gpu::api::functions! {
    #[cfg(feature = "hip-sys")]
    Calls gives hipError_t, bound as (unsafe extern "C" fn);
    start = hipInit(c_uint);
    version = hipDriverGetVersion(*mut c_int);
    count = hipGetDeviceCount(*mut c_int);
    device = hipDeviceGet(*mut hipDevice_t, c_int);
    device_name = hipDeviceGetName(*mut c_char, c_int, hipDevice_t);
    device_address = hipDeviceGetPCIBusId(*mut c_char, c_int, c_int);
    device_memory = hipDeviceTotalMem(*mut usize, hipDevice_t);
    device_attribute = hipDeviceGetAttribute(*mut c_int, hipDeviceAttribute_t, c_int);
    memory = hipMemGetInfo(*mut usize, *mut usize);
    allocate = hipMalloc(*mut *mut c_void, usize);
    free = hipFree(*mut c_void);
    allocate_on_host = hipHostMalloc(*mut *mut c_void, usize, c_uint);
    free_on_host = hipHostFree(*mut c_void);
    address_of_host = hipHostGetDevicePointer(*mut *mut c_void, *mut c_void, c_uint);
    copy_to_device = hipMemcpyHtoDAsync(hipDeviceptr_t, *mut c_void, usize, hipStream_t);
    copy_to_host = hipMemcpyDtoHAsync(*mut c_void, hipDeviceptr_t, usize, hipStream_t);
    copy_on_device = hipMemcpyDtoDAsync(hipDeviceptr_t, hipDeviceptr_t, usize, hipStream_t);
    set_bytes = hipMemsetD8Async(hipDeviceptr_t, u8, usize, hipStream_t);
    load_module = hipModuleLoadDataEx(
        *mut hipModule_t, *const c_void, c_uint, *mut hipJitOption, *mut *mut c_void
    );
    unload_module = hipModuleUnload(hipModule_t);
    function = hipModuleGetFunction(*mut hipFunction_t, hipModule_t, *const c_char);
    global = hipModuleGetGlobal(*mut hipDeviceptr_t, *mut usize, hipModule_t, *const c_char);
    function_attribute = hipFuncGetAttribute(*mut c_int, hipFunction_attribute, hipFunction_t);
    resident_blocks = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        *mut c_int, hipFunction_t, c_int, usize
    );
    launch = hipModuleLaunchKernel(
        hipFunction_t, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, hipStream_t,
        *mut *mut c_void, *mut *mut c_void
    );
    create_stream = hipStreamCreateWithFlags(*mut hipStream_t, c_uint);
    destroy_stream = hipStreamDestroy(hipStream_t);
    wait = hipStreamSynchronize(hipStream_t);
    create_event = hipEventCreateWithFlags(*mut hipEvent_t, c_uint);
    destroy_event = hipEventDestroy(hipEvent_t);
    record_event = hipEventRecord(hipEvent_t, hipStream_t);
    elapsed = hipEventElapsedTime(*mut f32, hipEvent_t, hipEvent_t);
    begin_capture = hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode);
    end_capture = hipStreamEndCapture(hipStream_t, *mut hipGraph_t);
    instantiate_graph = hipGraphInstantiateWithFlags(*mut hipGraphExec_t, hipGraph_t, u64);
    launch_graph = hipGraphLaunch(hipGraphExec_t, hipStream_t);
    destroy_instance = hipGraphExecDestroy(hipGraphExec_t);
    destroy_graph = hipGraphDestroy(hipGraph_t);
    [own] use_device = hipSetDevice(c_int);
    [absent] retain_context;
    [absent] release_context;
    [absent] use_context;
    [absent] set_function_attribute;
    [absent] parameter;
    [absent] upload_graph;
}
