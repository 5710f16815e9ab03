//! Findings about a device, as lines of text.

use records::{CacheProof, CachesRecord};
use report::exporters::quantities::{bytes, grouped, seconds, significant};
use study::health::{CONFIDENCE, Examined, HostFacts, POWER, Quota, Resolution, WorkNoise};

const UNKNOWN: &str = "unknown";

pub(super) fn lines(examined: &Examined) -> Vec<String> {
    let facts = columns(&facts(examined)).into_iter();
    let mut lines: Vec<String> = facts.map(|line| format!("  {line}")).collect();
    lines.extend(titled("cold", cold(&examined.caches)));
    let watched = format!("noise of the same reads, watched for {}", seconds(examined.seconds));
    lines.extend(titled(&watched, columns(&noise(&examined.noise))));
    let mut seen = columns(&resolved(&examined.noise));
    seen.push("in turn: both in rounds over this time, so that drift cancels".to_owned());
    seen.push("apart: each at a moment of its own within this time".to_owned());
    lines.extend(titled(&what_is_seen(), seen));
    let mut advice = examined.advice.clone();
    if advice.is_empty() {
        advice.push("nothing: what can be told from here is as it should be".to_owned());
    }
    lines.extend(titled("what to change", advice));
    lines
}

/// A section: an empty line, its title, and its lines indented.
fn titled(title: &str, lines: Vec<String>) -> Vec<String> {
    let inner = lines.into_iter().map(|line| format!("    {line}"));
    [String::new(), format!("  {title}")].into_iter().chain(inner).collect()
}

fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let width = |at: usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max()
    };
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate();
        let cells = cells.map(|(at, cell)| format!("{cell:w$}  ", w = width(at).unwrap_or(0)));
        cells.collect::<String>().trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn facts(examined: &Examined) -> Vec<Vec<String>> {
    let (host, meanwhile, sensors) = (&examined.host, &examined.meanwhile, &examined.sensors);
    let (resolution, cost) = examined.timer;
    let of_cores =
        |share: Option<f64>| known(share, |share| percent(share) + " of the cores' time");
    let mut facts = vec![
        ("governor", known(host.governors.as_ref(), |all| all.join(", "))),
        ("turbo", known(host.turbo.as_ref(), |turbo| on_or_off(turbo.on))),
        ("smt siblings", siblings(host)),
        ("virtual machine", known(host.virtual_machine, yes_or_no)),
        ("load before", known(host.load, |load| format!("{load} on {} cores", host.cores.len()))),
        ("cpu quota", known(host.quota, quota)),
        ("clock source", known(host.clock_source.clone(), |source| source)),
        ("timer", format!("tells {} apart, takes {}", seconds(resolution), seconds(cost))),
        ("stolen time", of_cores(meanwhile.stolen)),
        ("other programs", of_cores(meanwhile.others)),
        ("preemptions", known(meanwhile.preemptions, |n| format!("{} a second", three(n)))),
    ];
    if let (Some(Quota::Cores(_)), Some(share)) = (host.quota, meanwhile.held_back) {
        facts.push(("held back", percent(share) + " of the time, by the cpu quota"));
    }
    let mhz = |hertz: f64| format!("{:.0}", hertz / 1e6);
    facts.extend(
        sensors.clock.map(|(low, high)| ("clock", format!("{} to {} MHz", mhz(low), mhz(high)))),
    );
    facts.extend(sensors.temperature.map(|most| ("temperature", format!("up to {most:.0} °C"))));
    facts.extend(sensors.throttled.map(|share| ("throttled", percent(share) + " of the readings")));
    facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect()
}

fn known<T>(value: Option<T>, in_words: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), in_words)
}

fn on_or_off(is: bool) -> String {
    if is { "on" } else { "off" }.to_owned()
}

fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn quota(quota: Quota) -> String {
    match quota {
        Quota::Unlimited => "none".to_owned(),
        Quota::Cores(cores) => format!("{} cores", three(cores)),
    }
}

fn siblings(host: &HostFacts) -> String {
    let Some(siblings) = &host.siblings else { return UNKNOWN.to_owned() };
    let list = |threads: &[usize], between: &str| {
        threads.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
    };
    let together: Vec<String> = siblings.together.iter().map(|group| list(group, "+")).collect();
    let mut said = Vec::new();
    if !together.is_empty() {
        said.push(format!("in use together: {}", together.join(", ")));
    }
    if !siblings.outside.is_empty() {
        said.push(format!("left to others: {}", list(&siblings.outside, ", ")));
    }
    if said.is_empty() { "none".to_owned() } else { said.join("; ") }
}

fn cold(caches: &CachesRecord) -> Vec<String> {
    if caches.proof.is_empty() {
        return vec![format!("{UNKNOWN}: there is no room for the reads that would show it")];
    }
    let titles = ["read", "hot", "cold", "after a flush", "memory", ""];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(caches.proof.iter().map(|proof| {
        let share = format!("{:.0} % of the last cache", 100.0 * proof.share);
        let rates = [proof.hot, proof.cold, proof.flushed, proof.memory].map(rate);
        let mut row = vec![share];
        row.extend(rates);
        row.push(verdict(proof).to_owned());
        row
    }));
    let mut lines = columns(&rows);
    let apart = match caches.bytes {
        0 => String::new(),
        apart => format!(": {} between two uses", bytes(apart as f64)),
    };
    let last = bytes(caches.last_cache as f64);
    lines.push(format!("cold by {}{apart}; the last cache has {last}", caches.by));
    lines.extend(caches.warning().map(|warning| format!("warning: {warning}")));
    lines
}

