//! Groups of a class: files with the same mistake, and changes that the tests of several files miss.

use std::collections::BTreeMap;

use super::Grade;

/// Files that have something in common, as indices of grades.
pub struct Group {
    pub about: Vec<String>,
    pub files: Vec<usize>,
}

/// The groups of a class, the largest first.
pub struct Groups {
    /// Files that fail on the same inputs.
    pub mistakes: Vec<Group>,
    /// For each change, the files whose tests do not notice it.
    pub missed: Vec<Group>,
}

impl Groups {
    pub fn of(grades: &[Grade]) -> Groups {
        let fails = |grade: &Grade| -> Vec<Vec<String>> {
            let inputs: Vec<String> = grade.fails.iter().map(|fail| fail.input.clone()).collect();
            if inputs.is_empty() { vec![] } else { vec![inputs] }
        };
        let missed = |grade: &Grade| -> Vec<Vec<String>> {
            grade.missed.iter().map(|missed| vec![missed.change.clone()]).collect()
        };
        Groups { mistakes: groups(grades, fails), missed: groups(grades, missed) }
    }
}

fn groups(grades: &[Grade], keys: impl Fn(&Grade) -> Vec<Vec<String>>) -> Vec<Group> {
    let mut found: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (number, grade) in grades.iter().enumerate() {
        for key in keys(grade) {
            let files = found.entry(key).or_default();
            // Two mutants of a file may be the same change of equal lines.
            if files.last() != Some(&number) {
                files.push(number);
            }
        }
    }
    let mut groups: Vec<Group> = found.into_iter().map(|(about, files)| Group { about, files }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.files.len()));
    groups
}
