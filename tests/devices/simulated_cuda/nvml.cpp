// A libnvidia-ml for tests: a GPU that draws 250 W and is held down by heat.
//
//   SIMULATED_NVML_NO_COUNTER  set: it has no counter of energy, as before Volta
//   SIMULATED_NVML_STEP        milliseconds between two renewals of the counter; without it, every
//                              reading renews it
//   SIMULATED_NVML_STATE       a file with its limit of power and its clock, whatever process asks;
//                              every change is appended as a line "MILLIWATTS MEGAHERTZ"
//   SIMULATED_NVML_FORBIDDEN   set: this user may change nothing
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { success = 0, invalid_argument = 2, not_supported = 3, no_permission = 4 };
enum { usual_limit = 700000, free_clock = 0 };

struct settings {
  unsigned milliwatts, megahertz;
};

static settings current()
{
  settings now = {usual_limit, free_clock}, line;
  const char *path = getenv("SIMULATED_NVML_STATE");
  FILE *file = path ? fopen(path, "r") : nullptr;
  if (!file) return now;
  while (fscanf(file, "%u %u", &line.milliwatts, &line.megahertz) == 2) now = line;
  fclose(file);
  return now;
}

static int change(settings to)
{
  if (getenv("SIMULATED_NVML_FORBIDDEN")) return no_permission;
  const char *path = getenv("SIMULATED_NVML_STATE");
  FILE *file = path ? fopen(path, "a") : nullptr;
  if (!file) return not_supported;
  fprintf(file, "%u %u\n", to.milliwatts, to.megahertz);
  fclose(file);
  return success;
}

static double seconds()
{
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

extern "C" {

struct memory {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

int nvmlInit_v2() { return success; }
int nvmlShutdown() { return success; }
const char *nvmlErrorString(int) { return "simulated"; }

int nvmlSystemGetDriverVersion(char *version, unsigned)
{
  strcpy(version, "550.54.15");
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device)
{
  *device = (void *)1;
  return strcmp(id, "0000:00:00.0") == 0 ? success : 6;
}

int nvmlDeviceGetMemoryInfo_v2(void *, memory *info)
{
  info->total = 1024u << 20, info->reserved = 0, info->used = 24u << 20;
  info->free = info->total - info->used;
  return success;
}

int nvmlDeviceGetTotalEnergyConsumption(void *, unsigned long long *millijoules)
{
  if (getenv("SIMULATED_NVML_NO_COUNTER")) return not_supported;
  const char *step = getenv("SIMULATED_NVML_STEP");
  const double every = step ? atof(step) * 1e-3 : 1e-9;
  *millijoules = (unsigned long long)(250e3 * floor(seconds() / every) * every);
  return success;
}

// Renewed every 50 ms.
int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts)
{
  const long renewal = (long)(seconds() / 0.05);
  return *milliwatts = renewal % 2 == 0 ? 245000 : 255000, success;
}

int nvmlDeviceGetEnforcedPowerLimit(void *, unsigned *limit) { return *limit = 700000, success; }
int nvmlDeviceGetClockInfo(void *, int, unsigned *megahertz) { return *megahertz = 1410, success; }
int nvmlDeviceGetMaxClockInfo(void *, int, unsigned *clock) { return *clock = 1980, success; }

int nvmlDeviceGetPowerManagementLimit(void *, unsigned *limit)
{
  *limit = current().milliwatts;
  return success;
}

int nvmlDeviceGetPowerManagementLimitConstraints(void *, unsigned *least, unsigned *most)
{
  *least = 200000, *most = 700000;
  return success;
}

int nvmlDeviceSetPowerManagementLimit(void *, unsigned limit)
{
  if (limit < 200000 || limit > 700000) return invalid_argument;
  return change({limit, current().megahertz});
}

int nvmlDeviceSetGpuLockedClocks(void *, unsigned least, unsigned most)
{
  if (least != most || most > 1980) return invalid_argument;
  return change({current().milliwatts, most});
}

int nvmlDeviceResetGpuLockedClocks(void *) { return change({current().milliwatts, free_clock}); }

int nvmlDeviceGetTemperature(void *, int, unsigned *celsius) { return *celsius = 83, success; }
int nvmlDeviceGetPersistenceMode(void *, int *mode) { return *mode = 0, success; }
int nvmlDeviceGetMigMode(void *, unsigned *now, unsigned *then) { return *now = *then = 0, success; }

// Slowed down by software for heat.
int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons)
{
  *reasons = 0x20;
  return success;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned *count, void *)
{
  *count = 0;
  return success;
}

}  // extern "C"
