// A GPU for tests, as far as autobench calls its driver, over the host's memory. What is queued on
// a stream waits until somebody waits for the stream, so that a missing wait shows. Kernels that a
// simulated compiler made are code of the host and really run; kernels of the real compilers have
// their variables, take 20 µs and do nothing.
//
// A vendor's driver is this file behind `#define`s of its own names for the functions below, and
// the few functions that it has alone.
//
// Environment, read when it is started:
//   SIMULATED_GPU_FAIL     N or N:CODE: the N-th call answers CODE (999 where none is given)
//   SIMULATED_GPU_FAULT   NAME:N:CODE: the N-th run of a kernel whose name holds NAME ends so
//   SIMULATED_GPU_TRACE   a file that every call is appended to
//   SIMULATED_GPU_VERSION the driver's version, as the vendor writes it
//   SIMULATED_GPU_MEMORY  MiB of device memory
//   SIMULATED_GPU_DEVICES how many devices there are
//   SIMULATED_GPU_OTHER   the number of a device that is of another model
#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "image.h"

namespace {

enum { success = 0, invalid_value = 1, out_of_memory = 2, not_found = 500, not_ready = 600 };

struct module {
  void *library;
  std::string image;
  std::map<std::string, std::string> variables; // of an image of a GPU
};
struct function {
  std::string name;
  const entry *code; // null where the kernel does nothing
  module *owner;
};
typedef std::function<int()> work;
struct stream {
  std::vector<work> queue;
  bool captures = false;
};
struct graph {
  std::vector<work> queue;
};
struct event {
  double milliseconds = -1;
};

struct {
  long calls = 0, fail_at = 0, faults_left = 0;
  int fail_code = 999, fault_code = 700, sticky = 0, retained = 0;
  bool failed = false, current = false;
  size_t memory = 1024u << 20, used = 0;
  std::string fault_name, trace;
} state;

std::map<uint64_t, size_t> allocations;
std::set<void *> hosts, streams, events, modules, graphs, execs;
std::map<module *, std::vector<function *>> functions;

const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : nullptr;
}

bool poisons(int code) { return code >= 700 && code <= 719 && code != 701; }

int devices() {
  const char *value = setting("SIMULATED_GPU_DEVICES");
  return value ? atoi(value) : 1;
}

void trace(const char *line) {
  if (state.trace.empty()) return;
  if (FILE *file = fopen(state.trace.c_str(), "a")) {
    fprintf(file, "%s\n", line);
    fclose(file);
  }
}

// What a call answers before it does anything.
int enter(const char *name) {
  trace(name);
  ++state.calls;
  if (state.sticky) return state.sticky;
  if (state.fail_at && state.calls == state.fail_at) {
    state.failed = true;
    if (poisons(state.fail_code)) state.sticky = state.fail_code;
    return state.fail_code;
  }
  return success;
}

#define ENTER                                      \
  if (const int refused = enter(__func__)) return refused

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

// Whether a range lies in one allocation.
bool inside(uint64_t address, size_t bytes) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return false;
  auto holds = std::prev(after);
  return address + bytes <= holds->first + holds->second;
}

int drain(stream *s) {
  std::vector<work> queue;
  queue.swap(s->queue);
  for (auto &next : queue)
    if (const int code = next()) {
      if (poisons(code)) state.sticky = code;
      return code;
    }
  return success;
}

int push(void *handle, work next) {
  if (!streams.count(handle)) return invalid_value;
  ((stream *)handle)->queue.push_back(next);
  return success;
}

int run(const function *f, const int *grid, const int *block, const std::vector<std::string> &values) {
  if (!state.fault_name.empty() && f->name.find(state.fault_name) != std::string::npos &&
      state.faults_left > 0 && --state.faults_left == 0)
    return state.fault_code;
  if (!f->code) {
    for (const double end = now() + 0.02; now() < end;) {}
    return success;
  }
  static const size_t shared_bytes = 1 << 20, stack_bytes = 64 << 10;
  static char *shared = (char *)aligned_alloc(4096, shared_bytes);
  static char *stacks = (char *)aligned_alloc(4096, stack_bytes * 1024);
  worker w = {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, stacks,
              stack_bytes, 0};
  std::vector<void *> pointers;
  for (auto &value : values) pointers.push_back((void *)value.data());
  f->code->launch(&w, 0, (uint64_t)grid[0] * grid[1] * grid[2], pointers.data());
  return success;
}

template <class T>
int drop(std::set<void *> &all, void *handle) {
  if (!all.erase(handle)) return invalid_value;
  delete (T *)handle;
  return success;
}

// Giving back happens, whatever is answered.
template <class F>
int give_back(const char *name, F f) {
  const int refused = enter(name), done = f();
  return refused ? refused : done;
}

