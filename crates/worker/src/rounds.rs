//! Rounds: configurations of many sizes, each sampled once in every round, in random order, so that
//! changes of the machine affect all sizes alike (randomized multiple interleaved trials, Abedi and
//! Brecht, 2017).

use std::{collections::BTreeSet, time::Instant};

use device::workload::Workload;
use records::{Costs, Round, RoundSample};

use super::{
    Checking, MeasurePlan, Participant, RoundsTaken,
    arena::User,
    checked::{self, ResultCheck},
    opened::{Opened, failed},
    trial::ReadyWorkload,
    trial_failure::TrialFailure,
};

struct PreparedParticipant {
    workload: Workload,
    ready: ReadyWorkload,
    batch: u32,
}

impl Opened {
    /// Does rounds until all orders are followed or time is out. Participants that fail drop out.
    /// With `moved`, sizes first exchange the memory of their copies: what a piece of memory does to
    /// the size that lies in it then meets other sizes.
    pub(super) fn rounds(
        &mut self,
        participants: &[Participant],
        orders: &[Vec<usize>],
        (seconds, moved): (f64, bool),
        checking: &Checking,
    ) -> RoundsTaken {
        let start = Instant::now();
        let judged = self.result_check(checking);
        let mut taken =
            RoundsTaken { batches: vec![0; participants.len()], ..RoundsTaken::default() };
        let mut prepared: Vec<Option<PreparedParticipant>> =
            participants.iter().map(|_| None).collect();
        let sizes: BTreeSet<u64> = participants.iter().map(|of| of.size).collect();
        self.arena.turn_to(self.device.as_mut(), User::Rounds { sizes: sizes.len() as u64 });
        if moved {
            self.arena.free_copies(self.device.as_mut());
        }
        // Memory is given out in the random order of the rounds.
        for at in orders.iter().flatten().copied() {
            let Some(of) = participants.get(at) else { continue };
            let fails = taken.dropped.iter().any(|(other, _)| *other == at);
            if prepared[at].is_none() && !fails {
                let placed = self.arena.placed();
                match self.prepare(of, judged, &mut taken.costs) {
                    Ok(one) => {
                        let copies = one.ready.placement.slots > 1;
                        taken.moved |= copies && self.arena.placed() > placed;
                        prepared[at] = Some(one);
                    }
                    Err(failure) => taken.dropped.push((at, failed(failure))),
                }
            }
        }
        let preparing = taken.costs.total();
        let started = Instant::now();
        for order in orders {
            if !taken.rounds.is_empty() && started.elapsed().as_secs_f64() >= seconds {
                break;
            }
            let mut round = Round::default();
            for at in order.iter().copied() {
                let Some(one) = prepared.get_mut(at).and_then(Option::take) else { continue };
                match self.turn(one, &participants[at], judged, &mut taken.costs) {
                    Ok((one, sample)) => {
                        round.samples.push(RoundSample(at, sample.0, sample.1));
                        prepared[at] = Some(one);
                    }
                    Err(failure) => taken.dropped.push((at, failed(failure))),
                }
            }
            let throttled = self.device.sensors().and_then(|sensors| sensors.throttled());
            round.throttled = throttled.unwrap_or(false);
            taken.rounds.push(round);
        }
        let intact = self.all_intact(&prepared);
        let alone = prepared.iter().flatten().count() == 1;
        if let (Err(failure), false) = (&intact, alone) {
            taken.spoilt = Some(failure.reason.clone());
            taken.rounds.clear();
            prepared.clear();
        }
        for (at, one) in prepared.into_iter().enumerate() {
            let Some(one) = one else { continue };
            taken.batches[at] = one.batch;
            match &intact {
                Ok(()) => {
                    let Participant { size, configuration, .. } = &participants[at];
                    self.remember((*size, configuration.clone(), judged.1), one.ready);
                }
                Err(failure) => taken.dropped.push((at, failed(failure.clone()))),
            }
        }
        let again = taken.costs.total() - preparing;
        taken.costs.measure = (started.elapsed().as_secs_f64() - again).max(0.0);
        let known = taken.costs.total();
        taken.costs.overhead = (start.elapsed().as_secs_f64() - known).max(0.0);
        taken
    }

    fn all_intact(&mut self, prepared: &[Option<PreparedParticipant>]) -> Result<(), TrialFailure> {
        let mut present = prepared.iter().flatten();
        let Some(PreparedParticipant { workload, ready, .. }) = present.next() else {
            return Ok(());
        };
        let device = self.device.as_mut();
        checked::intact(device, &mut self.arena, workload, &ready.placement)?;
        for PreparedParticipant { workload, ready, .. } in present {
            self.arena.inspect(device, workload, &ready.placement)?;
        }
        Ok(())
    }

    /// Takes one sample of a participant. Returns its seconds, and the seconds that other processes
    /// took from it. If its buffers made room for another participant's, they are allocated again
    /// first.
    fn turn(
        &mut self,
        one: PreparedParticipant,
        of: &Participant,
        judged: (ResultCheck, u64),
        costs: &mut Costs,
    ) -> Result<(PreparedParticipant, (f64, f64)), TrialFailure> {
        let one = match self.arena.is_current(&one.ready.placement) {
            true => one,
            false => {
                self.remember((of.size, of.configuration.clone(), judged.1), one.ready);
                self.prepare(of, judged, costs)?
            }
        };
        let mut bench = self.tools();
        let sample = bench.sample(&one.ready, one.batch, &mut costs.kernel)?;
        Ok((one, (sample.seconds, sample.disturbance.lost())))
    }

    /// Makes a participant ready and chooses how many runs its samples have.
    fn prepare(
        &mut self,
        of: &Participant,
        judged: (ResultCheck, u64),
        costs: &mut Costs,
    ) -> Result<PreparedParticipant, TrialFailure> {
        let Participant { size, configuration, .. } = of;
        let workload = self.workload(*size, configuration)?;
        let recalled = self.recall(&(*size, configuration.clone(), judged.1));
        // The benchmark's own code is needed only if the buffers were lost.
        let seated = recalled.as_ref().is_some_and(|r| self.arena.is_current(&r.placement));
        let mut ready = match recalled {
            Some(mut ready) if seated => {
                self.arena.note_use(&ready.placement);
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
        Ok(PreparedParticipant { workload, ready, batch: choice.batch })
    }
}
