//! One engine alone, or several that share the work. The set can be split into its members to form another
//! one.

use super::{Shared, no_members};
use crate::engine::news::Reporter;
use crate::engine::{Engine, EngineError};

pub enum EngineSet {
    Alone(Box<dyn Engine>),
    Shared(Box<Shared>),
}

impl EngineSet {
    /// Creates a set from these engines. `news` reports members that fail while others are left.
    ///
    /// # Errors
    /// If `members` is empty.
    pub fn new(mut members: Vec<Box<dyn Engine>>, news: &Reporter) -> Result<EngineSet, EngineError> {
        let last = members.pop().ok_or_else(no_members)?;
        if members.is_empty() {
            return Ok(EngineSet::Alone(last));
        }
        members.push(last);
        Ok(EngineSet::Shared(Box::new(Shared::new(members, news))))
    }

    pub fn engine(&mut self) -> &mut dyn Engine {
        match self {
            EngineSet::Alone(engine) => &mut **engine,
            EngineSet::Shared(shared) => &mut **shared,
        }
    }

    pub fn into_engine(self) -> Box<dyn Engine> {
        match self {
            EngineSet::Alone(engine) => engine,
            EngineSet::Shared(shared) => shared,
        }
    }

    /// Returns the members that have not failed.
    pub fn into_members(self) -> Vec<Box<dyn Engine>> {
        match self {
            EngineSet::Alone(engine) => vec![engine],
            EngineSet::Shared(shared) => shared.members.into_engines(),
        }
    }
}
