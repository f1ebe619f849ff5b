//! The module that a driver gets for an entry point.

use wgpu::naga::Module;
use wgpu::naga::compact::{KeepUnused, compact};
use wgpu::naga::front::wgsl::parse_str;

use super::selections::select_without_branches;

/// A shader's text, parsed; each entry point is compiled with the functions that it calls, and nothing else. Drivers go through all
/// functions of a module for each of its entry points: Mesa's puts each into all that call it before it looks which are wanted.
pub struct Pieces(Option<Module>);

impl Pieces {
    /// A text that cannot be parsed has no pieces: the device gets it as it is, and reports what is wrong with it.
    pub fn new(text: &str) -> Pieces {
        Pieces(parse_str(text).ok())
    }

    /// The module of an entry point, with its short circuits as selections.
    pub fn of(&self, entry: &str) -> Option<Module> {
        let mut own = self.0.clone()?;
        own.entry_points.retain(|point| point.name == entry);
        compact(&mut own, KeepUnused::No);
        select_without_branches(&mut own);
        Some(own)
    }
}
