//! Advice on how to get steadier numbers, based only on what was observed.

use super::{Examined, HostFacts, Meanwhile, Quota};

/// Largest shares of time without advice. The time is taken by the host of a virtual machine, by
/// other programs, or by a CPU quota.
const STOLEN: f64 = 0.001;
const OTHERS: f64 = 0.02;
const HELD_BACK: f64 = 0.001;
/// Largest range of a device's clock without advice, relative to its highest value.
const CLOCK: f64 = 0.01;
/// Largest difference between the slowest and the fastest stretch without advice, relative to the
/// overall median.
const DRIFT: f64 = 0.02;
/// Clock sources that are slow to read.
const SLOW_CLOCKS: [&str; 4] = ["hpet", "acpi_pm", "jiffies", "refined-jiffies"];

impl Examined {
    /// Returns the same result with advice.
    #[must_use]
    pub fn advised(self) -> Self {
        Self { advice: advice(&self), ..self }
    }
}

fn advice(examined: &Examined) -> Vec<String> {
    let mut said = clocks(&examined.host);
    said.extend(sharing(&examined.host, &examined.meanwhile));
    said.extend(device(examined));
    said
}

/// Returns advice on settings that make the host's clocks vary or its timer slow.
fn clocks(host: &HostFacts) -> Vec<String> {
    let mut said = Vec::new();
    let governors = host.governors.iter().flatten();
    let wandering: Vec<&str> =
        governors.map(String::as_str).filter(|governor| *governor != "performance").collect();
    if !wandering.is_empty() {
        said.push(format!(
            "governor: `cpupower frequency-set -g performance` keeps clocks still (now {})",
            wandering.join(", ")
        ));
    }
    if let Some(turbo) = host.turbo.as_ref().filter(|turbo| turbo.on) {
        said.push(format!(
            "turbo: clocks depend on heat and on how many cores work; `echo {} > {}` as root turns \
             it off, for steadier and lower figures",
            turbo.off, turbo.file
        ));
    }
    if let Some(source) = host.clock_source.as_deref().filter(|it| SLOW_CLOCKS.contains(it)) {
        said.push(format!(
            "timer: the system's clock reads `{source}`, which is slow; boot with \
             `clocksource=tsc` where the processor's own is sound"
        ));
    }
    said
}

/// Returns advice on other users of these cores.
fn sharing(host: &HostFacts, meanwhile: &Meanwhile) -> Vec<String> {
    let mut said = Vec::new();
    let above = |share: Option<f64>, limit: f64| share.filter(|share| *share > limit);
    if let Some(siblings) = &host.siblings {
        if !siblings.together.is_empty() {
            said.push(format!(
                "smt: `taskset -c {} autobench …` leaves one thread to each core",
                numbers(&siblings.one_of_each(&host.cores))
            ));
        }
        if !siblings.outside.is_empty() {
            said.push(format!(
                "smt: keep {} idle, or turn them off: they share cores with those in use",
                numbers(&siblings.outside)
            ));
        }
    }
    if let Some(others) = above(meanwhile.others, OTHERS) {
        said.push(format!(
            "other programs took {} of the cores' time: close them, or keep to cores that they do \
             not use (`taskset -c`)",
            percent(others)
        ));
    }
    if let Some(stolen) = above(meanwhile.stolen, STOLEN) {
        said.push(format!(
            "the host of this virtual machine gave {} of its cores' time to others: a machine with \
             cores of its own, or a quieter hour",
            percent(stolen)
        ));
    }
    if let (Some(Quota::Cores(limit)), Some(held_back)) =
        (host.quota, above(meanwhile.held_back, HELD_BACK))
    {
        said.push(format!(
            "the group's limit of {limit:.2} cores held threads back for {} of the time: raise it, \
             or give the group whole cores (cpuset)",
            percent(held_back)
        ));
    }
    said
}

