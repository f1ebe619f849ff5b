//! Every shader, assembled as for the device, is valid WGSL within WebGPU's rules, and its bindings are those
//! that the host derives from its text.

use myriad::compiler::layout::ShaderVariant;
use myriad::engine::gpu::shaders::{self, Shader};
use myriad::engine::gpu::wgsl::{self, Access, Binding};
use naga::valid::{
    Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationError, ValidationFlags, Validator,
};
use naga::{AddressSpace, Module, StorageAccess, WithSpan};

mod compilers;
mod families;
mod memory;

/// All combinations of a software adapter and of scans by subgroups.
const WAYS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

fn parsed(file: &str, variant: ShaderVariant) -> (Module, String) {
    let text = wgsl::assemble(file, variant).unwrap_or_else(|error| panic!("{error}"));
    let module = naga::front::wgsl::parse_str(&text);
    (module.unwrap_or_else(|error| panic!("{file}: {}", error.emit_to_string(&text))), text)
}

fn validated(module: &Module, subgroups: bool) -> Result<ModuleInfo, Box<WithSpan<ValidationError>>> {
    let capabilities = if subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if subgroups {
        validator.subgroup_stages(ShaderStages::COMPUTE);
        validator.subgroup_operations(SubgroupOperationSet::all());
    }
    validator.validate(module).map_err(Box::new)
}

#[test]
fn shaders_are_valid() {
    let all = shaders::all().flat_map(|shader| WAYS.map(|(software, subgroups)| (shader, software, subgroups)));
    for (shader, software, subgroups) in all.chain([(&shaders::SUBGROUPS, false, true)]) {
        let Shader { file, entries, .. } = shader;
        let (module, text) = parsed(file, shader.variant(software, subgroups));
        validated(&module, subgroups).unwrap_or_else(|error| panic!("{file}: {}", error.emit_to_string(&text)));
        let found: Vec<&str> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
        assert!(entries.iter().all(|entry| found.contains(entry)), "{file} has the entry points {found:?}");
        assert_eq!(entries.len(), found.len(), "{file} has the entry points {found:?}");
    }
}

#[test]
fn derived_bindings_match_the_shader_text() {
    for Shader { file, .. } in shaders::all() {
        let (module, text) = parsed(file, ShaderVariant::default());
        let known = wgsl::bindings(&text);
        for (_, global) in module.global_variables.iter() {
            let Some(place) = global.binding else { continue };
            let access = match global.space {
                AddressSpace::Uniform => Access::Uniform,
                AddressSpace::Storage { access } if access == StorageAccess::LOAD => Access::Read,
                AddressSpace::Storage { .. } => Access::Write,
                other => panic!("{file}: a binding in {other:?}"),
            };
            assert_eq!(place.group, 0, "{file}");
            let name = global.name.clone().unwrap_or_default();
            let same = known.iter().find(|binding| binding.index == place.binding);
            let same = same.unwrap_or_else(|| panic!("{file}: `{name}` is not read off the text"));
            // Two names may refer to one buffer: plainly, and with atomics.
            let alias = name.strip_suffix("_atomic").is_some_and(|plain| plain == same.name);
            let name = if alias { same.name.clone() } else { name };
            assert_eq!(*same, Binding { name, index: place.binding, access }, "{file}");
        }
        let indices: Vec<u32> = known.iter().map(|binding| binding.index).collect();
        assert_eq!(indices, (0..known.len() as u32).collect::<Vec<_>>(), "{file}: bindings count from 0");
    }
}

/// A part that is assembled alone imports everything that it uses, except for parts that their importers
/// complete.
#[test]
fn parts_import_what_they_need() {
    const OPEN: [&str; 16] = [
        "execute/counted",
        "execute/inputs",
        "execute/machine",
        "execute/noise",
        "execute/quick_in_lanes",
        "execute/quick_in_threads",
        "execute/sample",
        "execute/slots",
        "mutate",
        "mutate/mistakes",
        "mutate/repair",
        "mutate/strong",
        "neural/base",
        "neural/walk",
        "shared/min_tree",
        "round_tracing/rounds",
    ];
    for part in wgsl::parts().iter().filter(|part| !OPEN.contains(&part.as_str())) {
        let variant = ShaderVariant { subgroups: part.contains("subgroups"), ..ShaderVariant::default() };
        let text = wgsl::assemble(part, variant).unwrap_or_else(|error| panic!("{error}"));
        if let Err(error) = naga::front::wgsl::parse_str(&text) {
            panic!("{part} does not import all that it needs: {}", error.emit_to_string(&text));
        }
    }
}