template <class T>
T part(const std::string &image, uint64_t offset) {
  T found = {};
  if (offset + sizeof(T) <= image.size()) memcpy(&found, image.data() + offset, sizeof(T));
  return found;
}

// The variables of a GPU's image, by its tables of symbols.
std::map<std::string, std::string> variables(const std::string &image) {
  std::map<std::string, std::string> found;
  const auto head = part<Elf64_Ehdr>(image, 0);
  const auto section = [&](uint64_t at) {
    return part<Elf64_Shdr>(image, head.e_shoff + at * sizeof(Elf64_Shdr));
  };
  for (int at = 0; at < head.e_shnum; ++at) {
    const Elf64_Shdr symbols = section(at), names = section(symbols.sh_link);
    if (symbols.sh_type != SHT_SYMTAB && symbols.sh_type != SHT_DYNSYM) continue;
    for (uint64_t byte = 0; byte < symbols.sh_size; byte += sizeof(Elf64_Sym)) {
      const auto symbol = part<Elf64_Sym>(image, symbols.sh_offset + byte);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
        found[image.c_str() + names.sh_offset + symbol.st_name].resize(symbol.st_size);
    }
  }
  return found;
}

int load(module *m) {
  const std::string &image = m->image;
  if (image.compare(0, 4, ELFMAG) != 0) return success; // PTX
  const int machine = part<Elf64_Ehdr>(image, 0).e_machine;
  if (machine == EM_CUDA || machine == EM_AMDGPU) return m->variables = variables(image), success;
  char path[] = "/tmp/simulated-gpu-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0 || write(file, image.data(), image.size()) != (ssize_t)image.size()) return 999;
  close(file);
  m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  return m->library ? success : 200;
}

// The length of an image: a cubin or a library by its section table, PTX by its final zero.
size_t length_of(const char *image) {
  if (memcmp(image, "\177ELF", 4) != 0) return strlen(image) + 1;
  uint64_t sections;
  uint16_t size, count;
  memcpy(&sections, image + 40, 8);
  memcpy(&size, image + 58, 2);
  memcpy(&count, image + 60, 2);
  uint64_t end = sections + (uint64_t)size * count;
  for (int i = 0; i < count; ++i) {
    uint64_t start, length;
    uint32_t kind;
    memcpy(&kind, image + sections + (uint64_t)size * i + 4, 4);
    memcpy(&start, image + sections + (uint64_t)size * i + 24, 8);
    memcpy(&length, image + sections + (uint64_t)size * i + 32, 8);
    if (kind != 8 && start + length > end) end = start + length;
  }
  return end;
}

}  // namespace