fn device(examined: &Examined) -> Vec<String> {
    let mut said = Vec::new();
    let sensors = &examined.sensors;
    let throttled = sensors.throttled.filter(|share| *share > 0.0);
    if let Some(share) = throttled {
        said.push(format!(
            "heat or a limit of power held the device's clock down in {} of the readings: \
             `--control sm_clock=MHZ` below that holds it still",
            percent(share)
        ));
    }
    let wandered = sensors.clock.filter(|(low, high)| high - low > CLOCK * high);
    if let (None, Some((low, high))) = (throttled, wandered) {
        said.push(format!(
            "the device's clock wandered between {:.0} and {:.0} MHz: `--control sm_clock=MHZ` \
             holds it still",
            low / 1e6,
            high / 1e6
        ));
    }
    let drifts = examined.noise.iter().filter_map(|noise| noise.drift);
    if drifts.into_iter().any(|drift| drift.slowest - drift.fastest > DRIFT) {
        said.push(
            "the machine drifts within seconds: compare configurations within one study, where they \
             are measured in turn, and not between runs"
                .to_owned(),
        );
    }
    if examined.host.virtual_machine == Some(true) && examined.caches.warning().is_some() {
        said.push(
            "neighbours of this virtual machine may use its last cache: only a machine of your own \
             keeps it to yourself"
                .to_owned(),
        );
    }
    said
}

fn numbers(cores: &[usize]) -> String {
    cores.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use records::{CachesRecord, Steadiness};

    use super::{
        super::{SensorRanges, Siblings, Turbo},
        *,
    };

    fn examined(host: HostFacts, meanwhile: Meanwhile) -> Examined {
        Examined::new(host, meanwhile, CachesRecord::default(), &Steadiness::default(), 1.0, true)
            .advised()
    }

    #[test]
    fn nothing_is_said_of_what_is_not_known_or_as_it_should_be() {
        assert!(examined(HostFacts::default(), Meanwhile::default()).advice.is_empty());
        let host = HostFacts {
            cores: vec![0, 1],
            governors: Some(vec!["performance".to_owned()]),
            siblings: Some(Siblings { together: Vec::new(), outside: Vec::new() }),
            quota: Some(Quota::Cores(1.0)),
            clock_source: Some("tsc".to_owned()),
            ..HostFacts::default()
        };
        let meanwhile = Meanwhile {
            stolen: Some(0.0),
            others: Some(0.001),
            // Threads that wait for each other leave their cores too: this alone gives no advice.
            preemptions: Some(3000.0),
            held_back: Some(0.0),
        };
        assert!(examined(host, meanwhile).advice.is_empty());
    }

    #[test]
    fn each_thing_that_was_seen_has_its_sentence() {
        let host = HostFacts {
            cores: vec![0, 1, 2],
            governors: Some(vec!["performance".to_owned(), "powersave".to_owned()]),
            turbo: Some(Turbo { on: true, file: "/sys/boost".to_owned(), off: "0".to_owned() }),
            siblings: Some(Siblings { together: vec![vec![0, 1]], outside: vec![5] }),
            quota: Some(Quota::Cores(1.5)),
            clock_source: Some("hpet".to_owned()),
            ..HostFacts::default()
        };
        let meanwhile = Meanwhile {
            stolen: Some(0.04),
            others: Some(0.5),
            preemptions: Some(100.0),
            held_back: Some(0.2),
        };
        let said = examined(host, meanwhile).advice;
        let expected = [
            "(now powersave)",
            "echo 0 > /sys/boost",
            "`hpet`",
            "taskset -c 0,2 ",
            "keep 5 idle",
            "took 50.0 %",
            "gave 4.0 %",
            "1.50 cores held threads back for 20.0 %",
        ];
        assert_eq!(said.len(), expected.len(), "{said:?}");
        for (sentence, part) in said.iter().zip(expected) {
            assert!(sentence.contains(part), "{sentence}: {part}");
        }
    }

    #[test]
    fn a_device_whose_clock_wanders_is_told_how_to_hold_it() {
        let mut examined = examined(HostFacts::default(), Meanwhile::default());
        examined.sensors = SensorRanges { clock: Some((1.2e9, 1.98e9)), ..SensorRanges::default() };
        assert!(advice(&examined)[0].contains("between 1200 and 1980 MHz"));
        examined.sensors.throttled = Some(0.25);
        let said = advice(&examined);
        assert!(said.len() == 1 && said[0].contains("25.0 % of the readings"), "{said:?}");
    }
}
