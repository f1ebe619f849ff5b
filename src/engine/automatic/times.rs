//! The times that the processor and the devices take for the mutants of one program, measured while they judge them, and
//! the engine that follows from these.
//!
//! A batch of `k` mutants takes `base + fixed + k * each`. The base is compiled only by an engine that does not have it
//! yet; the fixed time of a device includes waiting for the longest run. An engine without a measurement for the program
//! gets a trial as soon as it can cost only a small share of all time spent, and so does the slower engine again and
//! again, since edits change a program. So automatic choice never takes much longer than the better engine.

use crate::engine::Kind;

/// The share of all time that trials of unmeasured engines may cost, and all trials if the other is measured.
const FIRST_TRIALS: f64 = 0.04;
const LATER_TRIALS: f64 = 0.01;
/// The mutants that the first engine of a program judges before the other has its trial.
const FIRST: u32 = 8_192;
/// The processor's trial is this part of a batch, because it has no fixed time. A device's is a whole batch.
const PART: u32 = 16;
/// The shortest useful trial, in seconds. A device's is bounded by the times of a sample program too.
const LEAST: f64 = 1e-3;
/// Batches whose sizes differ less than by this factor are of one size.
const NEAR: f64 = 1.25;
/// An engine takes over from the other if it takes less than this share of the other's time.
const SOONER: f64 = 0.95;

/// The times of one engine, in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
struct EngineTimes {
    base: f64,
    /// The last batches of different sizes, in mutants with their times; at most two.
    batches: Vec<(f64, f64)>,
    /// The shortest useful trial: twice the last one, if that judged nothing.
    least: f64,
}

impl EngineTimes {
    fn add(&mut self, mutants: u32, seconds: f64) {
        let mutants = f64::from(mutants.max(1));
        let near = |(other, _): &(f64, f64)| mutants.max(*other) < NEAR * mutants.min(*other);
        let old = self.batches.iter().position(near).map(|place| self.batches.remove(place));
        // A batch that takes another time than usual counts half.
        self.batches.push(old.map_or((mutants, seconds), |(_, usual)| (mutants, (usual + seconds) / 2.0)));
        if self.batches.len() > 2 {
            self.batches.remove(0);
        }
    }

    /// Returns the time for `k` mutants; `None` if it judged none of the program.
    fn judging(&self, k: u32, kind: Kind) -> Option<f64> {
        let k = f64::from(k);
        match self.batches[..] {
            [] => None,
            // One size does not separate the fixed time. The processor has none.
            [(n, time)] => Some(if kind == Kind::Gpu { time * (k / n).max(1.0) } else { time * k / n }),
            [(n, time), (m, other), ..] => {
                let each = ((other - time) / (m - n)).max(0.0);
                let fixed = (time - each * n).min(other - each * m).max(0.0);
                Some(fixed + each * k)
            }
        }
    }
}

/// The first mutants of the rest of a batch, for one engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    pub by: Kind,
    pub mutants: u32,
    /// The mutants of the rest.
    pub left: u32,
    /// The time in seconds after which the stretch is given up, if it is a trial.
    pub limit: Option<f64>,
}

/// The engine of a batch if nothing is known of its program, and the time of a sample program's batch of this size on
/// the devices.
#[derive(Clone, Copy, Debug)]
pub struct Prior {
    pub begins: Kind,
    pub device: f64,
}

/// The times of both engines for one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramTimes {
    cpu: EngineTimes,
    device: EngineTimes,
    /// All time spent, and how much of it trials cost.
    spent: f64,
    lost: f64,
}

impl ProgramTimes {
    fn of(&self, kind: Kind) -> &EngineTimes {
        if kind == Kind::Cpu { &self.cpu } else { &self.device }
    }

    fn of_mut(&mut self, kind: Kind) -> &mut EngineTimes {
        if kind == Kind::Cpu { &mut self.cpu } else { &mut self.device }
    }

    /// Returns the time of an engine for `k` mutants, with the base if it is not in `holding`.
    pub fn expected(&self, by: Kind, k: u32, holding: &[Kind]) -> Option<f64> {
        let base = if holding.contains(&by) { 0.0 } else { self.of(by).base };
        self.of(by).judging(k, by).map(|judging| base + judging)
    }

    /// Records the time of a base.
    pub fn base(&mut self, by: Kind, seconds: f64) {
        self.of_mut(by).base = seconds;
    }

    /// Records the time of a batch of `k` mutants.
    pub fn batch(&mut self, by: Kind, k: u32, seconds: f64) {
        self.of_mut(by).add(k, seconds);
    }

    /// Returns the times in which the processor and the device compile the base and judge a batch, with its size: the largest
    /// of the last ones that is not larger than all of either engine. `None` if one of them has judged none.
    pub fn both(&self) -> Option<(u32, [f64; 2])> {
        let largest = |by| self.of(by).batches.iter().map(|(k, _)| *k as u32).max();
        let k = largest(Kind::Cpu)?.min(largest(Kind::Gpu)?);
        Some((k, [self.expected(Kind::Cpu, k, &[])?, self.expected(Kind::Gpu, k, &[])?]))
    }

