//! How well the shipped coefficients predict success, on functions that they were not fitted to.
//!
//! The file has the field `prediction` of `myriad router --eval --format json`, without the calibration.

use serde::Deserialize;

use super::evaluation::verdict;
use crate::host::measure::share::percent;
use crate::host::measure::statistics::Interval;
use crate::learned::synthesis::evaluation::Set;

static SHIPPED: &str = include_str!("../../../assets/hybrid/skill.json");

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Skill {
    /// The number of training examples of the network whose successes were predicted.
    pub weights_examples: u64,
    pub sets: Vec<SetSkill>,
}

/// The quality of the predictions for a set of functions.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SetSkill {
    /// `all`, or the identifier of a set.
    pub set: String,
    pub functions: u32,
    pub successes: u32,
    pub area_under_curve: f64,
    pub area_interval: [f64; 2],
    pub brier: f64,
    pub brier_of_constant: f64,
    /// 1 − `brier` / `brier_of_constant`, and its interval at 95 %.
    pub skill: f64,
    pub skill_interval: [f64; 2],
}

impl SetSkill {
    /// Returns whether the whole interval is above 0.
    pub fn has_skill(&self) -> bool {
        self.skill_interval[0] > 0.0
    }

    /// The verdict as `myriad router --eval` prints it.
    pub fn verdict(&self) -> &'static str {
        let [low, high] = self.skill_interval;
        verdict(Interval { low, high })
    }

    /// The fraction that succeeds.
    pub fn rate(&self) -> f64 {
        f64::from(self.successes) / f64::from(self.functions.max(1))
    }

    /// The verdict on the predicted probability as a clause.
    fn clause(&self, about: &str) -> String {
        match self.has_skill() {
            true => format!("skill for {about} (error {} % below the mean's)", percent(self.skill, 0)),
            false => format!("no skill for {about} (the mean, {} %, is as good)", percent(self.rate(), 0)),
        }
    }
}

impl Skill {
    /// The result for this build's coefficients, or `None` if the file cannot be read. A test checks that it can.
    pub fn shipped() -> Option<Skill> {
        serde_json::from_str(SHIPPED).ok()
    }

    /// The result for a set.
    pub fn of(&self, set: Set) -> Option<&SetSkill> {
        self.sets.iter().find(|one| one.set == set.ident())
    }

    /// The verdicts on the predicted probability p for functions that people write, and for long ones (of at least
    /// [`HARD_WORDS`] words).
    ///
    /// [`HARD_WORDS`]: crate::learned::synthesis::evaluation::HARD_WORDS
    pub fn summary(&self) -> String {
        let sets = [(Set::Written, "functions that people write"), (Set::Hard, "long generated ones")];
        let clauses: Vec<String> =
            sets.iter().filter_map(|(set, about)| Some(self.of(*set)?.clause(about))).collect();
        match clauses.is_empty() {
            true => String::new(),
            false => format!("p: {}", clauses.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learned::hybrid::model::Model;

    #[test]
    fn shipped_result_is_of_the_shipped_model_and_has_all_sets() {
        let skill = Skill::shipped().expect("assets/hybrid/skill.json");
        assert_eq!(skill.weights_examples, Model::shipped().examples);
        let sets: Vec<&str> = skill.sets.iter().map(|one| one.set.as_str()).collect();
        assert_eq!(sets, ["all", "generated", "written", "hard"]);
        for one in &skill.sets {
            assert!((1.0 - one.brier / one.brier_of_constant - one.skill).abs() < 1e-9, "{one:?}");
            assert!((one.rate() * (1.0 - one.rate()) - one.brier_of_constant).abs() < 1e-9, "{one:?}");
            assert_eq!(one.has_skill(), one.verdict() == "skill");
        }
    }

    #[test]
    fn summary_follows_from_the_interval() {
        let mut skill = Skill::shipped().expect("assets/hybrid/skill.json");
        let with = |skill: &mut Skill, low: f64| {
            skill.sets.iter_mut().for_each(|one| one.skill_interval = [low, 0.5]);
            skill.summary()
        };
        let without = with(&mut skill, -0.1);
        assert!(without.starts_with("p: no skill for functions that people write (the mean, "), "{without}");
        assert_eq!((without.matches("no skill for").count(), without.matches("is as good").count()), (2, 2));
        let all = with(&mut skill, 0.1);
        assert_eq!((all.matches("no skill").count(), all.matches("below the mean's").count()), (0, 2), "{all}");
        skill.sets.clear();
        assert_eq!(skill.summary(), "");
    }
}
