//! Rounds: configurations of many sizes, each once in every round, in an order that was drawn for
//! it. What the machine does meanwhile falls on all sizes alike (randomized multiple interleaved
//! trials, Abedi and Brecht, 2017).

use std::time::Instant;

use super::{
    Checking, Entrant, MeasurePlan, RoundsTaken,
    checked::{self, Judge},
    copying::Sentinel,
    opened::{Opened, failed},
    stop::Stop,
    trial::Ready,
};
use crate::{
    records::{Costs, Round, RoundSample},
    workload::Workload,
};

/// An entrant that is ready.
struct Racer {
    workload: Workload,
    ready: Ready,
    /// Runs in a sample.
    batch: u32,
}

impl Opened {
    /// Takes rounds until all orders were followed or time is out. Whoever fails is handed out with
    /// its reason, and takes part no more.
    pub(super) fn rounds(
        &mut self,
        entrants: &[Entrant],
        orders: &[Vec<usize>],
        seconds: f64,
        checking: &Checking,
    ) -> RoundsTaken {
        let start = Instant::now();
        let judged = self.judge(checking);
        let mut taken = RoundsTaken { batches: vec![0; entrants.len()], ..RoundsTaken::default() };
        let mut racers: Vec<Option<Racer>> = entrants.iter().map(|_| None).collect();
        for (at, of) in entrants.iter().enumerate() {
            if orders.iter().any(|order| order.contains(&at)) {
                match self.racer(of, judged, &mut taken.costs) {
                    Ok(racer) => racers[at] = Some(racer),
                    Err(stop) => taken.dropped.push((at, failed(stop))),
                }
            }
        }
        if self.sentinel.is_none() {
            self.sentinel = Sentinel::new(self.device.as_mut());
        }
        let preparing = taken.costs.total();
        let started = Instant::now();
        for order in orders {
            if !taken.rounds.is_empty() && started.elapsed().as_secs_f64() >= seconds {
                break;
            }
            let sentinel = self.sentinel.and_then(|sentinel| sentinel.copy(self.device.as_mut()));
            let mut round = Round { sentinel, ..Round::default() };
            for at in order.iter().copied() {
                let Some(racer) = racers.get_mut(at).and_then(Option::take) else { continue };
                match self.turn(racer, &entrants[at], judged, &mut taken.costs) {
                    Ok((racer, sample)) => {
                        round.samples.push(RoundSample(at, sample.0, sample.1));
                        racers[at] = Some(racer);
                    }
                    Err(stop) => taken.dropped.push((at, failed(stop))),
                }
            }
            let throttled = self.device.sensors().and_then(|sensors| sensors.read().throttled);
            round.throttled = throttled.unwrap_or(false);
            taken.rounds.push(round);
        }
        let intact = self.all_intact(&racers);
        let alone = racers.iter().flatten().count() == 1;
        if let (Err(stop), false) = (&intact, alone) {
            taken.spoilt = Some(stop.reason.clone());
            taken.rounds.clear();
            racers.clear();
        }
        for (at, racer) in racers.into_iter().enumerate() {
            let Some(racer) = racer else { continue };
            taken.batches[at] = racer.batch;
            match &intact {
                Ok(()) => {
                    let Entrant { size, configuration } = &entrants[at];
                    self.remember((*size, configuration.clone(), judged.1), racer.ready);
                }
                Err(stop) => taken.dropped.push((at, failed(stop.clone()))),
            }
        }
        let again = taken.costs.total() - preparing;
        taken.costs.measure = (started.elapsed().as_secs_f64() - again).max(0.0);
        let known = taken.costs.total();
        taken.costs.overhead = (start.elapsed().as_secs_f64() - known).max(0.0);
        taken
    }

    /// Whether all guard zones and everybody's inputs are as they were.
    fn all_intact(&mut self, racers: &[Option<Racer>]) -> Result<(), Stop> {
        let mut present = racers.iter().flatten();
        let Some(Racer { workload, ready, .. }) = present.next() else { return Ok(()) };
        let device = self.device.as_mut();
        checked::intact(device, &mut self.arena, workload, &ready.seating)?;
        for Racer { workload, ready, .. } in present {
            self.arena.inspect(device, workload, &ready.seating)?;
        }
        Ok(())
    }

    /// One sample of an entrant, and the seconds that others took from it. Where its buffers had to
    /// make room for another's, they are made ready again first.
    fn turn(
        &mut self,
        racer: Racer,
        of: &Entrant,
        judged: (Judge, u64),
        costs: &mut Costs,
    ) -> Result<(Racer, (f64, f64)), Stop> {
        let racer = match self.arena.is_current(&racer.ready.seating) {
            true => racer,
            false => {
                self.remember((of.size, of.configuration.clone(), judged.1), racer.ready);
                self.racer(of, judged, costs)?
            }
        };
        let mut bench = self.tools();
        let sample = bench.sample(&racer.ready, racer.batch, &mut costs.kernel)?;
        Ok((racer, (sample.seconds, sample.disturbance.lost())))
    }

    /// Makes an entrant ready, and decides how many runs its samples have.
    fn racer(
        &mut self,
        of: &Entrant,
        judged: (Judge, u64),
        costs: &mut Costs,
    ) -> Result<Racer, Stop> {
        let Entrant { size, configuration } = of;
        let workload = self.workload(*size, configuration)?;
        let recalled = self.recall(&(*size, configuration.clone(), judged.1));
        // Only what lost its buffers needs the benchmark's own code.
        let seated = recalled.as_ref().is_some_and(|r| self.arena.is_current(&r.seating));
        let mut ready = match recalled {
            Some(mut ready) if seated => {
                ready.kernel = self.kernels.get(self.device.as_mut(), &workload.job)?;
                ready
            }
            recalled => {
                let (mut bench, mut code) = self.bench(*size, judged.1)?;
                match recalled {
                    Some(mut ready) => {
                        bench.refresh(&mut ready, &workload, &mut code, judged.1)?;
                        ready
                    }
                    None => bench.ready(&workload, &mut code, judged, false, costs)?,
                }
            }
        };
        costs.fill += self.arena.take_filling();
        let choice = self.tools().choose(&mut ready, &MeasurePlan::default(), &mut costs.kernel)?;
        Ok(Racer { workload, ready, batch: choice.batch })
    }
}
