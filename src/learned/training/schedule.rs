//! The training curriculum and the learning rate.

use crate::corpus::Level;

pub struct Phase {
    pub name: &'static str,
    /// The total number of examples drawn when the phase ends.
    pub until: u64,
    /// The weights of simple, medium and full examples.
    pub mix: [u32; 3],
    /// The number of steps between two rounds of learning from execution, or 0 for none.
    pub practice: u64,
}

/// Short functions come first, then all. Practice follows once most candidates are valid programs.
pub const PHASES: [Phase; 4] = [
    Phase { name: "short", until: 24_000, mix: [75, 25, 0], practice: 0 },
    Phase { name: "medium", until: 100_000, mix: [35, 45, 20], practice: 0 },
    Phase { name: "full", until: 600_000, mix: [20, 35, 45], practice: 0 },
    Phase { name: "practice", until: u64::MAX, mix: [20, 35, 45], practice: 8 },
];

/// The levels, in the order of a phase's weights.
pub const LEVELS: [Level; 3] = [Level::Simple, Level::Medium, Level::Full];

/// Returns the phase in which example `index` is drawn.
pub fn phase(index: u64) -> &'static Phase {
    PHASES.iter().find(|phase| index < phase.until).unwrap_or(&PHASES[PHASES.len() - 1])
}

/// The number of steps over which the rate rises from 0.
const WARM_UP: f64 = 200.0;
/// The fraction of the run after which the rate falls linearly to [`LAST`].
const DECAY: f64 = 0.7;
/// The final rate as a fraction of its peak.
const LAST: f64 = 0.02;

/// Returns the rate as a fraction of its peak: warm-up, plateau, then decay, so that a run can be extended from any
/// checkpoint of its plateau ("WSD"; Hu et al. 2024). `done` is the completed fraction of this run, from 0 to 1.
pub fn rate(step: u64, done: f64) -> f64 {
    let warm = ((step + 1) as f64 / WARM_UP).min(1.0);
    let fall = ((done - DECAY) / (1.0 - DECAY)).clamp(0.0, 1.0);
    warm * (1.0 - fall * (1.0 - LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learning_rate_rises_stays_level_and_falls() {
        assert!(rate(0, 0.0) < 0.01);
        assert_eq!(rate(1_000, 0.5), 1.0);
        assert!((rate(1_000, 1.0) - LAST).abs() < 1e-9);
        assert!(rate(1_000, 0.9) < rate(1_000, 0.8));
    }

    #[test]
    fn training_phases_are_in_order_and_the_last_has_no_end() {
        assert_eq!(phase(0).name, "short");
        assert!(PHASES.windows(2).all(|pair| pair[0].until < pair[1].until));
        assert_eq!(phase(u64::MAX).name, PHASES[PHASES.len() - 1].name);
    }
}
