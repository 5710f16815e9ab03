"""Benchmarks with harmful configurations, and the outcomes that each may have."""

import os

# Harmful code of a configuration, and the outcomes that it may have. One thread runs the code after
# writing the right result; in CONSTRUCTORS, a constructor runs it. The outcomes of other
# configurations must not change.
HARMS = {
    1: ("for (;;) sink = sink + 1;", {"timed-out"}),
    2: ("*(volatile int *)8 = 1;", {"crashed"}),
    3: ("abort();", {"crashed"}),
    4: ("_exit(0);", {"crashed"}),
    5: ("((volatile float *)c)[n] = 1;", {"run-failed"}),
    6: ("((volatile float *)a)[n / 2 + 3] = 7;", {"run-failed"}),
    7: ("fesetround(0x800);", {"measured", "wrong-result"}),
    8: ("signal(17, (handler)1);", {"run-failed"}),
    9: ("const unsigned long none[2] = {0, 0}; setrlimit(7, none);", {"run-failed"}),
    10: ("close(1);", {"run-failed"}),
    11: ("if (chdir(\"/\")) abort();", {"run-failed"}),
    12: ("setenv(\"LEFT\", \"behind\", 1);", {"run-failed"}),
    13: ("umask(0777);", {"run-failed"}),
    14: ("alarm(1);", {"run-failed"}),
    15: ("if (fork() == 0) { setsid(); sleep(300); _exit(0); }", {"run-failed"}),
    16: ("if (fork() == 0) { setsid(); sleep(300); _exit(0); } abort();", {"crashed"}),
    17: ("c[n - 1] = __builtin_nanf(\"\");", {"wrong-result"}),
    18: ("c[n - 1] = 1e9f;", {"wrong-result"}),
    19: ("for (;;) printf(\"without end %d\\n\", n);", {"crashed", "timed-out"}),
    20: ("this is no kernel", {"compile-failed"}),
}
CONSTRUCTORS = {
    30: ("abort();", {"crashed"}),
    31: ("for (;;) sleep(1);", {"timed-out"}),
    32: ("if (chdir(\"/\")) abort();", {"run-failed"}),
}
ALL = HARMS | CONSTRUCTORS
HARMLESS = range(100, 140)
SOURCE = """extern "C" {
void abort() noexcept;
int fork() noexcept;
int setsid() noexcept;
unsigned sleep(unsigned);
void _exit(int) noexcept;
int fesetround(int) noexcept;
typedef void (*handler)(int);
handler signal(int, handler) noexcept;
int setrlimit(int, const unsigned long *) noexcept;
int close(int);
int chdir(const char *) noexcept;
int setenv(const char *, const char *, int) noexcept;
unsigned umask(unsigned) noexcept;
unsigned alarm(unsigned) noexcept;
}
%s
__global__ void tortured(const float *a, float *c, int n)
{
  static volatile int sink;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * 1e-38f;
  if (i != n - 1) return;
%s
}
"""
DOCUMENT = """name: tortured
about: harms and none
sources:
  - name: tortured.cu
launches:
  - {entry: tortured, problem: [size]}
arguments:
  - {name: a, role: in, format: f32, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: c, role: out, format: f32, shape: [size]}
  - {name: n, role: in, format: i32, value: size}
parameters:
  - {name: block_size_x, values: [64]}
  - {name: does, values: [%s]}
size: {start: 4096, meaning: elements}
bytes: 8 * size
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: nrmse, bound: 1e-6}
reference:
  expressions: {c: "a[i] * 1e-38"}
"""


def outcomes(does):
    """Returns the outcomes that a configuration may have."""
    return ALL[does][1] if does in ALL else {"measured"}


def write(folder, does):
    """Writes a benchmark with these configurations, the default first."""
    body = "".join(f"#if does == {at}\n  {text}\n#endif\n" for at, (text, _) in HARMS.items())
    constructors = "".join(
        f"#if does == {at}\nstruct harm {{ harm() {{ {text} }} }} harm_;\n#endif\n"
        for at, (text, _) in CONSTRUCTORS.items())
    with open(os.path.join(folder, "tortured.cu"), "w") as file:
        file.write(SOURCE % (constructors, body))
    with open(os.path.join(folder, "tortured.yaml"), "w") as file:
        file.write(DOCUMENT % ", ".join(map(str, does)))
