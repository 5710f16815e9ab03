//! Isolation of configurations: damage to inputs, processor state or process is undone or ends with
//! the worker, and the next configuration is measured correctly.

use std::time::Duration;

use records::{Outcome, Status};
use worker::{Client, MeasurePlan};

use super::support::{PATIENT, configuration, ready, ready_until_full};

const KERNEL: &str = r#"
extern "C" {
void abort() noexcept;
int fork() noexcept;
int setsid() noexcept;
unsigned sleep(unsigned);
void _exit(int) noexcept;
int fesetround(int) noexcept;
typedef void (*handler)(int);
handler signal(int, handler) noexcept;
int setrlimit(int, const unsigned long *) noexcept;
int open(const char *, int, ...);
int close(int);
int chdir(const char *) noexcept;
int setenv(const char *, const char *, int) noexcept;
char *setlocale(int, const char *) noexcept;
unsigned umask(unsigned) noexcept;
unsigned alarm(unsigned) noexcept;
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *) noexcept;
int pthread_join(unsigned long, void **);
}
static void *sleeper(void *seconds) { sleep((unsigned)(unsigned long)seconds); return nullptr; }
#if does == 20
struct harm { harm() { abort(); } } harm_;
#elif does == 21
struct harm { harm() { for (;;) sleep(1); } } harm_;
#elif does == 22
struct harm { harm() { if (chdir("/")) abort(); } } harm_;
#endif

__global__ void isolated(const float *a, float *c, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * 1e-38f;
  if (i != n - 1) return;
#if does == 1
  ((volatile float *)a)[n / 2 + 3] = 7.0f;
#elif does == 2
  fesetround(0x800);
#elif does == 3 && defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif does == 4
  signal(17, (handler)1);
#elif does == 5
  const unsigned long none[2] = {0, 0};
  setrlimit(7, none);
#elif does == 6
  close(1);
#elif does == 7
  for (int k = 0; k < 9; k++) open("/dev/null", 0);
#elif does == 8
  if (chdir("/")) abort();
#elif does == 9
  setenv("AUTOBENCH_TEST", "left behind", 1);
#elif does == 10
  setlocale(6, "C.UTF-8");
#elif does == 11
  umask(0777);
#elif does == 12
  alarm(1000);
#elif does == 13
  if (fork() == 0) { setsid(); sleep(1000); _exit(0); }
#elif does == 14
  if (fork() == 0) { setsid(); sleep(1000); _exit(0); }
  abort();
#elif does == 15
  unsigned long left;
  pthread_create(&left, nullptr, sleeper, (void *)1000);
#elif does == 16
  unsigned long joined;
  pthread_create(&joined, nullptr, sleeper, nullptr);
  pthread_join(joined, nullptr);
#endif
}
"#;

const DOCUMENT: &str = r#"
name: isolated
about: harms of every kind
sources:
  - name: kernel.cu
launches:
  - {entry: isolated, problem: [size]}
arguments:
  - {name: a, role: in, format: f32, shape: [size], fill: {uniform: {low: 1, high: 2}}}
  - {name: c, role: out, format: f32, shape: [size]}
  - {name: n, role: in, format: i32, value: size}
parameters:
  - {name: block_size_x, values: [64]}
  - {name: does, values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21, 22, 30, 31, 32]}
size: {start: 5003, meaning: elements}
bytes: 8 * size
metrics:
  - {name: bandwidth, unit: GB/s, expression: bytes / seconds / 1e9}
secondary: bandwidth
error: {metric: nrmse, bound: 1e-6}
reference:
  expressions: {c: "a[i] * 1e-38"}
"#;

fn tried(client: &mut Client, does: i64, timeout: Duration) -> Outcome {
    let plan = MeasurePlan { max_samples: 12, min_seconds: 0.0, ..MeasurePlan::default() };
    match client.load(5003, &configuration(does), timeout) {
        None => client.measure(5003, &configuration(does), &plan, timeout),
        Some(outcome) => outcome,
    }
}

