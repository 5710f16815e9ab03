//! The driver functions in use. All drivers since CUDA 11.4 have them, except the optional ones.
//! Only the declarations of cudarc are used: it cannot be told which file to load, and panics if a
//! file or symbol is missing.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUjit_option, CUmodule, CUresult, CUstream,
    CUstreamCaptureMode,
};

use crate::gpu::calls::Calls;

crate::gpu::api::functions! {
    Calls gives CUresult, bound as (unsafe fn);
    start = cuInit(c_uint);
    version = cuDriverGetVersion(*mut c_int);
    count = cuDeviceGetCount(*mut c_int);
    device = cuDeviceGet(*mut CUdevice, c_int);
    device_name = cuDeviceGetName(*mut c_char, c_int, CUdevice);
    device_address = cuDeviceGetPCIBusId(*mut c_char, c_int, CUdevice);
    device_memory = cuDeviceTotalMem_v2(*mut usize, CUdevice);
    device_attribute = cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    memory = cuMemGetInfo_v2(*mut usize, *mut usize);
    allocate = cuMemAlloc_v2(*mut CUdeviceptr, usize);
    free = cuMemFree_v2(CUdeviceptr);
    allocate_on_host = cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    free_on_host = cuMemFreeHost(*mut c_void);
    address_of_host = cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, c_uint);
    copy_to_device = cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    copy_to_host = cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    copy_on_device = cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    set_bytes = cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
    load_module = cuModuleLoadDataEx(
        *mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void
    );
    unload_module = cuModuleUnload(CUmodule);
    function = cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    global = cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    function_attribute = cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
    resident_blocks = cuOccupancyMaxActiveBlocksPerMultiprocessor(
        *mut c_int, CUfunction, c_int, usize
    );
    launch = cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void
    );
    create_stream = cuStreamCreate(*mut CUstream, c_uint);
    destroy_stream = cuStreamDestroy_v2(CUstream);
    wait = cuStreamSynchronize(CUstream);
    create_event = cuEventCreate(*mut CUevent, c_uint);
    destroy_event = cuEventDestroy_v2(CUevent);
    record_event = cuEventRecord(CUevent, CUstream);
    elapsed = cuEventElapsedTime(*mut f32, CUevent, CUevent);
    begin_capture = cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
    end_capture = cuStreamEndCapture(CUstream, *mut CUgraph);
    instantiate_graph = cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
    launch_graph = cuGraphLaunch(CUgraphExec, CUstream);
    destroy_instance = cuGraphExecDestroy(CUgraphExec);
    destroy_graph = cuGraphDestroy(CUgraph);
    [own] retain_context = cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    [own] release_context = cuDevicePrimaryCtxRelease_v2(CUdevice);
    [own] use_context = cuCtxSetCurrent(CUcontext);
    [own] set_function_attribute = cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
    [own] upload_graph = cuGraphUpload(CUgraphExec, CUstream);
    [optional] parameter = cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
    [absent] use_device;
}
