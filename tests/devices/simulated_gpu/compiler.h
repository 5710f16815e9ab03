// A run-time compiler for tests: the host's compiler makes of a CUDA source what the simulated GPU
// runs. Headers come from the program, as with the real ones, which are given no include path; only
// those of the cpu device are read from CPU_HEADERS.
//
// A vendor's compiler is this file behind `#define`s of its own names for the functions below, the
// few functions that it has alone, and the two declared first.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

// Errors as the vendor writes them.
std::string in_its_words(const std::string &log);
// What the vendor adds to an image in a folder, `unit.so`, with these entries; whether it worked.
bool finish(const std::string &folder, const std::vector<std::string> &entries);

namespace {

struct program {
  std::string source, log, image;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> names, lowered;
};

enum { success = 0, invalid_input = 3, compilation = 6, invalid_name = 10 };

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string folder_of(const std::string &path) { return path.substr(0, path.rfind('/')); }

// Dynamic shared memory is a pointer on the host.
std::string without_extern(const std::string &source) {
  static const std::regex declaration(
      "extern\\s+__shared__\\s+([A-Za-z_][\\w ]*?)\\s+(\\w+)\\s*\\[\\s*\\]\\s*;");
  return std::regex_replace(source, declaration, "$1 *const $2 = ($1 *)ab_shared;");
}

std::string unit(const program &p) {
  std::string text = "#define AUTOBENCH_VARIANT 0\n" + without_extern(p.source);
  text += "\n#line 1 \"entries\"\nstatic constexpr ab_entry ab_entries_0[] = {\n";
  for (auto &name : p.names) text += "ab_describe<::" + name + ", 0, 0, 0>(),\n";
  text += "};\nstatic constexpr ab_variant ab_variants[] = {{ab_entries_0, " +
          std::to_string(p.names.size()) + ", 0}};\nAUTOBENCH_TABLE(ab_variants)\n";
  text += "extern \"C\" __attribute__((__visibility__(\"default\"))) const ab_table *const "
          "autobench_pointer = &autobench_table;\n";
  return text;
}

}  // namespace

extern "C" {

int rtc_create(program **made, const char *source, const char *, int count,
                       const char *const *headers, const char *const *names) {
  program *p = new program;
  p->source = source;
  for (int i = 0; i < count; ++i) p->headers.emplace_back(names[i], headers[i]);
  *made = p;
  return success;
}

int rtc_destroy(program **made) {
  delete *made;
  *made = nullptr;
  return success;
}

int rtc_add_name(program *p, const char *name) {
  p->names.push_back(name);
  return success;
}

int rtc_compile(program *p, int, const char *const *) {
  char made[] = "/tmp/simulated-compiler-XXXXXX";
  if (!mkdtemp(made)) return 1;
  const std::string folder = made;
  for (auto &header : p->headers) {
    const std::string path = folder + "/include/" + header.first;
    if (system(("mkdir -p '" + folder_of(path) + "'").c_str())) return 1;
    write(path, header.second);
  }
  write(folder + "/unit.cpp", unit(*p));
  const char *named = getenv("CXX");
  const std::string compiler = named && *named ? named : "c++";
  const std::string command = "cd '" + folder + "' && " + compiler +
                              " -std=gnu++17 -O1 -fPIC -shared -fvisibility=hidden -w -Iinclude "
                              "-I" CPU_HEADERS " -fdiagnostics-color=never unit.cpp -o unit.so -lm >log 2>&1";
  const int failed = system(command.c_str());
  p->log = in_its_words(read(folder + "/log"));
  for (size_t i = 0; i < p->names.size(); ++i)
    p->lowered.push_back("simulated_" + std::to_string(i) + "_" + p->names[i]);
  if (!failed && !finish(folder, p->lowered)) return 1;
  p->image = read(folder + "/unit.so");
  if (system(("rm -rf '" + folder + "'").c_str())) return 1;
  return failed ? compilation : success;
}

int rtc_log_bytes(program *p, size_t *size) {
  *size = p->log.size() + 1;
  return success;
}

int rtc_log(program *p, char *log) {
  memcpy(log, p->log.c_str(), p->log.size() + 1);
  return success;
}

int rtc_lowered_name(program *p, const char *name, const char **lowered) {
  for (size_t i = 0; i < p->names.size(); ++i)
    if (p->names[i] == name) return *lowered = p->lowered[i].c_str(), success;
  return invalid_name;
}

int rtc_code_bytes(program *p, size_t *size) {
  *size = p->image.size();
  return success;
}

int rtc_code(program *p, char *image) {
  memcpy(image, p->image.data(), p->image.size());
  return success;
}

}  // extern "C"