    /// Returns the engine for the next text if `current` was that of the last one; `None` if only one of them was measured.
    pub fn sooner(&self, current: Kind) -> Option<Kind> {
        let (_, [cpu, device]) = self.both()?;
        Some(match current {
            Kind::Cpu if device < SOONER * cpu => Kind::Gpu,
            Kind::Gpu if cpu < SOONER * device => Kind::Cpu,
            _ => current,
        })
    }

    /// Returns the next stretch of a batch with `left` mutants. The engines in `holding` have compiled the base.
    pub fn next(&self, left: u32, prior: Prior, holding: &[Kind]) -> Stretch {
        let whole = |by| Stretch { by, mutants: left, left, limit: None };
        let time = |by| self.expected(by, left, holding);
        let (known, other) = match (time(Kind::Cpu), time(Kind::Gpu)) {
            (None, None) if left <= 2 * FIRST => return whole(prior.begins),
            (None, None) => return Stretch { mutants: FIRST, ..whole(prior.begins) },
            (Some(cpu), None) => ((Kind::Cpu, cpu), (Kind::Gpu, None)),
            (None, Some(device)) => ((Kind::Gpu, device), (Kind::Cpu, None)),
            (Some(cpu), Some(device)) if device < cpu => ((Kind::Gpu, device), (Kind::Cpu, Some(cpu))),
            (Some(cpu), Some(device)) => ((Kind::Cpu, cpu), (Kind::Gpu, Some(device))),
        };
        let ((fast, taken), (tried, known)) = (known, other);
        let mutants = if tried == Kind::Gpu { left } else { (left / PART).max(1) };
        // A trial that is given up may leave no result.
        let (limit, cost) = match known.and_then(|_| self.expected(tried, mutants, holding)) {
            Some(slow) => {
                let all = LATER_TRIALS * self.spent - self.lost;
                (all.max(slow), slow - self.saved(fast, left, mutants) - all)
            }
            None => {
                let all = FIRST_TRIALS * (self.spent + taken) - self.lost;
                let least = if tried == Kind::Gpu { prior.device.max(LEAST) } else { LEAST };
                (all, least.max(self.of(tried).least) - all)
            }
        };
        if cost <= 0.0 { Stretch { mutants, limit: Some(limit), ..whole(tried) } } else { whole(fast) }
    }

    /// Returns the time that an engine saves on a batch if the other judges some of its mutants.
    fn saved(&self, by: Kind, left: u32, mutants: u32) -> f64 {
        let time = |k| if k == 0 { Some(0.0) } else { self.of(by).judging(k, by) };
        time(left).zip(time(left - mutants)).map_or(0.0, |(all, less)| all - less)
    }

    /// Records how long the engine of a stretch compiled the base.
    pub fn compiled(&mut self, stretch: Stretch, seconds: f64) {
        self.of_mut(stretch.by).base = seconds;
        self.spent += seconds;
        self.lost += if stretch.limit.is_some() { seconds } else { 0.0 };
    }