#[test]
fn whatever_a_kernel_does_the_next_one_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = ready(folder.path(), DOCUMENT, KERNEL, true);
    let is_right = |client: &mut Client, after: i64| {
        let outcome = tried(client, 0, PATIENT);
        assert_eq!(outcome.status, Status::Measured, "after {after}: {outcome:?}");
    };
    is_right(&mut client, 0);
    for (does, reason) in [
        (1, "it changed argument `a`, which it may only read: element 2504"),
        (4, "which signals are ignored"),
        (5, "its limit on open files"),
        (6, "it closed descriptor 1"),
        (7, "it left 9 open, the first `/dev/null`"),
        (8, "its current folder"),
        (9, "its environment variables"),
        (10, "its locale"),
        (11, "the mask of permissions"),
        (12, "its alarm timer"),
        (13, "it left a process running"),
        (15, "it left a thread running"),
    ] {
        let outcome = tried(&mut client, does, PATIENT);
        assert_eq!(outcome.status, Status::RunFailed, "{does}: {outcome:?}");
        assert!(outcome.reason.contains(reason), "{does}: {}", outcome.reason);
        is_right(&mut client, does);
    }
    // A joined thread may stay listed for a moment.
    is_right(&mut client, 16);
    assert_eq!(tried(&mut client, 16, PATIENT).status, Status::Measured);
    // The rounding mode is restored after every launch.
    for does in [2, 3] {
        let _ = tried(&mut client, does, PATIENT);
        is_right(&mut client, does);
    }
}

#[test]
fn who_leaves_a_child_behind_and_crashes_has_crashed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = ready(folder.path(), DOCUMENT, KERNEL, true);
    let outcome = tried(&mut client, 14, PATIENT);
    assert_eq!(outcome.status, Status::Crashed, "{outcome:?}");
    assert!(outcome.reason.contains("SIGABRT"), "{}", outcome.reason);
    drop(client);
    let left = std::fs::read_dir("/proc").expect("readable").flatten().any(|entry| {
        let folder_of = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        let command = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        command.contains("__worker") && folder_of == folder.path()
    });
    assert!(!left, "a child of the worker still runs");
}

#[test]
fn what_harms_when_it_is_loaded_harms_no_companion_of_its_compilation() {
    let folder = tempfile::tempdir().expect("a folder");
    for (does, status, reason) in [
        (20, Status::Crashed, "SIGABRT"),
        (21, Status::TimedOut, "did not end within"),
        (22, Status::RunFailed, "its current folder"),
    ] {
        let mut client = ready(folder.path(), DOCUMENT, KERNEL, true);
        let companions = [does, does + 10, 0];
        let configurations = companions.map(configuration);
        client.compile(5003, &configurations, PATIENT).expect("compiled together");
        let short = Duration::from_secs(6);
        for good in [does + 10, 0] {
            let outcome = tried(&mut client, good, short);
            assert_eq!(outcome.status, Status::Measured, "{good} beside {does}: {outcome:?}");
        }
        let outcome = tried(&mut client, does, short);
        assert_eq!(outcome.status, status, "{does}: {outcome:?}");
        assert!(outcome.reason.contains(reason), "{does}: {}", outcome.reason);
    }
}

#[test]
fn who_cannot_be_taken_apart_for_lack_of_space_does_not_answer_for_its_companions() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = ready_until_full(folder.path(), DOCUMENT, KERNEL);
    let companions = [20, 30, 0].map(configuration);
    client.compile(5003, &companions, PATIENT).expect("compiled together");
    let full = folder.path().join("full");
    std::fs::write(&full, "").expect("written");
    let outcome = tried(&mut client, 30, PATIENT);
    let lacking = client.take_lacking();
    assert!(lacking.is_some_and(|why| why.contains("No space left")), "{outcome:?}");
    std::fs::remove_file(&full).expect("removed");
    assert_eq!(tried(&mut client, 30, PATIENT).status, Status::Measured);
    assert_eq!(tried(&mut client, 20, PATIENT).status, Status::Crashed);
}
