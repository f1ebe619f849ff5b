//! pass@k: the probability that at least one of k candidates passes, over groups of candidates for one task.

use std::collections::HashMap;

use serde::Serialize;

use super::line::Label;
use super::record::{Record, Status};
use crate::host::measure::statistics::pass_at_k;

/// The counts for each group. Memory use depends on the number of groups, not of lines.
#[derive(Debug, Default)]
pub struct Groups {
    places: HashMap<Option<Label>, usize>,
    /// The groups in the order of their first line.
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    name: Option<Label>,
    candidates: u64,
    passed: u64,
}

/// The last record of a batch, printed on request.
#[derive(Debug, Serialize)]
pub struct Summary {
    pass_at: Vec<Mean>,
    groups: Vec<Row>,
}

/// The mean over the groups that have enough candidates.
#[derive(Debug, Serialize)]
struct Mean {
    k: u64,
    /// Absent if no group has enough candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    groups: usize,
    /// Groups with fewer than k candidates.
    too_small: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Label>,
    candidates: u64,
    passed: u64,
    /// The value for each k that the group has enough candidates for.
    pass_at: Vec<Value>,
}

#[derive(Debug, Serialize)]
struct Value {
    k: u64,
    value: f64,
}

impl Groups {
    /// Adds a record. A line that is not a candidate counts in no group.
    pub fn add(&mut self, record: &Record) {
        if record.status == Status::Error {
            return;
        }
        self.count(&record.group, record.status == Status::Pass);
    }

    /// Adds one candidate to a group.
    pub fn count(&mut self, group: &Option<Label>, passed: bool) {
        let place = match self.places.get(group) {
            Some(place) => *place,
            None => {
                let place = self.groups.len();
                self.places.insert(group.clone(), place);
                self.groups.push(Group { name: group.clone(), candidates: 0, passed: 0 });
                place
            }
        };
        if let Some(group) = self.groups.get_mut(place) {
            group.candidates += 1;
            group.passed += u64::from(passed);
        }
    }

    /// Returns the estimates for each k (M. Chen et al., "Evaluating Large Language Models Trained on Code", 2021,
    /// §2.1).
    pub fn summary(&self, ks: &[u64]) -> Summary {
        let value = |group: &Group, k: u64| pass_at_k(group.candidates, group.passed, k);
        let mean = |k: &u64| {
            let values: Vec<f64> = self.groups.iter().filter_map(|group| value(group, *k)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (groups, too_small) = (values.len(), self.groups.len() - values.len());
            Mean { k: *k, mean: (groups > 0).then_some(mean), groups, too_small }
        };
        let row = |Group { name, candidates, passed }: &Group| -> Row {
            let values =
                ks.iter().filter_map(|k| Some(Value { k: *k, value: pass_at_k(*candidates, *passed, *k)? }));
            Row { group: name.clone(), candidates: *candidates, passed: *passed, pass_at: values.collect() }
        };
        Summary { pass_at: ks.iter().map(mean).collect(), groups: self.groups.iter().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document;

    #[test]
    fn groups_with_fewer_than_k_candidates_are_left_out_of_the_mean() {
        let mut groups = Groups::default();
        for (name, candidates, passed) in [("a", 4, 1), ("b", 2, 2), ("c", 1, 0)] {
            (0..candidates).for_each(|n| groups.count(&Some(Label::Text(name.into())), n < passed));
        }
        let summary = document::json(&groups.summary(&[1, 2, 5]));
        let read: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
        // 1 − C(3, 2) / C(4, 2) = 1/2.
        assert_eq!(read["groups"][0]["pass_at"][1]["value"], 0.5);
        let at = |n: usize| &read["pass_at"][n];
        assert!((at(0)["mean"].as_f64().expect("a number") - 1.25 / 3.0).abs() < 1e-12);
        assert_eq!(
            (at(1)["mean"].as_f64(), &at(1)["groups"], &at(1)["too_small"]),
            (Some(0.75), &2.into(), &1.into())
        );
        assert!(at(2).get("mean").is_none() && at(2)["too_small"] == 3);
        assert_eq!(read["groups"][2]["pass_at"].as_array().map(Vec::len), Some(1));
    }
}
