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
        self.write_as(&self.record(), path, rng);
    }

    /// The record of the study.
    pub(crate) fn record(&self) -> StudyRecord {
        let device = DeviceRecord { name: self.device.to_owned(), ..DeviceRecord::default() };
        let benchmark =
            BenchmarkRecord { name: self.benchmark.to_owned(), ..BenchmarkRecord::default() };
        StudyRecord::new(vec![], Host::default(), device, benchmark, StudySettings::default())
    }

    /// Writes the study with this record.
    pub(crate) fn write_as(&self, record: &StudyRecord, path: &Path, rng: &mut Rng) {
        let folder = StudyFolder::create_at(path).expect("a folder");
        folder.write_study(record).expect("written");
        let mut journal = Journal::create(&folder).expect("a journal");
        let configuration = Named(vec![("block".to_owned(), 256.into())]);
        for size in SIZES {
            let opened = SizeOpened { size, ..SizeOpened::default() };
            journal.append(Event::SizeOpened(opened)).expect("appended");
        }
        // The same machine speed for all sizes of the study.
        let study = self.wander * normal(rng);
        let mut seconds = vec![Vec::new(); SIZES.len()];
        let mut rounds = Vec::new();
        let mut stretch = 0.0;
        for at in 0..ROUNDS {
            if at % (ROUNDS / 8) == 0 {
                stretch = self.wander * normal(rng);
            }
            let samples = SIZES.iter().enumerate().map(|(entry, size)| {
                let noise = study + stretch + 0.01 * normal(rng);
                let sample = self.slowness * 1e-9 * *size as f64 * noise.exp();
                seconds[entry].push(sample);
                RoundSample(entry, sample, 0.0)
            });
            rounds.push(Round { samples: samples.collect(), ..Round::default() });
        }
        let entries = SIZES.map(|size| RoundEntry {
            size,
            configuration: configuration.clone(),
            batch: 1,
            dropped: None,
        });
        let event =
            RoundsEvent { first: 1, entries: entries.into(), rounds, ..RoundsEvent::default() };
        journal.append(Event::Rounds(event)).expect("appended");
        for (size, samples) in SIZES.into_iter().zip(&seconds) {
            let best = Figure {
                configuration: configuration.clone(),
                seconds: Summary::of(samples).expect("samples"),
                metric: None,
                error: None,
                unsettled: false,
                metrics: Default::default(),
            };
            let rounds = ROUNDS as u64;
            let closed = SizeClosed { size, best: Some(best), rounds, ..SizeClosed::default() };
            journal.append(Event::SizeClosed(closed)).expect("appended");
        }
        journal.append(Event::Finished { seconds: 1.0 }).expect("appended");
    }
}
