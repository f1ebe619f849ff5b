//! Compilers and validators other than naga accept every shader: Tint, which is used by browsers with Dawn, and
//! `spirv-val` of the SPIR-V tools.

use std::path::Path;
use std::process::{Command, Stdio};

use myriad::compiler::layout::ShaderVariant;
use myriad::engine::gpu::pieces::EntryModules;
use myriad::engine::gpu::shaders::{self, Shader};
use myriad::engine::gpu::wgsl;
use naga::Module;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};

use super::{WAYS, validated};
use crate::common::extent::skip;

/// Every shader in each form that an adapter may use, with a unique name.
fn texts() -> impl Iterator<Item = (&'static Shader, String, ShaderVariant, String)> {
    let all = shaders::all().flat_map(|shader| WAYS.map(|(software, subgroups)| (shader, software, subgroups)));
    all.chain([(&shaders::SUBGROUPS, false, true)]).map(|(shader, software, subgroups)| {
        let variant = shader.variant(software, subgroups);
        let text = wgsl::assemble(shader.file, variant).unwrap_or_else(|error| panic!("{error}"));
        let way = [["", ".software"][usize::from(software)], ["", ".subgroups"][usize::from(subgroups)]];
        (shader, format!("{}{}", shader.file.replace('/', "-"), way.concat()), variant, text)
    })
}

#[test]
fn tint_takes_every_shader() {
    let tint = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tint");
    if !tint.join("node_modules/webgpu").is_dir() {
        skip("Tint is not installed: `npm ci --ignore-scripts` in tests/tint");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (_, name, variant, text) in texts() {
        // Tint needs the directive; naga provides the functions if the device has them.
        let enable = if variant.subgroups { "enable subgroups;\n" } else { "" };
        let file = folder.path().join(format!("{name}.wgsl"));
        std::fs::write(file, format!("{enable}{text}")).expect("a file");
    }
    let said = Command::new("node").arg(tint.join("check.mjs")).arg(folder.path()).output();
    let said = said.unwrap_or_else(|error| panic!("node: {error}"));
    let words = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{words}{}", String::from_utf8_lossy(&said.stderr));
    assert!(words.contains(&format!("{} modules, 0 with messages", texts().count())), "{words}");
}

/// SPIR-V versions for Vulkan adapters of several ages.
const VERSIONS: [((u8, u8), &str, BoundsCheckPolicy); 3] = [
    ((1, 6), "vulkan1.3", BoundsCheckPolicy::Unchecked),
    ((1, 5), "vulkan1.2", BoundsCheckPolicy::Restrict),
    ((1, 3), "vulkan1.1", BoundsCheckPolicy::Restrict),
];

/// Compiles an entry point to SPIR-V with the options that wgpu uses for Vulkan.
pub fn spirv(
    module: &Module,
    subgroups: bool,
    entry: &str,
    version: (u8, u8),
    buffer: BoundsCheckPolicy,
    force_loop_bounding: bool,
) -> Vec<u8> {
    let info = validated(module, subgroups).unwrap_or_else(|error| panic!("{entry}: {error:?}"));
    let options = spv::Options {
        lang_version: version,
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer,
            image_load: BoundsCheckPolicy::Restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding,
        ..Default::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: entry.to_string() };
    let words = spv::write_vec(module, &info, &options, Some(&pipeline));
    let words = words.unwrap_or_else(|error| panic!("{entry}: {error}"));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn spirv_val_takes_every_entry_point() {
    if Command::new("spirv-val").arg("--version").stdout(Stdio::null()).status().is_err() {
        skip("spirv-val is not installed: `apt-get install spirv-tools`");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("entry.spv");
    let mut tried = 0;
    for (shader, name, variant, text) in texts() {
        let pieces = EntryModules::new(&text);
        for entry in shader.entries {
            let module = pieces.of(entry).unwrap_or_else(|| panic!("{name} is parsed"));
            for (version, environment, buffer) in VERSIONS {
                let words = spirv(&module, variant.subgroups, entry, version, buffer, !shader.bounded);
                std::fs::write(&file, words).expect("a file");
                let mut call = Command::new("spirv-val");
                let said = call.args(["--target-env", environment]).arg(&file).output().expect("spirv-val");
                let words = [said.stdout, said.stderr].concat();
                assert!(said.status.success(), "{name} {entry}: {}", String::from_utf8_lossy(&words));
                tried += 1;
            }
        }
    }
    assert!(tried > 3 * 4 * shaders::all().count(), "{tried}");
}
