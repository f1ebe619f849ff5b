//! Reduces a shader to the module of one entry point.

use wgpu::naga::Module;
use wgpu::naga::compact::{KeepUnused, compact};
use wgpu::naga::front::wgsl::parse_str;

use super::selections::select_without_branches;

/// A parsed shader. Each entry point is compiled only with the functions that it calls, because drivers
/// process all functions of a module for each entry point. Mesa's driver inlines every function into its
/// callers before it removes unused ones.
pub struct EntryModules(Option<Module>);

impl EntryModules {
    /// Parses a shader. A text with errors has no pieces: the device receives it unchanged and reports the
    /// errors.
    pub fn new(text: &str) -> EntryModules {
        EntryModules(parse_str(text).ok())
    }

    /// Returns the module of an entry point, with short circuits replaced by selections.
    pub fn of(&self, entry: &str) -> Option<Module> {
        let mut own = self.0.clone()?;
        own.entry_points.retain(|point| point.name == entry);
        compact(&mut own, KeepUnused::No);
        select_without_branches(&mut own);
        Some(own)
    }
}