fn verdict(proof: &CacheProof) -> &'static str {
    match (proof.is_cold(), proof.shows()) {
        (true, true) => "cold is cold, hot is faster",
        (true, false) => "cold is cold, hot is hardly faster",
        (false, _) => "not quite cold",
    }
}

fn noise(all: &[WorkNoise]) -> Vec<Vec<String>> {
    let row = |name: String, cell: &dyn Fn(&WorkNoise) -> String| -> Vec<String> {
        std::iter::once(name).chain(all.iter().map(cell)).collect()
    };
    let stretch = all.iter().find_map(|noise| noise.drift).map(|drift| drift.stretch);
    let stretch = stretch.map(|stretch| format!(" {}", seconds(stretch))).unwrap_or_default();
    vec![
        row("from".to_owned(), &|noise| noise.work.clone()),
        row("a sample".to_owned(), &|noise| {
            let runs = if noise.runs > 1 { format!("{} × ", noise.runs) } else { String::new() };
            let time = seconds(noise.median * f64::from(noise.runs));
            format!("{runs}{}, {time}", bytes(noise.bytes as f64))
        }),
        row("samples".to_owned(), &|noise| grouped(noise.samples as u64)),
        row("median".to_owned(), &|noise| rate(noise.rate())),
        row("spread".to_owned(), &|noise| percent(noise.spread)),
        row("slowest 1 %".to_owned(), &|noise| {
            format!("{} times the median or more", three(1.0 + noise.tail))
        }),
        row("disturbed".to_owned(), &|noise| {
            known(noise.disturbed, |share| percent(share) + " of the samples")
        }),
        row(format!("fastest{stretch}"), &|noise| {
            known(noise.drift, |drift| percent(-drift.fastest) + " less time")
        }),
        row(format!("slowest{stretch}"), &|noise| {
            known(noise.drift, |drift| percent(drift.slowest) + " more time")
        }),
    ]
}

fn what_is_seen() -> String {
    format!(
        "smallest difference that is seen ({:.0} % confidence, {:.0} % power)",
        100.0 * CONFIDENCE,
        100.0 * POWER
    )
}

fn resolved(all: &[WorkNoise]) -> Vec<Vec<String>> {
    let Some(first) = all.first() else { return Vec::new() };
    let counts = first.resolves.iter().map(|answer| answer.samples.to_string());
    let mut rows = vec![std::iter::once("samples of each".to_owned()).chain(counts).collect()];
    let in_turn: fn(&Resolution) -> Option<f64> = |answer| answer.in_turn;
    let ways = [("in turn", in_turn), ("apart", |answer| answer.apart)];
    for noise in all {
        for (way, of) in ways {
            let cells = noise.resolves.iter().map(|answer| known(of(answer), percent));
            let name = format!("{}, {way}", noise.work);
            rows.push(std::iter::once(name).chain(cells).collect::<Vec<String>>());
        }
    }
    rows
}

fn rate(bytes_per_second: f64) -> String {
    format!("{} GB/s", three(bytes_per_second / 1e9))
}

fn three(value: f64) -> String {
    significant(value, 3)
}

/// A percentage with two digits. Shares below 0.01 % are noise and shown as 0.
fn percent(share: f64) -> String {
    if share.abs() < 1e-4 {
        "0 %".to_owned()
    } else {
        format!("{} %", significant(100.0 * share, 2))
    }
}

#[cfg(test)]
mod tests {
    use records::{Steadiness, SteadySample, SteadyWork};
    use study::health::Meanwhile;

    use super::*;

    fn examined() -> Examined {
        let samples = (0..100).map(|at| SteadySample(0.01 * f64::from(at), 1e-3, 0.0)).collect();
        let work = SteadyWork { name: "memory".to_owned(), bytes: 8 << 20, runs: 2, samples };
        let steadiness = Steadiness { works: vec![work], sensed: Vec::new(), timer: (1e-9, 2e-8) };
        let (host, meanwhile) = (HostFacts::default(), Meanwhile::default());
        Examined::new(host, meanwhile, CachesRecord::default(), &steadiness, 1.0, false).advised()
    }

    #[test]
    fn what_is_not_known_is_said_to_be_unknown() {
        let said = lines(&examined());
        for name in ["governor", "turbo", "smt siblings", "stolen time", "disturbed", "unknown: "] {
            let line = said.iter().find(|line| line.trim_start().starts_with(name));
            assert!(line.is_some_and(|line| line.contains(UNKNOWN)), "{name}: {said:#?}");
        }
    }

    #[test]
    fn columns_stand_below_each_other() {
        let said = lines(&examined());
        let at = said.iter().position(|line| line.contains("samples of each")).expect("a table");
        let expected = [
            "    samples of each  10   30       100      300",
            "    memory, in turn  0 %  0 %      unknown  unknown",
            "    memory, apart    0 %  unknown  unknown  unknown",
        ];
        assert_eq!(said[at..at + 3], expected);
    }
}
