// A librocm_smi64 for tests: a GPU that draws 300 W at 1.7 GHz.
//
//   SIMULATED_SMI_NO_COUNTER  set: it has no counter of energy
//   SIMULATED_SMI_NEW         set: frequencies as since ROCm 6, power of the socket
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { success = 0, not_supported = 2 };

static double seconds()
{
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

extern "C" {

int rsmi_init(uint64_t) { return success; }
int rsmi_num_monitor_devices(uint32_t *count) { return *count = 2, success; }

// The first is another device.
int rsmi_dev_pci_id_get(uint32_t device, uint64_t *id)
{
  *id = device == 1 ? 0 : 0xc100;
  return success;
}

int rsmi_dev_energy_count_get(uint32_t, uint64_t *count, float *resolution, uint64_t *time)
{
  if (getenv("SIMULATED_SMI_NO_COUNTER")) return not_supported;
  *count = (uint64_t)(300e6 / 15.3 * seconds()), *resolution = 15.3f, *time = 0;
  return success;
}

int rsmi_dev_power_ave_get(uint32_t, uint32_t, uint64_t *microwatts)
{
  return *microwatts = 300000000, success;
}

int rsmi_dev_current_socket_power_get(uint32_t device, uint64_t *microwatts)
{
  if (!getenv("SIMULATED_SMI_NEW")) return not_supported;
  return rsmi_dev_power_ave_get(device, 0, microwatts);
}

int rsmi_dev_gpu_clk_freq_get(uint32_t, uint32_t, void *frequencies)
{
  const uint32_t old_head[] = {2, 1}, new_head[] = {1, 2, 1, 0};
  const uint64_t hertz[] = {500000000, 1700000000};
  const bool is_new = getenv("SIMULATED_SMI_NEW");
  const size_t head = is_new ? sizeof new_head : sizeof old_head;
  memcpy(frequencies, is_new ? new_head : old_head, head);
  memcpy((char *)frequencies + head, hertz, sizeof hertz);
  return success;
}

// Of these only the junction has a sensor.
int rsmi_dev_temp_metric_get(uint32_t, uint32_t place, uint32_t, int64_t *millidegrees)
{
  if (place != 1) return not_supported;
  return *millidegrees = 61000, success;
}

int rsmi_dev_memory_usage_get(uint32_t, uint32_t, uint64_t *bytes)
{
  return *bytes = 24u << 20, success;
}

}  // extern "C"
