//! Process state that a configuration must not change: signals, limits, descriptors, the current
//! folder, the locale, the environment, timers, threads, children. A kernel that changes any of
//! these fails, and the next kernel gets a new process.
#![expect(unsafe_code, reason = "asks the C library for the locale and a timer")]

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{CStr, OsString},
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Resource, WaitOptions, getrlimit, wait};

use super::trial_failure::TrialFailure;

/// Lines of `/proc/self/status` that must not change.
const STATUS: [(&str, &str); 4] = [
    ("Umask", "the mask of permissions"),
    ("SigBlk", "which signals are blocked"),
    ("SigIgn", "which signals are ignored"),
    ("SigCgt", "which signals are handled"),
];
const LIMITS: [(Resource, &str); 10] = [
    (Resource::Nofile, "open files"),
    (Resource::Fsize, "the length of files"),
    (Resource::As, "memory"),
    (Resource::Data, "data"),
    (Resource::Stack, "the stack"),
    (Resource::Core, "core files"),
    (Resource::Cpu, "processor time"),
    (Resource::Nproc, "processes"),
    (Resource::Memlock, "locked memory"),
    (Resource::Rss, "resident memory"),
];

/// Longest wait for the system to remove a joined thread from its list.
const GONE_WITHIN: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProcessState {
    status: BTreeMap<&'static str, String>,
    limits: Vec<(Option<u64>, Option<u64>)>,
    /// Thread numbers. Some of our own threads may be about to end.
    threads: BTreeSet<i32>,
    /// Target of every open descriptor.
    descriptors: BTreeMap<i32, PathBuf>,
    folder: Option<PathBuf>,
    locale: Vec<u8>,
    environment: Vec<(OsString, OsString)>,
    alarm: bool,
    children: bool,
}

impl ProcessState {
    pub(super) fn now() -> Self {
        Self { children: children_run(), ..Self::without_children() }
    }

    /// The state without children, since asking for children reaps those that have ended.
    fn without_children() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let told = |name: &str| {
            let value =
                |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
            status.lines().find_map(value).unwrap_or_default()
        };
        Self {
            status: STATUS.iter().map(|(name, _)| (*name, told(name))).collect(),
            limits: LIMITS
                .iter()
                .map(|(resource, _)| {
                    let limit = getrlimit(*resource);
                    (limit.current, limit.maximum)
                })
                .collect(),
            threads: threads(),
            descriptors: descriptors(),
            folder: std::env::current_dir().ok(),
            locale: locale(),
            environment: std::env::vars_os().collect(),
            alarm: alarm_is_set(),
            children: false,
        }
    }

    /// Fails with the first change since `before`.
    pub(super) fn unchanged_since(mut self, before: &Self) -> Result<(), TrialFailure> {
        let start = Instant::now();
        while self.has_strangers(before) && start.elapsed() < GONE_WITHIN {
            thread::sleep(Duration::from_millis(1));
            self.threads = threads();
        }
        let changed =
            |what| TrialFailure::run(format!("it changed the process that it runs in: {what}"));
        self.differs(before).map(changed).map_or(Ok(()), Err)
    }

    fn has_strangers(&self, before: &Self) -> bool {
        !before.threads.is_empty() && !self.threads.is_subset(&before.threads)
    }

    /// The first difference, in words. What could not be listed before is skipped.
    fn differs(&self, before: &Self) -> Option<String> {
        for (at, (_, what)) in LIMITS.iter().enumerate() {
            if self.limits[at] != before.limits[at] {
                return Some(format!("its limit on {what}"));
            }
        }
        if self.status.values().all(String::is_empty) && self.status != before.status {
            return Some("its open files: no more can be opened".to_owned());
        }
        for (name, what) in STATUS {
            let (was, is) = (&before.status[name], &self.status[name]);
            if was != is {
                return Some(format!("{what} (from {was} to {is})"));
            }
        }
        if self.has_strangers(before) {
            return Some("it left a thread running".to_owned());
        }
        for (number, target) in &before.descriptors {
            match self.descriptors.get(number) {
                None => return Some(format!("its open files: it closed descriptor {number}")),
                Some(now) if now != target => {
                    let now = now.display();
                    return Some(format!(
                        "its open files: descriptor {number} leads to `{now}` now"
                    ));
                }
                Some(_) => {}
            }
        }
        let opened =
            self.descriptors.iter().find(|(number, _)| !before.descriptors.contains_key(number));
        if let Some((_, target)) = opened.filter(|_| !before.descriptors.is_empty()) {
            let count = self.descriptors.len() - before.descriptors.len();
            let target = target.display();
            return Some(format!("its open files: it left {count} open, the first `{target}`"));
        }
        if self.folder != before.folder {
            return Some("its current folder".to_owned());
        }
        if self.locale != before.locale {
            return Some("its locale".to_owned());
        }
        if self.environment != before.environment {
            return Some("its environment variables".to_owned());
        }
        if self.alarm != before.alarm {
            return Some("its alarm timer".to_owned());
        }
        (self.children && !before.children).then(|| "it left a process running".to_owned())
    }
}

