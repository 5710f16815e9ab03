// A libhiprtc for tests: AMD's names for the simulated compiler.
#define rtc_create hiprtcCreateProgram
#define rtc_destroy hiprtcDestroyProgram
#define rtc_add_name hiprtcAddNameExpression
#define rtc_compile hiprtcCompileProgram
#define rtc_log_bytes hiprtcGetProgramLogSize
#define rtc_log hiprtcGetProgramLog
#define rtc_lowered_name hiprtcGetLoweredName
#define rtc_code_bytes hiprtcGetCodeSize
#define rtc_code hiprtcGetCode
#include <dlfcn.h>

#include "compiler.h"
#include "image.h"

std::string in_its_words(const std::string &log) { return log; }

namespace {

// MessagePack: short texts, a number of 32 bits.
std::string text(const std::string &s) {
  return std::string("\xd9") + (char)s.size() + s;
}
std::string number(unsigned n) {
  std::string bytes = "\xce";
  for (int shift = 24; shift >= 0; shift -= 8) bytes += (char)(n >> shift);
  return bytes;
}
std::string parameter(unsigned bytes, const char *kind) {
  return "\x82" + text(".size") + number(bytes) + text(".value_kind") + text(kind);
}

}  // namespace

// The note that a code object has: what its kernels take and use.
bool finish(const std::string &folder, const std::vector<std::string> &entries) {
  void *library = dlopen((folder + "/unit.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  const table *t = *(const table **)dlsym(library, "autobench_pointer");
  std::string note = "\x81" + text("amdhsa.kernels") + "\x9f";
  note.back() = (char)(0x90 + entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const entry &e = t->variants->entries[i];
    note += "\x84" + text(".name") + text(entries[i]);
    note += text(".vgpr_count") + number(24) + text(".sgpr_count") + number(16);
    note += text(".args") + "\xdc" + std::string(1, '\0') + (char)(e.parameters + 1);
    for (int at = 0; at < e.parameters; ++at) note += parameter(e.sizes[at], "by_value");
    note += parameter(8, "hidden_global_offset_x");
  }
  dlclose(library);
  const uint32_t head[] = {7, (uint32_t)note.size(), 32};
  write(folder + "/note", std::string((const char *)head, 12) + std::string("AMDGPU\0\0", 8) + note);
  return !system(("cd '" + folder + "' && objcopy --add-section .note=note unit.so").c_str());
}

extern "C" {

int hiprtcVersion(int *major, int *minor) {
  *major = 9, *minor = 0;
  return success;
}

}  // extern "C"
