//! One engine alone, or several that share the work. The set can be split into its members to form another
//! one.

use super::{MultiEngine, no_members};
use crate::engine::news::Reporter;
use crate::engine::{Engine, EngineError};

pub enum EngineSet {
    Alone(Box<dyn Engine>),
    Multi(Box<MultiEngine>),
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
        Ok(EngineSet::Multi(Box::new(MultiEngine::new(members, news))))
    }

    pub fn engine(&mut self) -> &mut dyn Engine {
        match self {
            EngineSet::Alone(engine) => &mut **engine,
            EngineSet::Multi(shared) => &mut **shared,
        }
    }

    pub fn into_engine(self) -> Box<dyn Engine> {
        match self {
            EngineSet::Alone(engine) => engine,
            EngineSet::Multi(shared) => shared,
        }
    }

    pub fn into_members(self) -> Vec<Box<dyn Engine>> {
        match self {
            EngineSet::Alone(engine) => vec![engine],
            EngineSet::Multi(shared) => shared.members.into_engines(),
        }
    }
}