extern "C" {

// For tests: the next failure, how many calls there were, whether one failed, what is not given back.
void simulated_gpu_fail(long at, int code) {
  state.calls = 0, state.fail_at = at, state.fail_code = code;
  state.failed = false, state.sticky = 0;
}
long simulated_gpu_calls() { return state.calls; }
int simulated_gpu_failed() { return state.failed; }
long simulated_gpu_live() {
  return (long)(allocations.size() + hosts.size() + streams.size() + events.size() +
                modules.size() + graphs.size() + execs.size()) +
         state.retained;
}

int gpu_init(unsigned) {
  if (const char *value = setting("SIMULATED_GPU_TRACE")) state.trace = value;
  if (const char *value = setting("SIMULATED_GPU_MEMORY"))
    state.memory = (size_t)atol(value) << 20;
  const char *value = setting("SIMULATED_GPU_FAIL");
  if (value && !state.fail_at) {
    state.fail_at = atol(value);
    if (const char *code = strchr(value, ':')) state.fail_code = atoi(code + 1);
  }
  value = setting("SIMULATED_GPU_FAULT");
  if (value && state.fault_name.empty()) {
    const char *count = strchr(value, ':'), *code = strrchr(value, ':');
    state.fault_name.assign(value, count);
    state.faults_left = atol(count + 1);
    state.fault_code = atoi(code + 1);
  }
  ENTER;
  return success;
}

int gpu_count(int *count) {
  ENTER;
  *count = devices();
  return success;
}

int gpu_device(int *device, int ordinal) {
  ENTER;
  *device = ordinal;
  return ordinal >= 0 && ordinal < devices() ? success : 101;
}

int gpu_name(char *name, int length, int device) {
  ENTER;
  const char *other = setting("SIMULATED_GPU_OTHER");
  const bool is_other = other && atoi(other) == device;
  snprintf(name, length, is_other ? "Another simulated GPU" : "Simulated GPU");
  return success;
}

int gpu_address(char *id, int length, int device) {
  ENTER;
  snprintf(id, length, "0000:0%d:00.0", device);
  return success;
}

int gpu_total_memory(size_t *bytes, int) {
  ENTER;
  *bytes = state.memory;
  return success;
}

int gpu_memory(size_t *free, size_t *total) {
  ENTER;
  *total = state.memory, *free = state.memory - state.used;
  return success;
}

int gpu_allocate(uint64_t *address, size_t bytes) {
  ENTER;
  if (!state.current) return 201;
  if (bytes == 0) return invalid_value;
  if (bytes > state.memory - state.used) return out_of_memory;
  void *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
  memset(memory, 0xEE, bytes);
  allocations[(uint64_t)memory] = bytes;
  state.used += bytes;
  *address = (uint64_t)memory;
  return success;
}

int gpu_free(uint64_t address) {
  return give_back(__func__, [=] {
    auto found = allocations.find(address);
    if (found == allocations.end()) return (int)invalid_value;
    // As the driver does: what is queued may still use it.
    for (void *handle : streams) drain((stream *)handle);
    state.used -= found->second;
    allocations.erase(found);
    free((void *)address);
    return (int)success;
  });
}

int gpu_allocate_on_host(void **memory, size_t bytes, unsigned) {
  ENTER;
  *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
  hosts.insert(*memory);
  return success;
}

int gpu_free_on_host(void *memory) {
  return give_back(__func__, [=] {
    if (!hosts.erase(memory)) return (int)invalid_value;
    free(memory);
    return (int)success;
  });
}

int gpu_address_of_host(uint64_t *address, void *memory, unsigned) {
  ENTER;
  *address = (uint64_t)memory;
  return hosts.count(memory) ? success : invalid_value;
}

int gpu_copy_to_device(uint64_t to, const void *from, size_t bytes, void *handle) {
  ENTER;
  if (!inside(to, bytes)) return invalid_value;
  // Of memory that is not pinned, the driver takes a copy before it returns.
  std::string copy((const char *)from, bytes);
  return push(handle, [=] { return memcpy((void *)to, copy.data(), bytes), success; });
}

int gpu_copy_to_host(void *to, uint64_t from, size_t bytes, void *handle) {
  ENTER;
  if (!inside(from, bytes)) return invalid_value;
  return push(handle, [=] { return memcpy(to, (void *)from, bytes), success; });
}

int gpu_copy_on_device(uint64_t to, uint64_t from, size_t bytes, void *handle) {
  ENTER;
  const bool variable = !inside(to, bytes); // of a module
  if (!inside(from, bytes) || (variable && modules.empty())) return invalid_value;
  return push(handle, [=] { return memmove((void *)to, (void *)from, bytes), success; });
}

int gpu_set_bytes(uint64_t to, unsigned char value, size_t bytes, void *handle) {
  ENTER;
  if (!inside(to, bytes)) return invalid_value;
  return push(handle, [=] { return memset((void *)to, value, bytes), success; });
}

int gpu_load_module(void **handle, const void *image, unsigned, int *, void **) {
  ENTER;
  module *m = new module{nullptr, std::string((const char *)image, length_of((const char *)image)), {}};
  if (const int code = load(m)) {
    delete m;
    return code;
  }
  modules.insert(m);
  *handle = m;
  return success;
}

int gpu_unload_module(void *handle) {
  return give_back(__func__, [=] {
    module *m = (module *)handle;
    if (!modules.count(m)) return (int)invalid_value;
    for (function *f : functions[m]) delete f;
    functions.erase(m);
    if (m->library) dlclose(m->library);
    return drop<module>(modules, m);
  });
}

// Names are `simulated_INDEX_…` in images of a simulated compiler.
int gpu_function(void **handle, void *owner, const char *name) {
  ENTER;
  module *m = (module *)owner;
  const entry *code = nullptr;
  if (m->library) {
    const table *t = *(const table **)dlsym(m->library, "autobench_pointer");
    unsigned index;
    if (sscanf(name, "simulated_%u_", &index) != 1 || index >= t->variants->count) return not_found;
    code = t->variants->entries + index;
  } else if (m->image.find(name) == std::string::npos) {
    return not_found;
  }
  function *f = new function{name, code, m};
  functions[m].push_back(f);
  *handle = f;
  return success;
}

int gpu_global(uint64_t *address, size_t *bytes, void *owner, const char *name) {
  ENTER;
  module *m = (module *)owner;
  const auto variable = m->variables.find(name);
  if (variable != m->variables.end()) {
    *address = (uint64_t)variable->second.data(), *bytes = variable->second.size();
    return success;
  }
  void *found = m->library ? dlsym(m->library, name) : nullptr;
  Dl_info info;
  const void *symbol = nullptr;
  if (!found || !dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT)) return not_found;
  uint64_t length;
  memcpy(&length, (const char *)symbol + 16, 8); // st_size
  *address = (uint64_t)found, *bytes = length;
  return success;
}

