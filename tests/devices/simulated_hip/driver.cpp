// A libamdhip64.so for tests: AMD's names for the simulated GPU.
//
//   SIMULATED_GPU_ARCHITECTURE its instruction set with its features
#define gpu_init hipInit
#define gpu_count hipGetDeviceCount
#define gpu_name hipDeviceGetName
#define gpu_address hipDeviceGetPCIBusId
#define gpu_total_memory hipDeviceTotalMem
#define gpu_device hipDeviceGet
#define gpu_memory hipMemGetInfo
#define gpu_allocate hipMalloc
#define gpu_free hipFree
#define gpu_allocate_on_host hipHostMalloc
#define gpu_free_on_host hipHostFree
#define gpu_address_of_host hipHostGetDevicePointer
#define gpu_copy_to_device hipMemcpyHtoDAsync
#define gpu_copy_to_host hipMemcpyDtoHAsync
#define gpu_copy_on_device hipMemcpyDtoDAsync
#define gpu_set_bytes hipMemsetD8Async
#define gpu_load_module hipModuleLoadDataEx
#define gpu_unload_module hipModuleUnload
#define gpu_function hipModuleGetFunction
#define gpu_global hipModuleGetGlobal
#define gpu_function_attribute hipFuncGetAttribute
#define gpu_resident_blocks hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
#define gpu_launch hipModuleLaunchKernel
#define gpu_create_stream hipStreamCreateWithFlags
#define gpu_destroy_stream hipStreamDestroy
#define gpu_wait hipStreamSynchronize
#define gpu_create_event hipEventCreateWithFlags
#define gpu_destroy_event hipEventDestroy
#define gpu_record_event hipEventRecord
#define gpu_elapsed hipEventElapsedTime
#define gpu_begin_capture hipStreamBeginCapture
#define gpu_end_capture hipStreamEndCapture
#define gpu_instantiate_graph hipGraphInstantiateWithFlags
#define gpu_launch_graph hipGraphLaunch
#define gpu_destroy_instance hipGraphExecDestroy
#define gpu_destroy_graph hipGraphDestroy
#include "driver.h"

extern "C" {

const char *hipGetErrorName(int code) {
  switch (code) {
    case 2: return "hipErrorOutOfMemory";
    case 500: return "hipErrorNotFound";
    case 700: return "hipErrorIllegalAddress";
    case 701: return "hipErrorLaunchOutOfResources";
    case 710: return "hipErrorAssert";
    case 719: return "hipErrorLaunchFailure";
    default: return "hipErrorUnknown";
  }
}

int hipDriverGetVersion(int *version) {
  ENTER;
  const char *value = setting("SIMULATED_GPU_VERSION");
  *version = value ? atoi(value) : 60443482;
  return success;
}

int hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

int hipDeviceGetAttribute(int *value, int attribute, int) {
  ENTER;
  static const std::map<int, int> values = {
      {0, 1},      {5, 1700000},      {16, 0},     {18, 0},     {19, 8 << 20}, {26, 1024},
      {27, 1024},  {28, 1024},        {29, 0x7fffffff}, {30, 65535}, {31, 65535},  {56, 1024},
      {57, 2048},  {59, 4096},        {60, 1600000}, {63, 4},     {71, 65536},   {74, 65536},
      {87, 64},    {10002, 65536},
  };
  if (!values.count(attribute)) return invalid_value;
  *value = values.at(attribute);
  return success;
}

// The structure of ROCm 6, as far as its length and the place of the architecture go.
int hipGetDevicePropertiesR0600(char *properties, int) {
  ENTER;
  memset(properties, 0, 1472);
  snprintf(properties, 256, "Simulated GPU");
  const char *named = setting("SIMULATED_GPU_ARCHITECTURE");
  snprintf(properties + 1160, 256, "%s", named ? named : "gfx90a:sramecc+:xnack-");
  return success;
}

int hipSetDevice(int device) {
  ENTER;
  state.current = device >= 0 && device < devices();
  return state.current ? success : 101;
}

}  // extern "C"
