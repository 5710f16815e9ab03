//! The driver's functions in use, all of them in every driver since CUDA 11.4 but the optional.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUjit_option, CUmodule, CUresult, CUstream,
    CUstreamCaptureMode,
};

super::api::functions! {
    /// The driver's functions.
    struct Calls gives CUresult;
    fn cuInit(c_uint);
    fn cuDriverGetVersion(*mut c_int);
    fn cuDeviceGetCount(*mut c_int);
    fn cuDeviceGet(*mut CUdevice, c_int);
    fn cuDeviceGetName(*mut c_char, c_int, CUdevice);
    fn cuDeviceTotalMem_v2(*mut usize, CUdevice);
    fn cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    fn cuDeviceGetPCIBusId(*mut c_char, c_int, CUdevice);
    fn cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(CUdevice);
    fn cuCtxSetCurrent(CUcontext);
    fn cuMemGetInfo_v2(*mut usize, *mut usize);
    fn cuMemAlloc_v2(*mut CUdeviceptr, usize);
    fn cuMemFree_v2(CUdeviceptr);
    fn cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    fn cuMemFreeHost(*mut c_void);
    fn cuMemHostGetDevicePointer_v2(*mut CUdeviceptr, *mut c_void, c_uint);
    fn cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    fn cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    fn cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    fn cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
    fn cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
    fn cuModuleUnload(CUmodule);
    fn cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    fn cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    fn cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
    fn cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
    fn cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void
    );
    fn cuStreamCreate(*mut CUstream, c_uint);
    fn cuStreamDestroy_v2(CUstream);
    fn cuStreamSynchronize(CUstream);
    fn cuEventCreate(*mut CUevent, c_uint);
    fn cuEventDestroy_v2(CUevent);
    fn cuEventRecord(CUevent, CUstream);
    fn cuEventElapsedTime(*mut f32, CUevent, CUevent);
    fn cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
    fn cuStreamEndCapture(CUstream, *mut CUgraph);
    fn cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
    fn cuGraphUpload(CUgraphExec, CUstream);
    fn cuGraphLaunch(CUgraphExec, CUstream);
    fn cuGraphExecDestroy(CUgraphExec);
    fn cuGraphDestroy(CUgraph);
    optional
    fn cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
}
