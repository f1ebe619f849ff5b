//! Builds the sections of the model from the measurements.

mod conventional;
mod hybrid;
pub mod live;
mod neural;
mod summary;
mod traditional;

use super::measured::Measured;
use super::table::Section;

/// Returns every equation in order, then energy (section 6.2), memory (6.3), tables 1 and 2, and the paper's other claims.
pub fn sections(m: &Measured) -> Vec<Section> {
    let mut sections = traditional::sections(m);
    sections.extend(neural::sections(m));
    sections.extend(hybrid::sections(m));
    sections.push(conventional::section(m.conventional.as_ref()));
    sections.extend(summary::sections(m));
    sections
}
