/* A benchmark in C. docs/guide/benchmarks.md explains every field of the document. */
#include <stdlib.h>

#include "autobench.h"

static const char kernel[] =
    "__global__ void add(float *__restrict__ c, const float *__restrict__ a,\n"
    "                    const float *__restrict__ b, long long n)\n"
    "{\n"
    "  const long long first = (long long)blockIdx.x * (block_size_x * items_per_thread);\n"
    "  for (int item = 0; item < items_per_thread; ++item) {\n"
    "    const long long i = first + item * block_size_x + threadIdx.x;\n"
    "    if (i < n) c[i] = a[i] + b[i];\n"
    "  }\n"
    "}\n";

/* JSON; ' stands for \" and is exchanged below. */
static const char before_kernel[] =
    "{'name': 'NAME', 'about': 'vector addition, c[i] = a[i] + b[i]',"
    " 'sources': [{'name': 'NAME.cu', 'text': ";
static const char after_kernel[] =
    "}],"
    " 'launches': [{'entry': 'add', 'problem': ['size'],"
    "   'grid_divisors': [['block_size_x', 'items_per_thread']]}],"
    " 'arguments': ["
    "   {'name': 'c', 'role': 'out', 'format': 'f32', 'shape': ['size']},"
    "   {'name': 'a', 'role': 'in', 'format': 'f32', 'shape': ['size'],"
    "    'fill': {'uniform': {'low': -1, 'high': 1}}},"
    "   {'name': 'b', 'role': 'in', 'format': 'f32', 'shape': ['size'],"
    "    'fill': {'uniform': {'low': -1, 'high': 1}}},"
    "   {'name': 'n', 'role': 'in', 'format': 'i64', 'value': 'size'}],"
    " 'parameters': ["
    "   {'name': 'block_size_x', 'values': [32, 64, 128, 256, 512, 1024], 'default': 256},"
    "   {'name': 'items_per_thread', 'values': [1, 2, 4, 8]}],"
    " 'restrictions': ['block_size_x * items_per_thread <= 4096'],"
    " 'size': {'start': 4096, 'meaning': 'elements'},"
    " 'flops': 'size', 'bytes': '12 * size',"
    " 'metrics': [{'name': 'bandwidth', 'unit': 'GB/s',"
    "   'expression': 'bytes / seconds / 1e9'}],"
    " 'secondary': 'bandwidth',"
    " 'error': {'metric': 'nrmse', 'bound': 1e-6},"
    " 'reference': 'plugin'}";

static void write_quoted(autobench_sink sink, const char *text)
{
  for (; *text; ++text) {
    const char one[2] = {*text == '\'' ? '"' : *text, 0};
    autobench_write(sink, one);
  }
}

static autobench_status describe(autobench_sink document, autobench_sink message)
{
  (void)message;
  write_quoted(document, before_kernel);
  autobench_write_json(document, kernel);
  write_quoted(document, after_kernel);
  return AUTOBENCH_OK;
}

struct problem {
  uint64_t size, seed;
};

static autobench_status build(uint64_t size, uint64_t seed, void **instance,
                              autobench_sink message)
{
  struct problem *problem = malloc(sizeof *problem);
  if (!problem) {
    autobench_write(message, "no memory");
    return AUTOBENCH_FAILED;
  }
  problem->size = size;
  problem->seed = seed;
  *instance = problem;
  return AUTOBENCH_OK;
}

/* The exact elements of `c` from the unrounded elements of `a` and `b`, arguments 1 and 2. */
static autobench_status reference(void *instance, uint32_t output, const uint64_t *indices,
                                  uint64_t count, double *elements, autobench_sink message)
{
  const struct problem *problem = instance;
  (void)output;
  (void)message;
  for (uint64_t at = 0; at < count; ++at) {
    const uint64_t i = indices[at];
    elements[at] = autobench_uniform(autobench_bits(problem->seed, 1, i), -1, 1) +
                   autobench_uniform(autobench_bits(problem->seed, 2, i), -1, 1);
  }
  return AUTOBENCH_OK;
}

static void give_back(void *instance) { free(instance); }

AUTOBENCH_EXPORT const autobench_table autobench_benchmark = {
    .abi_version = AUTOBENCH_ABI_VERSION,
    .struct_size = sizeof(autobench_table),
    .describe = describe,
    .build = build,
    .reference = reference,
    .free = give_back,
};