int gpu_function_attribute(int *value, int attribute, void *) {
  ENTER;
  // Threads per block, shared, constant and local bytes, registers.
  static const int values[] = {1024, 0, 0, 0, 0};
  *value = attribute < 5 ? values[attribute] : 0;
  return success;
}

int gpu_resident_blocks(int *blocks, void *, int threads, size_t) {
  ENTER;
  *blocks = threads > 0 ? 2048 / threads : 0;
  return success;
}

int gpu_launch(void *handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned, void *s, void **parameters, void **) {
  const function *f = (const function *)handle;
  trace(("kernel " + f->name).c_str());
  ENTER;
  if ((uint64_t)bx * by * bz > 1024 || !gx || !gy || !gz || gy > 65535 || gz > 65535)
    return invalid_value;
  std::vector<std::string> values;
  for (int i = 0; f->code && i < f->code->parameters; ++i)
    values.emplace_back((const char *)parameters[i], f->code->sizes[i]);
  const int grid[] = {(int)gx, (int)gy, (int)gz}, block[] = {(int)bx, (int)by, (int)bz};
  std::vector<int> g(grid, grid + 3), b(block, block + 3);
  return push(s, [=] { return run(f, g.data(), b.data(), values); });
}

int gpu_create_stream(void **handle, unsigned) {
  ENTER;
  streams.insert(*handle = new stream);
  return success;
}

int gpu_destroy_stream(void *handle) {
  return give_back(__func__, [=] { return drop<stream>(streams, handle); });
}

// What is queued is done, whatever is answered.
int gpu_wait(void *handle) {
  if (!streams.count(handle)) return invalid_value;
  const bool dead = state.sticky != 0;
  if (dead) ((stream *)handle)->queue.clear();
  const int done = drain((stream *)handle), refused = enter(__func__);
  return refused ? refused : done;
}

int gpu_create_event(void **handle, unsigned) {
  ENTER;
  events.insert(*handle = new event);
  return success;
}

int gpu_destroy_event(void *handle) {
  return give_back(__func__, [=] { return drop<event>(events, handle); });
}

int gpu_record_event(void *handle, void *s) {
  ENTER;
  if (!events.count(handle)) return invalid_value;
  ((event *)handle)->milliseconds = -1;
  return push(s, [=] {
    if (events.count(handle)) ((event *)handle)->milliseconds = now();
    return success;
  });
}

// What a timer tells that has ticks of so many milliseconds, and misses one or has one too many.
double coarsened(double milliseconds) {
  const char *value = setting("SIMULATED_GPU_TICK");
  const double tick = value ? atof(value) : 0;
  if (tick <= 0) return milliseconds;
  static unsigned long draws = 12345;
  draws = draws * 6364136223846793005ul + 1442695040888963407ul;
  const double ticks = (double)(long)(milliseconds / tick) + (double)((draws >> 60) % 3) - 1;
  return ticks < 0 ? 0 : ticks * tick;
}

int gpu_elapsed(float *milliseconds, void *start, void *stop) {
  ENTER;
  const double from = ((event *)start)->milliseconds, to = ((event *)stop)->milliseconds;
  if (from < 0 || to < 0) return not_ready;
  *milliseconds = (float)coarsened(to - from);
  return success;
}

int gpu_begin_capture(void *handle, int) {
  ENTER;
  stream *s = (stream *)handle;
  if (const int code = drain(s)) return code;
  s->captures = true;
  return success;
}

int gpu_end_capture(void *handle, void **captured) {
  stream *s = (stream *)handle;
  if (!s->captures) return 904;
  s->captures = false;
  graph *g = new graph;
  g->queue.swap(s->queue);
  const int refused = enter(__func__);
  if (refused) {
    delete g;
    *captured = nullptr;
    return refused;
  }
  graphs.insert(*captured = g);
  return success;
}

int gpu_instantiate_graph(void **handle, void *captured, unsigned long long) {
  ENTER;
  if (!graphs.count(captured)) return invalid_value;
  execs.insert(*handle = new graph(*(graph *)captured));
  return success;
}

int gpu_launch_graph(void *handle, void *s) {
  ENTER;
  if (!execs.count(handle)) return invalid_value;
  for (auto &next : ((graph *)handle)->queue) push(s, next);
  return success;
}

int gpu_destroy_instance(void *handle) {
  return give_back(__func__, [=] { return drop<graph>(execs, handle); });
}

int gpu_destroy_graph(void *handle) {
  return give_back(__func__, [=] { return drop<graph>(graphs, handle); });
}

}  // extern "C"