    /// Records that the first `judged` mutants of a stretch took these seconds.
    pub fn judged(&mut self, stretch: Stretch, judged: u32, seconds: f64) {
        self.spent += seconds;
        if stretch.limit.is_some() {
            let other = if stretch.by == Kind::Cpu { Kind::Gpu } else { Kind::Cpu };
            self.lost += (seconds - self.saved(other, stretch.left, judged)).max(0.0);
        }
        let times = self.of_mut(stretch.by);
        match (judged, times.batches.is_empty()) {
            (0, true) => times.least = 2.0 * seconds,
            // It took longer than before.
            (0, false) => times.add(stretch.mutants, seconds),
            _ => times.add(judged, seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times that automatic choice and each engine alone take for batches of `k` mutants of one program,
    /// in which an engine takes `base`, `fixed` and `each`.
    fn played(
        rounds: usize,
        k: u32,
        begins: Kind,
        model: impl Fn(usize, Kind) -> [f64; 3],
    ) -> (f64, f64, f64, Kind) {
        let (mut times, mut taken, mut last) = (ProgramTimes::default(), 0.0, begins);
        let (mut cpu, mut device) = (0.0, 0.0);
        for round in 0..rounds {
            let alone = |by| {
                let [base, fixed, each] = model(round, by);
                base + fixed + each * f64::from(k)
            };
            (cpu, device) = (cpu + alone(Kind::Cpu), device + alone(Kind::Gpu));
            let (mut left, mut holding) = (k, vec![Kind::Cpu]);
            while left > 0 {
                let stretch = times.next(left, Prior { begins, device: 2e-3 }, &holding);
                let [base, fixed, each] = model(round, stretch.by);
                if !holding.contains(&stretch.by) {
                    holding.push(stretch.by);
                    times.compiled(stretch, base);
                    taken += base;
                }
                let whole = fixed + each * f64::from(stretch.mutants);
                let seconds = stretch.limit.map_or(whole, |limit| whole.min(limit));
                let judged = if seconds < whole { 0 } else { stretch.mutants };
                times.judged(stretch, judged, seconds);
                taken += seconds;
                (left, last) = (left - judged, stretch.by);
            }
        }
        (taken, cpu, device, last)
    }

    /// On a short program the device wins from some size on, on a long one never: an H200 and 16 threads.
    #[test]
    fn the_faster_engine_is_found_within_a_twentieth() {
        let gcd = |_, by| if by == Kind::Cpu { [0.0, 0.0, 1.3e-6] } else { [1.5e-3, 5e-3, 0.4e-6] };
        let life = |_, by| if by == Kind::Cpu { [0.0, 0.0, 28e-6] } else { [1.5e-3, 0.2, 300e-6] };
        for begins in [Kind::Cpu, Kind::Gpu] {
            for (k, best) in [(1_000, Kind::Cpu), (45_753, Kind::Gpu)] {
                let (taken, cpu, device, last) = played(2_000, k, begins, gcd);
                assert!(taken < 1.05 * cpu.min(device), "{k}: {taken}, {cpu} and {device}");
                assert_eq!(last, best, "{k}");
            }
            let (taken, cpu, _, last) = played(2_000, 1_000, begins, life);
            assert!(taken < 1.05 * cpu, "{taken} and {cpu}");
            assert_eq!(last, Kind::Cpu);
        }
    }

    /// An edit makes the processor's engine slow, and later fast again.
    #[test]
    fn the_choice_follows_a_program_that_changes() {
        let slow = |round: usize| (1_000..3_000).contains(&round);
        let model = |round, by| match by {
            Kind::Cpu if slow(round) => [0.0, 0.0, 50e-6],
            Kind::Cpu => [0.0, 0.0, 2e-6],
            Kind::Gpu => [1e-3, 5e-3, 1e-6],
        };
        let (taken, cpu, device, last) = played(4_000, 1_000, Kind::Cpu, model);
        let best = 2_000.0 * (2e-3 + 7e-3);
        assert!(taken < 1.05 * best && best < cpu.min(device), "{taken}, {best}, {cpu} and {device}");
        assert_eq!(last, Kind::Cpu);
    }

    #[test]
    fn an_engine_takes_over_only_if_it_is_clearly_sooner() {
        let mut times = ProgramTimes::default();
        times.base(Kind::Gpu, 2e-3);
        times.batch(Kind::Cpu, 1_000, 10e-3);
        assert_eq!(times.sooner(Kind::Cpu), None, "the device was not measured");
        // It has a fixed time, so that of fewer mutants is not known to be shorter.
        times.batch(Kind::Gpu, 2_000, 7.6e-3);
        let (k, [cpu, device]) = times.both().expect("both are measured");
        assert!(k == 1_000 && (cpu - 10e-3).abs() < 1e-9 && (device - 9.6e-3).abs() < 1e-9);
        assert_eq!([Kind::Cpu, Kind::Gpu].map(|kind| times.sooner(kind)), [Some(Kind::Cpu), Some(Kind::Gpu)]);
        times.base(Kind::Gpu, 1e-3);
        assert_eq!(times.sooner(Kind::Cpu), Some(Kind::Gpu));
        // Small batches: in them the device's fixed time weighs most.
        times.batch(Kind::Cpu, 10, 1e-4);
        times.batch(Kind::Cpu, 20, 2e-4);
        assert_eq!(times.sooner(Kind::Gpu), Some(Kind::Cpu));
    }

    #[test]
    fn a_trial_that_takes_too_long_is_given_up() {
        let mut times = ProgramTimes::default();
        let prior = Prior { begins: Kind::Cpu, device: 0.01 };
        let next = |times: &ProgramTimes| times.next(1_000, prior, &[Kind::Cpu]);
        for _ in 0..24 {
            let stretch = next(&times);
            assert_eq!(stretch, Stretch { by: Kind::Cpu, mutants: 1_000, left: 1_000, limit: None });
            times.judged(stretch, 1_000, 0.01);
        }
        let stretch = next(&times);
        assert_eq!((stretch.by, stretch.mutants), (Kind::Gpu, 1_000));
        times.judged(stretch, 0, stretch.limit.unwrap_or_default());
        let mut rounds = 0;
        while let stretch @ Stretch { by: Kind::Cpu, .. } = next(&times) {
            times.judged(stretch, 1_000, 0.01);
            rounds += 1;
        }
        assert!(
            (40..60).contains(&rounds),
            "the next trial is twice as long, and the first is paid for: {rounds}"
        );
        assert_eq!(times.expected(Kind::Gpu, 1_000, &[]), None);
    }
}
