// An NVRTC for tests: NVIDIA's names for the simulated compiler.
#define rtc_create nvrtcCreateProgram
#define rtc_destroy nvrtcDestroyProgram
#define rtc_add_name nvrtcAddNameExpression
#define rtc_compile nvrtcCompileProgram
#define rtc_log_bytes nvrtcGetProgramLogSize
#define rtc_log nvrtcGetProgramLog
#define rtc_lowered_name nvrtcGetLoweredName
#define rtc_code_bytes nvrtcGetCUBINSize
#define rtc_code nvrtcGetCUBIN
#include "compiler.h"

// Errors as NVRTC writes them: FILE(LINE): error: …
std::string in_its_words(const std::string &log) {
  static const std::regex place("(^|\n)([^\n:]+):([0-9]+):[0-9]+: ((?:fatal )?error:)");
  return std::regex_replace(log, place, "$1$2($3): $4");
}

bool finish(const std::string &, const std::vector<std::string> &) { return true; }

extern "C" {

int nvrtcVersion(int *major, int *minor) {
  *major = 12, *minor = 4;
  return success;
}

int nvrtcGetNumSupportedArchs(int *count) {
  *count = 2;
  return success;
}

int nvrtcGetSupportedArchs(int *all) {
  all[0] = 80, all[1] = 90;
  return success;
}

int nvrtcGetPTXSize(program *p, size_t *size) { return nvrtcGetCUBINSize(p, size); }
int nvrtcGetPTX(program *p, char *image) { return nvrtcGetCUBIN(p, image); }

}  // extern "C"
