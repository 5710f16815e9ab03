//! Several acquisition functions that take turns; those that do not help are removed.
//! Willemsen, van Nieuwpoort and van Werkhoven, Bayesian Optimization for auto-tuning GPU kernels,
//! PMBS 2021, section III-G (multi and advanced multi), and Kernel Tuner 1.5, which adds the forms
//! that predict less often.

use super::Acquisition;

/// Marks after which a function is removed or remains alone.
const MARKS_IN_A_ROW: u32 = 5;
/// Factors that discount the sum of a function's costs every round: in `multi`, and in the advanced
/// form.
const DISCOUNT: (f64, f64) = (0.65, 0.75);
/// Relative difference from the mean of all sums that gives a mark.
const IMPROVEMENT: f64 = 0.1;
/// Rounds from one prediction to the next in the fastest form.
const RARELY: usize = 6;

/// How functions are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// All stay.
    Stay,
    /// Functions that always choose what another one does are removed, except for the best of them.
    Duplicates,
    /// A function that is worse than the others is removed; one that is better remains alone.
    Merit,
}

#[derive(Debug, Clone)]
pub(crate) struct Portfolio {
    members: Vec<PortfolioMember>,
    rule: Rule,
    /// Rounds from one prediction to the next.
    pub(crate) rounds: usize,
    /// Marks after which a function is removed or remains alone.
    pub(crate) patience: u32,
    /// Factor that discounts the sum of a function's costs every round.
    pub(crate) discount: f64,
    /// Relative difference from the mean of all sums that gives a mark.
    pub(crate) improvement: f64,
}

