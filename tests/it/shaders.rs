//! Every shader, put together as the device gets it, is valid WGSL within WebGPU's rules.

use myriad::engine::gpu::pipelines;
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn shaders_are_valid() {
    for (name, source, entries) in pipelines::all() {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&source)));
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&source)));
        for entry in entries {
            assert!(module.entry_points.iter().any(|e| e.name == *entry), "{name} has no entry point {entry}");
        }
    }
}
