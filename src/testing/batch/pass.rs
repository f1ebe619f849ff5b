//! pass@k: the probability that at least one of k candidates passes, over groups of candidates for one task.

use std::collections::HashMap;

use serde::Serialize;

use super::line::Label;
use super::record::{self, BatchRecord, Status};
use crate::host::measure::statistics::pass_at_k;
use crate::report::document;

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

/// The last record of a batch, printed on request. If lines have groups, it leaves out lines without one.
#[derive(Debug)]
pub struct Summary {
    pass_at: Vec<Mean>,
    groups: Vec<(Option<Label>, PassRow)>,
}

/// A summary without its groups.
#[derive(Serialize)]
struct Means<'a> {
    pass_at: &'a [Mean],
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
struct PassRow {
    candidates: u64,
    passed: u64,
    /// The value for each k that the group has enough candidates for.
    pass_at: Vec<PassValue>,
}

#[derive(Debug, Serialize)]
struct PassValue {
    k: u64,
    value: f64,
}

impl Groups {
    /// Adds a record. A line that is not a candidate counts in no group.
    pub fn add(&mut self, record: &BatchRecord) {
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

    /// Returns the number of candidates without a group, if other candidates have one.
    pub fn left_out(&self) -> u64 {
        let lone = self.places.get(&None).and_then(|place| self.groups.get(*place));
        lone.filter(|_| self.groups.len() > 1).map_or(0, |group| group.candidates)
    }

    /// Returns the estimates for each k (M. Chen et al., "Evaluating Large Language Models Trained on Code", 2021,
    /// §2.1).
    pub fn summary(&self, ks: &[u64]) -> Summary {
        let value = |group: &Group, k: u64| pass_at_k(group.candidates, group.passed, k);
        let named = self.groups.len() > 1;
        let groups: Vec<&Group> = self.groups.iter().filter(|group| group.name.is_some() || !named).collect();
        let mean = |k: &u64| {
            let values: Vec<f64> = groups.iter().filter_map(|group| value(group, *k)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (of, too_small) = (values.len(), groups.len() - values.len());
            Mean { k: *k, mean: (of > 0).then_some(mean), groups: of, too_small }
        };
        let row = |group: &&Group| {
            let values = ks.iter().filter_map(|k| Some(PassValue { k: *k, value: value(group, *k)? }));
            let Group { candidates, passed, .. } = **group;
            (group.name.clone(), PassRow { candidates, passed, pass_at: values.collect() })
        };
        Summary { pass_at: ks.iter().map(mean).collect(), groups: groups.iter().map(row).collect() }
    }
}

impl Summary {
    /// Returns the record as a line of JSON.
    pub fn line(&self) -> String {
        let row = |(name, row): &(Option<Label>, PassRow)| match name {
            Some(name) => record::after(&format!("\"group\":{},", name.json()), row),
            None => document::json(row),
        };
        let groups: Vec<String> = self.groups.iter().map(row).collect();
        let means = document::json(&Means { pass_at: &self.pass_at });
        let means = means.strip_suffix('}').unwrap_or(&means);
        format!("{means},\"groups\":[{}]}}\n", groups.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_with_fewer_than_k_candidates_are_left_out_of_the_mean() {
        let mut groups = Groups::default();
        for (name, candidates, passed) in [("a", 4, 1), ("b", 2, 2), ("c", 1, 0)] {
            (0..candidates).for_each(|n| groups.count(&Some(Label::Text(name.into())), n < passed));
        }
        let summary = groups.summary(&[1, 2, 5]).line();
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
    #[test]
    fn lines_without_a_group_are_left_out_where_groups_are_used() {
        let mut groups = Groups::default();
        groups.count(&None, true);
        groups.count(&None, false);
        assert_eq!(groups.left_out(), 0);
        let alone = r#"{"pass_at":[{"k":1,"mean":0.5,"groups":1,"too_small":0}],"groups":[{"candidates":2,"passed":1,"pass_at":[{"k":1,"value":0.5}]}]}"#;
        assert_eq!(groups.summary(&[1]).line().trim(), alone);
        groups.count(&Some(Label::Number("1.0".into())), true);
        assert_eq!(groups.left_out(), 2);
        let with = r#"{"pass_at":[{"k":1,"mean":1.0,"groups":1,"too_small":0}],"groups":[{"group":1.0,"candidates":1,"passed":1,"pass_at":[{"k":1,"value":1.0}]}]}"#;
        assert_eq!(groups.summary(&[1]).line().trim(), with);
    }
}