fn threads() -> BTreeSet<i32> {
    let entries = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn descriptors() -> BTreeMap<i32, PathBuf> {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return BTreeMap::new() };
    let entry = |entry: fs::DirEntry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        // The descriptor of this listing itself is closed by now.
        Some((number, fs::read_link(entry.path()).ok()?))
    };
    entries.flatten().filter_map(entry).filter(|(_, target)| !is_own(target)).collect()
}

/// Whether this is the descriptor of the listing itself.
fn is_own(target: &std::path::Path) -> bool {
    target.starts_with("/proc") && target.ends_with("fd")
}

fn locale() -> Vec<u8> {
    // SAFETY: a null locale only asks. The answer is read before anything else can set a locale.
    let name = unsafe { libc::setlocale(libc::LC_ALL, std::ptr::null()) };
    if name.is_null() {
        return Vec::new();
    }
    // SAFETY: `setlocale` returned this string, and it is not null.
    unsafe { CStr::from_ptr(name) }.to_bytes().to_vec()
}

/// Whether any child runs. Reaps children that have ended.
fn children_run() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

fn alarm_is_set() -> bool {
    let mut timer = std::mem::MaybeUninit::<libc::itimerval>::zeroed();
    // SAFETY: the timer is zeroed, and the call writes all of it if it succeeds.
    let timer = unsafe {
        libc::getitimer(libc::ITIMER_REAL, timer.as_mut_ptr());
        timer.assume_init()
    };
    timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        // Other tests have children in this process.
        let before = ProcessState::without_children();
        let told = |change: fn(&mut ProcessState)| {
            let mut now = before.clone();
            change(&mut now);
            now.differs(&before).unwrap_or_default()
        };
        assert!(
            told(|now| now.status.insert("SigIgn", "ff".to_owned()).map(drop).unwrap_or(()))
                .contains("ignored (from")
        );
        assert!(told(|now| now.limits[0] = (Some(0), Some(0))).contains("limit on open files"));
        assert!(told(|now| now.descriptors.clear()).contains("closed descriptor"));
        assert!(told(|now| now.folder = None).contains("current folder"));
        assert!(told(|now| now.locale = b"de".to_vec()).contains("locale"));
        assert!(told(|now| now.environment.clear()).contains("environment"));
        assert!(told(|now| now.alarm = true).contains("alarm"));
        assert!(told(|now| now.children = true).contains("left a process"));
        assert!(told(|now| now.threads.extend([i32::MAX])).contains("left a thread"));
        assert_eq!(told(|now| now.threads.clear()), "", "one of ours has ended");
        let opened = |now: &mut ProcessState| {
            now.descriptors.insert(99, PathBuf::from("/dev/null"));
        };
        assert!(told(opened).contains("left 1 open, the first `/dev/null`"));
        assert_eq!(before.differs(&before), None);
    }
}
