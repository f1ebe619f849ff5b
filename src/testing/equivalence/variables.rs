//! The values of variables, in the order of their numbers.

use std::ops::Index;

use super::terms::TermValue;

/// A sorted list: a routine has few variables, and states are copied often.
#[derive(Clone, Debug, Default)]
pub struct Variables(Vec<(u32, TermValue)>);

impl Variables {
    fn place(&self, variable: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&variable, |(own, _)| *own)
    }

    pub fn get(&self, variable: &u32) -> Option<&TermValue> {
        self.place(*variable).ok().map(|at| &self.0[at].1)
    }

    pub fn insert(&mut self, variable: u32, value: TermValue) {
        match self.place(variable) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (variable, value)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&u32, &TermValue)> {
        self.0.iter().map(|(variable, value)| (variable, value))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&u32, &mut TermValue)> {
        self.0.iter_mut().map(|(variable, value)| (&*variable, value))
    }

    /// Whether both have a value for the same variables.
    pub fn has_names_of(&self, other: &Variables) -> bool {
        self.0.iter().map(|(variable, _)| variable).eq(other.0.iter().map(|(variable, _)| variable))
    }
}

impl Index<&u32> for Variables {
    type Output = TermValue;

    fn index(&self, variable: &u32) -> &TermValue {
        self.get(variable).expect("a variable with a value")
    }
}

/// The variables must ascend.
impl FromIterator<(u32, TermValue)> for Variables {
    fn from_iter<I: IntoIterator<Item = (u32, TermValue)>>(values: I) -> Variables {
        Variables(values.into_iter().collect())
    }
}
