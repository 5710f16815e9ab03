// A libcuda.so.1 for tests: NVIDIA's names for the simulated GPU.
//
//   SIMULATED_GPU_COMPUTE the compute capability, 90 for 9.0
#define gpu_init cuInit
#define gpu_count cuDeviceGetCount
#define gpu_name cuDeviceGetName
#define gpu_address cuDeviceGetPCIBusId
#define gpu_total_memory cuDeviceTotalMem_v2
#define gpu_device cuDeviceGet
#define gpu_memory cuMemGetInfo_v2
#define gpu_allocate cuMemAlloc_v2
#define gpu_free cuMemFree_v2
#define gpu_allocate_on_host cuMemHostAlloc
#define gpu_free_on_host cuMemFreeHost
#define gpu_address_of_host cuMemHostGetDevicePointer_v2
#define gpu_copy_to_device cuMemcpyHtoDAsync_v2
#define gpu_copy_to_host cuMemcpyDtoHAsync_v2
#define gpu_copy_on_device cuMemcpyDtoDAsync_v2
#define gpu_set_bytes cuMemsetD8Async
#define gpu_load_module cuModuleLoadDataEx
#define gpu_unload_module cuModuleUnload
#define gpu_function cuModuleGetFunction
#define gpu_global cuModuleGetGlobal_v2
#define gpu_function_attribute cuFuncGetAttribute
#define gpu_resident_blocks cuOccupancyMaxActiveBlocksPerMultiprocessor
#define gpu_launch cuLaunchKernel
#define gpu_create_stream cuStreamCreate
#define gpu_destroy_stream cuStreamDestroy_v2
#define gpu_wait cuStreamSynchronize
#define gpu_create_event cuEventCreate
#define gpu_destroy_event cuEventDestroy_v2
#define gpu_record_event cuEventRecord
#define gpu_elapsed cuEventElapsedTime
#define gpu_begin_capture cuStreamBeginCapture_v2
#define gpu_end_capture cuStreamEndCapture
#define gpu_instantiate_graph cuGraphInstantiateWithFlags
#define gpu_launch_graph cuGraphLaunch
#define gpu_destroy_instance cuGraphExecDestroy
#define gpu_destroy_graph cuGraphDestroy
#include "driver.h"

extern "C" {

int cuGetErrorName(int code, const char **name) {
  switch (code) {
    case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return success;
    case 500: *name = "CUDA_ERROR_NOT_FOUND"; return success;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return success;
    case 701: *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"; return success;
    case 710: *name = "CUDA_ERROR_ASSERT"; return success;
    case 716: *name = "CUDA_ERROR_MISALIGNED_ADDRESS"; return success;
    case 719: *name = "CUDA_ERROR_LAUNCH_FAILED"; return success;
    case 999: *name = "CUDA_ERROR_UNKNOWN"; return success;
    default: *name = nullptr; return invalid_value;
  }
}

int cuDriverGetVersion(int *version) {
  ENTER;
  const char *value = setting("SIMULATED_GPU_VERSION");
  *version = value ? atoi(value) : 12040;
  return success;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER;
  static const std::map<int, int> values = {
      {1, 1024},      {2, 1024},     {3, 1024},   {4, 64},         {5, 0x7fffffff},
      {6, 65535},     {7, 65535},    {8, 49152},  {10, 32},        {12, 65536},
      {13, 1980000},  {16, 4},       {17, 0},     {18, 0},         {32, 1},
      {36, 2619000},  {37, 5120},    {38, 1 << 20}, {39, 2048},    {81, 233472},
      {82, 65536},    {97, 232448},
  };
  const char *named = setting("SIMULATED_GPU_COMPUTE");
  const int compute = named ? atoi(named) : 90;
  if (attribute == 75) *value = compute / 10;
  else if (attribute == 76) *value = compute % 10;
  else if (values.count(attribute)) *value = values.at(attribute);
  else return invalid_value;
  return success;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  ENTER;
  ++state.retained;
  *context = &state;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  return give_back(__func__, [] { return --state.retained, success; });
}

int cuCtxSetCurrent(void *context) {
  ENTER;
  state.current = context != nullptr;
  return success;
}

int cuFuncSetAttribute(void *, int, int value) {
  ENTER;
  return value <= 232448 ? success : invalid_value;
}

int cuFuncGetParamInfo(void *handle, size_t index, size_t *offset, size_t *bytes) {
  ENTER;
  const function *f = (const function *)handle;
  if (!f->code) return 801;
  if (index >= (size_t)f->code->parameters) return invalid_value;
  *offset = 0, *bytes = f->code->sizes[index];
  return success;
}

int cuGraphUpload(void *, void *) {
  ENTER;
  return success;
}

}  // extern "C"
