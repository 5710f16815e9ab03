//! Generated studies, whose speeds are known because nothing is measured.

use std::path::Path;

use math::{Rng, normal};
use records::{
    BenchmarkRecord, DeviceRecord, Event, Figure, Host, Journal, Named, Round, RoundEntry,
    RoundSample, RoundsEvent, SizeClosed, SizeOpened, StudyFolder, StudyRecord, Summary,
    settings::StudySettings,
};

pub(crate) const SIZES: [u64; 6] = [1024, 4096, 16_384, 65_536, 262_144, 1 << 20];
const ROUNDS: usize = 64;

/// A study with a given time per element.
pub(crate) struct Made<'a> {
    pub benchmark: &'a str,
    pub device: &'a str,
    /// Nanoseconds per element.
    pub slowness: f64,
    /// Standard deviation, in logarithms, of the machine speed between studies and within them.
    pub wander: f64,
}

impl Made<'_> {
    pub(crate) fn write(&self, path: &Path, rng: &mut Rng) {
        self.write_as(&self.record(), None, path, rng);
    }

    /// The record of the study.
    pub(crate) fn record(&self) -> StudyRecord {
        let device = DeviceRecord { name: self.device.to_owned(), ..DeviceRecord::default() };
        let benchmark =
            BenchmarkRecord { name: self.benchmark.to_owned(), ..BenchmarkRecord::default() };
        StudyRecord::new(vec![], Host::default(), device, benchmark, StudySettings::default())
    }

    /// Writes the study with this record. Its search found a configuration that takes the share
    /// `better` of the time of the default.
    pub(crate) fn write_as(
        &self,
        record: &StudyRecord,
        better: Option<f64>,
        path: &Path,
        rng: &mut Rng,
    ) {
        let folder = StudyFolder::create_at(path).expect("a folder");
        folder.write_study(record).expect("written");
        let mut journal = Journal::create(&folder).expect("a journal");
        let [default, winner] =
            [256, 512].map(|block| Named(vec![("block".to_owned(), block.into())]));
        // Every size has its default in the rounds, then the winner, if that is another one.
        let mut parts: Vec<(u64, &Named, f64)> =
            SIZES.iter().map(|size| (*size, &default, 1.0)).collect();
        parts.extend(better.iter().flat_map(|share| SIZES.map(|size| (size, &winner, *share))));
        for size in SIZES {
            let opened = SizeOpened { size, ..SizeOpened::default() };
            journal.append(Event::SizeOpened(opened)).expect("appended");
        }
        // The same machine speed for all sizes of the study.
        let study = self.wander * normal(rng);
        let mut seconds = vec![Vec::new(); parts.len()];
        let mut rounds = Vec::new();
        let mut stretch = 0.0;
        for at in 0..ROUNDS {
            if at % (ROUNDS / 8) == 0 {
                stretch = self.wander * normal(rng);
            }
            let samples = parts.iter().enumerate().map(|(entry, (size, _, share))| {
                let noise = study + stretch + 0.01 * normal(rng);
                let sample = share * self.slowness * 1e-9 * *size as f64 * noise.exp();
                seconds[entry].push(sample);
                RoundSample(entry, sample, 0.0)
            });
            rounds.push(Round { samples: samples.collect(), ..Round::default() });
        }
        let entry = |(size, configuration, _): &(u64, &Named, f64)| RoundEntry {
            size: *size,
            configuration: (*configuration).clone(),
            batch: 1,
            dropped: None,
        };
        let entries = parts.iter().map(entry).collect();
        let event = RoundsEvent { first: 1, entries, rounds, ..RoundsEvent::default() };
        journal.append(Event::Rounds(event)).expect("appended");
        let figure = |at: usize| Figure {
            configuration: parts[at].1.clone(),
            seconds: Summary::of(&seconds[at]).expect("samples"),
            metric: None,
            error: None,
            unsettled: false,
            metrics: Default::default(),
        };
        for (at, size) in SIZES.into_iter().enumerate() {
            let best = better.map_or(at, |_| at + SIZES.len());
            let (best, default) = (Some(figure(best)), Some(figure(at)));
            let rounds = ROUNDS as u64;
            let closed = SizeClosed { size, best, default, rounds, ..SizeClosed::default() };
            journal.append(Event::SizeClosed(closed)).expect("appended");
        }
        journal.append(Event::Finished { seconds: 1.0 }).expect("appended");
    }
}
