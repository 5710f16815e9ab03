/* What a benchmark plugin in C exports. Written from benchmarks/sdk/src/abi.rs: change that file,
 * then run AUTOBENCH_WRITE_HEADER=1 cargo test -p autobench-sdk. */
#ifndef AUTOBENCH_H
#define AUTOBENCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Before the one table of a plugin:
 * AUTOBENCH_EXPORT const autobench_table autobench_benchmark = {...};
 * A library with several benchmarks has a table for each, named after it:
 * AUTOBENCH_EXPORT const autobench_table autobench_benchmark_NAME = {...}; */
#ifdef __cplusplus
#define AUTOBENCH_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define AUTOBENCH_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the table. A host refuses a plugin whose version it does not know. */
#define AUTOBENCH_ABI_VERSION 1

/* What a function of the table returns: one of the constants below. It is a number and not an
 * enum, so that an unknown number is not undefined behaviour in the host. */
typedef int32_t autobench_status;
/* The function succeeded. */
#define AUTOBENCH_OK 0
/* The function failed; the text written to the message sink says why. */
#define AUTOBENCH_FAILED 1
/* The plugin does not offer this; the host uses its own way. */
#define AUTOBENCH_UNSUPPORTED 2

/* Receives bytes that a plugin gives to the host. Call `write` as often as needed. */
typedef struct autobench_sink {
  /* The host's own state. */
  void *context;
  /* Appends `count` bytes. */
  void (*write)(void *context, const uint8_t *bytes, size_t count);
} autobench_sink;

/* What a plugin exports under `autobench_benchmark`. Every function except `describe` may be null. */
typedef struct autobench_table {
  /* `AUTOBENCH_ABI_VERSION`. */
  uint32_t abi_version;
  /* `sizeof` of this struct in the plugin's version. */
  uint32_t struct_size;
  /* Writes the benchmark's document as UTF-8 JSON. */
  autobench_status (*describe)(autobench_sink document, autobench_sink message);
  /* Bytes of device memory for a size; `configuration` is a JSON object of parameter values. If
   * null, the host adds up the shapes of the document. */
  autobench_status (*footprint)(uint64_t size, const char *configuration, uint64_t *bytes, autobench_sink message);
  /* Makes the state that the plugin keeps for one size and seed. */
  autobench_status (*build)(uint64_t size, uint64_t seed, void **instance, autobench_sink message);
  /* Writes the exact elements `indices[0 .. count]` of an output, from the unrounded inputs.
   * `output` is its position among all arguments. */
  autobench_status (*reference)(void *instance, uint32_t output, const uint64_t *indices, uint64_t count, double *elements, autobench_sink message);
  /* Writes the elements `first .. first + count` of an argument whose fill is `plugin`. */
  autobench_status (*fill)(void *instance, uint32_t argument, uint64_t first, uint64_t count, double *elements, autobench_sink message);
  /* Writes the primary and the secondary metric of a measurement, which is a JSON object. */
  autobench_status (*analyze)(void *instance, const char *measurement, double *primary, double *secondary, autobench_sink message);
  /* Frees what `build` or `build_stage` made. */
  void (*free)(void *instance);
  /* Like `build`, for a study of one stage: `reference` and `fill` then mean the stage's outputs
   * and fills. If null, the host calls `build`. Tables may end before this field. */
  autobench_status (*build_stage)(uint64_t size, uint64_t seed, const char *stage, void **instance, autobench_sink message);
  /* Writes the source `name` for a size, if the document says that the plugin makes it.
   * `configuration` is a JSON object of parameter values. Tables may end before this field. */
  autobench_status (*source)(const char *name, uint64_t size, const char *configuration, autobench_sink text, autobench_sink message);
  /* Like `reference`, if the document says that reference results depend on parameters: `answer`
   * is a JSON object of their values. Tables may end before this field. */
  autobench_status (*reference_for)(void *instance, const char *answer, uint32_t output, const uint64_t *indices, uint64_t count, double *elements, autobench_sink message);
} autobench_table;

/* Writes a zero-terminated text to a sink. */
static inline void autobench_write(autobench_sink sink, const char *text)
{
  if (sink.write) sink.write(sink.context, (const uint8_t *)text, strlen(text));
}

/* Writes a zero-terminated text as a JSON string, quotes and all. */
static inline void autobench_write_json(autobench_sink sink, const char *text)
{
  static const char digits[] = "0123456789abcdef";
  autobench_write(sink, "\"");
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    char one[7] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], 0};
    if (c >= 32 && c != '"' && c != '\\') {
      one[0] = (char)c;
      one[1] = 0;
    }
    autobench_write(sink, one);
  }
  autobench_write(sink, "\"");
}

/* The generators of input elements, the same bits as everywhere else in autobench. The element
 * `index` of argument number `argument` (its position among all arguments) is, for a fill of
 *
 *   uniform      autobench_uniform(autobench_bits(seed, argument, index), low, high)
 *   integer      autobench_integer(autobench_bits(seed, argument, index), low, high)
 *   bell         autobench_bell(autobench_bits(seed, argument, index), scale)
 *   permutation  autobench_permutation(seed, argument, index, count)
 *   ramp         autobench_ramp(index, start, step)
 *
 * before it is rounded to the argument's format. */

/* 64 random bits for one element: splitmix64's finalizer over a counter. */
static inline uint64_t autobench_bits(uint64_t seed, uint32_t argument, uint64_t index)
{
  uint64_t z = seed + ((uint64_t)argument + 1) * UINT64_C(0x9E3779B97F4A7C15) +
               index * UINT64_C(0xD1342543DE82EF95);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* [low, high). Through a volatile, so that no compiler fuses the product and the sum. */
static inline double autobench_uniform(uint64_t bits, double low, double high)
{
  volatile double above = (high - low) * ((double)(bits >> 40) / 16777216.0);
  return low + above;
}

/* low ..= high; low when the range is empty. */
static inline int64_t autobench_integer(uint64_t bits, int64_t low, int64_t high)
{
  const uint64_t u = bits >> 32, range = (uint64_t)high - (uint64_t)low + 1;
  if (high <= low) return low;
  return (int64_t)((uint64_t)low + (range == 0 ? u << 32
                                               : u * (range >> 32) +
                                                     (u * (range & UINT32_MAX) >> 32)));
}

/* The sum of four uniforms in [-1/2, 1/2), times scale. */
static inline double autobench_bell(uint64_t bits, double scale)
{
  const uint64_t fields =
      (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
  return ((double)fields / 65536.0 - 2.0) * scale;
}

/* Every value of 0 .. count once; count up to 2^43. */
static inline uint64_t autobench_permutation(uint64_t seed, uint32_t argument, uint64_t index,
                                             uint64_t count)
{
  const uint64_t limit = count < (UINT64_C(1) << 20) ? count : UINT64_C(1) << 20;
  uint64_t factor, offset;
  if (count < 2) return 0;
  factor = autobench_bits(seed, argument, UINT64_C(1) << 63) % limit | 1;
  for (; factor < limit; ++factor) {
    uint64_t a = factor, b = count;
    while (b != 0) {
      const uint64_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) break;
  }
  if (factor >= limit) factor = 1;
  offset = autobench_bits(seed, argument, (UINT64_C(1) << 63) + 1) % count;
  return (factor * index + offset) % count;
}

/* start + step * index, rounded twice. */
static inline double autobench_ramp(uint64_t index, double start, double step)
{
  volatile double travelled = step * (double)index;
  return start + travelled;
}

#ifdef __cplusplus
}
#endif

#endif
