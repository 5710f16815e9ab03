//! Facts of the processor, and reasons to distrust timings on it now.

use std::{collections::BTreeMap, fs, path::Path};

use device::{
    DeviceInfo,
    load::{self, Load},
    machine::processor_name,
};
use space::accuracy::Element;

use super::{compiler::Compiler, launch::BLOCK_LIMIT};

/// Bytes of the last-level cache, if the machine does not tell.
const USUAL_CACHE: u64 = 32 << 20;

pub(super) fn info(compiler: &Compiler, cores: &[usize], memory: (u64, u64)) -> DeviceInfo {
    let machine = Path::new("/sys/devices/system/cpu");
    let cache_bytes = last_caches(machine, cores).unwrap_or(USUAL_CACHE);
    let caches = caches(machine, cores.first().copied().unwrap_or(0));
    let mut facts = BTreeMap::new();
    let mut fact = |name: &str, value: String| facts.insert(name.to_owned(), value);
    fact("cores", cores.len().to_string());
    fact("cores_of_machine", online().to_string());
    fact("architecture", std::env::consts::ARCH.to_owned());
    for cache in &caches {
        let kind = if cache.kind == "Unified" { "" } else { cache.kind.as_str() };
        let name = format!("cache_l{}{}", cache.level, kind.to_lowercase());
        fact(&name, format!("{} KiB", cache.bytes >> 10));
    }
    if let Some(governor) = governor(cores) {
        fact("governor", governor);
    }
    if let Some(load) = Load::now() {
        fact("load_average", load.average.to_string());
    }
    if let Some(kernel) = read("/proc/sys/kernel/osrelease") {
        fact("kernel", kernel);
    }
    DeviceInfo {
        backend: "cpu".to_owned(),
        ordinal: 0,
        name: processor_name(Path::new("/")),
        compiler: compiler.version.clone(),
        memory,
        block_limit: BLOCK_LIMIT,
        cache_bytes,
        peak_bandwidth: None,
        peak_flops: None,
        formats: Element::ALL.to_vec(),
        facts,
        warnings: warnings(cores),
    }
}

/// Whether this is a virtual machine, as far as the processor tells.
pub(super) fn is_virtual() -> bool {
    cpuinfo("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"))
}

/// Reasons to distrust timings now, one sentence each.
fn warnings(cores: &[usize]) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(governor) = governor(cores).filter(|governor| governor != "performance") {
        warnings.push(format!(
            "the frequency governor is `{governor}`: clocks will wander; \
             `cpupower frequency-set -g performance` keeps them still"
        ));
    }
    warnings.extend(load::warning(cores.len()));
    if is_virtual() {
        warnings.push(
            "this is a virtual machine: neighbours may share its caches and memory".to_owned(),
        );
    }
    warnings
}

struct CacheLevel {
    level: u32,
    kind: String,
    bytes: u64,
    /// The cores that share the cache, as the kernel lists them.
    shared_by: String,
}

/// Total bytes of the last-level caches of these cores. Chiplets and sockets may each have their
/// own, and data is cold only if none of these caches holds it.
fn last_caches(machine: &Path, cores: &[usize]) -> Option<u64> {
    let last: BTreeMap<String, u64> = cores
        .iter()
        .filter_map(|core| {
            let last = caches(machine, *core).into_iter().max_by_key(|cache| cache.level)?;
            Some((last.shared_by, last.bytes))
        })
        .collect();
    (!last.is_empty()).then(|| last.values().sum())
}

fn caches(machine: &Path, core: usize) -> Vec<CacheLevel> {
    let folder = machine.join(format!("cpu{core}/cache"));
    let mut caches: Vec<CacheLevel> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let text = |name: &str| read(entry.path().join(name));
            Some(CacheLevel {
                level: text("level")?.parse().ok()?,
                kind: text("type")?,
                bytes: size(&text("size")?)?,
                shared_by: text("shared_cpu_list").unwrap_or_else(|| core.to_string()),
            })
        })
        .collect();
    caches.sort_by(|a, b| (a.level, &a.kind).cmp(&(b.level, &b.kind)));
    caches
}

/// Parses sizes such as `48K` and `2M`.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn governor(cores: &[usize]) -> Option<String> {
    let core = cores.first()?;
    read(format!("/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"))
}

fn online() -> usize {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines().filter(|line| line.starts_with("processor")).count()
}

fn cpuinfo(field: &str) -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with(field))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_caches_are_read_as_the_kernel_writes_them() {
        assert_eq!(size("48K"), Some(48 << 10));
        assert_eq!(size("2M"), Some(2 << 20));
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("K"), None);
    }

    #[test]
    fn last_caches_count_once_for_all_cores_that_share_them() {
        let machine = tempfile::tempdir().expect("a folder");
        for core in 0..4 {
            let shared = if core < 2 { "0-1" } else { "2-3" };
            for (index, level, bytes, by) in
                [(0, "1", "32K", core.to_string()), (3, "3", "16M", shared.to_owned())]
            {
                let folder = machine.path().join(format!("cpu{core}/cache/index{index}"));
                fs::create_dir_all(&folder).expect("a folder");
                for (name, text) in [
                    ("level", level),
                    ("type", "Unified"),
                    ("size", bytes),
                    ("shared_cpu_list", by.as_str()),
                ] {
                    fs::write(folder.join(name), text).expect("written");
                }
            }
        }
        assert_eq!(last_caches(machine.path(), &[0, 1]), Some(16 << 20));
        assert_eq!(last_caches(machine.path(), &[1, 2, 3]), Some(32 << 20));
        assert_eq!(last_caches(machine.path(), &[9]), None);
    }
}
