//! The values of variables, in the order of their numbers.

use std::ops::Index;

use super::terms::Value;

/// A sorted list: a routine has few variables, and states are copied often.
#[derive(Clone, Debug, Default)]
pub struct Variables(Vec<(u32, Value)>);

impl Variables {
    fn place(&self, variable: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&variable, |(own, _)| *own)
    }

    pub fn get(&self, variable: &u32) -> Option<&Value> {
        self.place(*variable).ok().map(|at| &self.0[at].1)
    }

    pub fn insert(&mut self, variable: u32, value: Value) {
        match self.place(variable) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (variable, value)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&u32, &Value)> {
        self.0.iter().map(|(variable, value)| (variable, value))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&u32, &mut Value)> {
        self.0.iter_mut().map(|(variable, value)| (&*variable, value))
    }

    /// Whether both have a value for the same variables.
    pub fn has_names_of(&self, other: &Variables) -> bool {
        self.0.iter().map(|(variable, _)| variable).eq(other.0.iter().map(|(variable, _)| variable))
    }
}

impl Index<&u32> for Variables {
    type Output = Value;

    fn index(&self, variable: &u32) -> &Value {
        self.get(variable).expect("a variable with a value")
    }
}

/// The variables must ascend.
impl FromIterator<(u32, Value)> for Variables {
    fn from_iter<I: IntoIterator<Item = (u32, Value)>>(values: I) -> Variables {
        Variables(values.into_iter().collect())
    }
}