#[derive(Debug, Clone)]
struct PortfolioMember {
    acquisition: Acquisition,
    active: bool,
    /// Discounted sum of its costs.
    sum: f64,
    /// Bad marks: consecutive rounds with a duplicate choice, or rounds worse than the mean.
    bad: u32,
    /// Good marks: rounds better than the mean.
    good: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AcquisitionChoice {
    pub(crate) member: usize,
    pub(crate) slot: usize,
    /// Cost of the choice; positive.
    pub(crate) cost: f64,
}

impl Portfolio {
    /// The portfolio of this name, as Kernel Tuner spells it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        use Acquisition::{
            ExpectedImprovement, LowerConfidenceBound, ProbabilityOfImprovement, SrinivasBound,
        };
        const ALL: &[Acquisition] =
            &[ExpectedImprovement, ProbabilityOfImprovement, LowerConfidenceBound];
        let (acquisitions, rule, rounds): (&[_], _, _) = match name {
            "ei" => (&[ExpectedImprovement], Rule::Stay, 1),
            "pi" => (&[ProbabilityOfImprovement], Rule::Stay, 1),
            "lcb" => (&[LowerConfidenceBound], Rule::Stay, 1),
            "lcb-srinivas" => (&[SrinivasBound], Rule::Stay, 1),
            "multi" => (ALL, Rule::Duplicates, 1),
            "multi-advanced" => (ALL, Rule::Merit, 1),
            "multi-fast" => (ALL, Rule::Stay, 1),
            "multi-ultrafast" => (ALL, Rule::Stay, RARELY),
            _ => return None,
        };
        let member = |acquisition: &Acquisition| PortfolioMember {
            acquisition: *acquisition,
            active: true,
            sum: 0.0,
            bad: 0,
            good: 0,
        };
        let discount = if rule == Rule::Merit { DISCOUNT.1 } else { DISCOUNT.0 };
        Some(Self {
            members: acquisitions.iter().map(member).collect(),
            rule,
            rounds,
            patience: MARKS_IN_A_ROW,
            discount,
            improvement: IMPROVEMENT,
        })
    }

    /// The members that still choose.
    pub(crate) fn active(&self) -> Vec<(usize, Acquisition)> {
        let all = self.members.iter().enumerate().filter(|(_, member)| member.active);
        all.map(|(at, member)| (at, member.acquisition)).collect()
    }

    /// Whether all members choose before any choice is evaluated, so that choices can coincide.
    pub(crate) fn all_at_once(&self) -> bool {
        self.rule == Rule::Duplicates
    }

    /// Learns from a round: the choice of every active member, in order, and its cost.
    pub(crate) fn learn(&mut self, round: &[AcquisitionChoice]) {
        match self.rule {
            Rule::Stay => {}
            Rule::Duplicates => self.drop_duplicates(round),
            Rule::Merit => self.compare(round),
        }
    }

    fn drop_duplicates(&mut self, round: &[AcquisitionChoice]) {
        for choice in round {
            let same = |other: &AcquisitionChoice| {
                other.slot == choice.slot && other.member != choice.member
            };
            let member = &mut self.members[choice.member];
            member.sum = member.sum * self.discount + choice.cost;
            member.bad = if round.iter().any(same) { member.bad + 1 } else { 0 };
        }
        let patience = self.patience;
        let marked = |member: &&mut PortfolioMember| member.active && member.bad >= patience;
        let mut marked: Vec<&mut PortfolioMember> =
            self.members.iter_mut().filter(marked).collect();
        if marked.len() > 1 {
            // The sort is stable: the first of equals stays.
            marked.sort_by(|a, b| a.sum.total_cmp(&b.sum));
            marked[0].bad = 0;
            marked[1..].iter_mut().for_each(|member| member.active = false);
        }
    }

    fn compare(&mut self, round: &[AcquisitionChoice]) {
        for choice in round {
            let member = &mut self.members[choice.member];
            member.sum = member.sum * self.discount + choice.cost;
        }
        let active = || self.members.iter().filter(|member| member.active);
        let mean = active().map(|member| member.sum).sum::<f64>() / active().count() as f64;
        for member in self.members.iter_mut().filter(|member| member.active) {
            member.bad += u32::from(member.sum > mean * (1.0 + self.improvement));
            member.good += u32::from(member.sum < mean * (1.0 - self.improvement));
        }
        let worst = self.leading(|member| (member.bad, member.sum));
        let best = self.leading(|member| (member.good, -member.sum));
        if let Some(worst) = worst {
            self.members[worst].active = false;
            self.members.iter_mut().for_each(|member| (member.bad, member.good) = (0, 0));
        } else if let Some(best) = best {
            self.members.iter_mut().for_each(|member| member.active = false);
            self.members[best].active = true;
        }
    }

    /// The active member with the highest count, if `patience` is reached; among equals, the one
    /// with the higher second value.
    fn leading(&self, counted: impl Fn(&PortfolioMember) -> (u32, f64)) -> Option<usize> {
        let active: Vec<usize> = self.active().into_iter().map(|(at, _)| at).collect();
        let order = |a: &usize, b: &usize| {
            let (a, b) = (counted(&self.members[*a]), counted(&self.members[*b]));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        let leading = active.iter().copied().max_by(order)?;
        (active.len() > 1 && counted(&self.members[leading]).0 >= self.patience).then_some(leading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(portfolio: &mut Portfolio, choices: &[(usize, usize, f64)]) {
        let choice = |(member, slot, cost): &(usize, usize, f64)| AcquisitionChoice {
            member: *member,
            slot: *slot,
            cost: *cost,
        };
        portfolio.learn(&choices.iter().map(choice).collect::<Vec<_>>());
    }

    fn left(portfolio: &Portfolio) -> Vec<usize> {
        portfolio.active().into_iter().map(|(at, _)| at).collect()
    }

    #[test]
    fn after_five_duplicates_in_a_row_only_the_cheapest_of_them_stays() {
        let mut portfolio = Portfolio::named("multi").unwrap();
        for round in 0..4 {
            learn(&mut portfolio, &[(0, round, 2.0), (1, 90 + round, 1.0), (2, round, 2.0)]);
        }
        // A round of three different choices clears the marks.
        learn(&mut portfolio, &[(0, 5, 3.0), (1, 6, 1.0), (2, 7, 1.0)]);
        for round in 10..14 {
            learn(&mut portfolio, &[(0, round, 2.0), (1, 90 + round, 1.0), (2, round, 2.0)]);
            assert_eq!(left(&portfolio), [0, 1, 2]);
        }
        // The fifth such round: member 2's sum is lower because of its one cheaper choice.
        learn(&mut portfolio, &[(0, 15, 2.0), (1, 95, 1.0), (2, 15, 2.0)]);
        assert_eq!(left(&portfolio), [1, 2]);
        // The members that stay begin without marks.
        for round in 20..24 {
            learn(&mut portfolio, &[(1, round, 1.0), (2, round, 1.0)]);
        }
        assert_eq!(left(&portfolio), [1, 2]);
        learn(&mut portfolio, &[(1, 30, 1.0), (2, 30, 1.0)]);
        assert_eq!(left(&portfolio).len(), 1);
    }

    #[test]
    fn advanced_drops_the_worst_and_forgets_the_counts() {
        let mut portfolio = Portfolio::named("multi-advanced").unwrap();
        // Sums are proportional to the costs. The mean is 4/3; 1.1 times it is 1.47, 0.9 times it
        // is 1.2.
        for round in 0..4 {
            learn(&mut portfolio, &[(0, round, 1.25), (1, 50 + round, 1.25), (2, 90 + round, 1.5)]);
            assert_eq!(left(&portfolio), [0, 1, 2]);
        }
        learn(&mut portfolio, &[(0, 5, 1.25), (1, 55, 1.25), (2, 95, 1.5)]);
        assert_eq!(left(&portfolio), [0, 1]);
        assert!(portfolio.members.iter().all(|member| (member.bad, member.good) == (0, 0)));
    }

    #[test]
    fn advanced_goes_on_with_one_that_is_much_better() {
        let mut portfolio = Portfolio::named("multi-advanced").unwrap();
        // The mean is 1: 0.85 is below 0.9 times it, and 1.075 is not above 1.1 times it.
        for round in 0..5 {
            let costs = [(0, round, 1.075), (1, 50 + round, 0.85), (2, 90 + round, 1.075)];
            assert_eq!(left(&portfolio), [0, 1, 2]);
            learn(&mut portfolio, &costs);
        }
        assert_eq!(left(&portfolio), [1]);
        learn(&mut portfolio, &[(1, 7, 1.0)]);
        assert_eq!(left(&portfolio), [1]);
    }
}
