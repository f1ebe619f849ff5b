//! One engine alone, or several that share the work. A crew can be split into its members to form another
//! crew.

use super::{Shared, nobody};
use crate::engine::{Engine, EngineError};

pub enum Crew {
    Alone(Box<dyn Engine>),
    Shared(Box<Shared>),
}

impl Crew {
    /// Creates a crew from these engines.
    ///
    /// # Errors
    /// If `members` is empty.
    pub fn new(mut members: Vec<Box<dyn Engine>>) -> Result<Crew, EngineError> {
        let last = members.pop().ok_or_else(nobody)?;
        if members.is_empty() {
            return Ok(Crew::Alone(last));
        }
        members.push(last);
        Ok(Crew::Shared(Box::new(Shared::new(members))))
    }

    pub fn engine(&mut self) -> &mut dyn Engine {
        match self {
            Crew::Alone(engine) => &mut **engine,
            Crew::Shared(shared) => &mut **shared,
        }
    }

    pub fn into_engine(self) -> Box<dyn Engine> {
        match self {
            Crew::Alone(engine) => engine,
            Crew::Shared(shared) => shared,
        }
    }

    /// Returns the members that have not failed.
    pub fn into_members(self) -> Vec<Box<dyn Engine>> {
        match self {
            Crew::Alone(engine) => vec![engine],
            Crew::Shared(shared) => shared.members.into_iter().map(|member| member.engine).collect(),
        }
    }
}
