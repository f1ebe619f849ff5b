//! The length of the machine's code on hardware that is not here: Mesa's compiler ACO compiles it for a family of AMD's
//! chips without one (`RADV_FORCE_FAMILY`). `cargo test --test it shaders::families -- --nocapture` prints the counts.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::process::Command;

use ash::vk;
use myriad::engine::gpu::pieces::EntryModules;
use myriad::engine::gpu::shaders;
use myriad::engine::gpu::wgsl;
use naga::AddressSpace;
use naga::proc::BoundsCheckPolicy;

use super::compilers::spirv;
use crate::common::extent::skip;

const FAMILY: &str = "RADV_FORCE_FAMILY";
/// A family of each generation of instructions.
const FAMILIES: [&str; 4] = ["polaris10", "vega10", "navi21", "gfx1100"];
const ENTRY: &str = "slice";

/// The driver's counts that matter, and the most of each on any family.
const LIMITS: [(&str, u64); 3] = [("Instructions", 4_100), ("Spilled SGPRs", 12), ("Spilled VGPRs", 0)];

/// Returns the file by which the loader finds the driver.
fn driver() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|file| file.path()).find(|path| path.to_string_lossy().contains("radeon"))
}

#[test]
fn the_machine_is_short_on_every_family() {
    let Some(driver) = driver() else {
        skip("Mesa's driver for AMD is not installed: `apt-get install mesa-vulkan-drivers`");
        return;
    };
    for family in FAMILIES {
        let child = Command::new(std::env::current_exe().expect("the test binary"))
            .args(["shaders::families::compiled_for_a_family", "--exact", "--nocapture"])
            .envs([(FAMILY, family), ("RADV_DEBUG", "nocache"), ("NODEVICE_SELECT", "1")])
            .env("VK_DRIVER_FILES", &driver)
            .env("VK_ICD_FILENAMES", &driver)
            .output()
            .expect("a child");
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "{family}: {said}{}", String::from_utf8_lossy(&child.stderr));
        let counts =
            said.lines().find_map(|line| line.strip_prefix("counts: ")).unwrap_or_else(|| panic!("{said}"));
        let counts: BTreeMap<String, u64> = serde_json::from_str(counts).expect("counts");
        println!("{family}: {counts:?}");
        for (name, most) in LIMITS {
            assert!(counts.get(name).is_some_and(|count| *count <= most), "{family}: {name}: {counts:?}");
        }
    }
}

/// Not a test of its own: the child of the test above, whose environment selects the driver and the family.
#[test]
fn compiled_for_a_family() {
    if std::env::var_os(FAMILY).is_none() {
        return;
    }
    let shader = &shaders::EXECUTE;
    let text =
        wgsl::assemble(shader.file, shader.variant(false, false)).unwrap_or_else(|error| panic!("{error}"));
    let module = EntryModules::new(&text).of(ENTRY).expect("it is parsed");
    let words = spirv(&module, false, ENTRY, (1, 6), BoundsCheckPolicy::Unchecked, !shader.bounded);
    let words: Vec<u32> =
        words.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let binding = |global: &naga::GlobalVariable| {
        let ty = match global.space {
            AddressSpace::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            _ => vk::DescriptorType::STORAGE_BUFFER,
        };
        let binding = vk::DescriptorSetLayoutBinding::default().binding(global.binding?.binding);
        Some(binding.descriptor_type(ty).descriptor_count(1).stage_flags(vk::ShaderStageFlags::COMPUTE))
    };
    let bindings: Vec<_> = module.global_variables.iter().filter_map(|(_, global)| binding(global)).collect();
    let counts = statistics(&words, &bindings).expect("the driver compiles it");
    println!("\ncounts: {}", serde_json::to_string(&counts).expect("counts"));
}

/// Compiles an entry point as wgpu does, with the driver's first adapter; returns the driver's statistics.
fn statistics(
    words: &[u32],
    bindings: &[vk::DescriptorSetLayoutBinding],
) -> Result<BTreeMap<String, u64>, vk::Result> {
    let stages = vk::ShaderStageFlags::COMPUTE;
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let extensions =
        [ash::khr::pipeline_executable_properties::NAME.as_ptr(), ash::ext::robustness2::NAME.as_ptr()];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let features = vk::PhysicalDeviceFeatures::default().robust_buffer_access(true);
    let mut executables =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
    let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default().vulkan_memory_model(true);
    let name = CString::new(ENTRY).expect("no zero");
    // SAFETY: each handle comes from the call before it, and all structures outlive the calls that use them. The
    // process ends without destroying any.
    unsafe {
        let entry = ash::Entry::load().expect("the loader");
        let instance =
            entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None)?;
        let adapter = instance.enumerate_physical_devices()?[0];
        let wanted = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .enabled_features(&features)
            .push_next(&mut executables)
            .push_next(&mut robust)
            .push_next(&mut model);
        let device = instance.create_device(adapter, &wanted, None)?;
        let layout = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
        let layouts = [device.create_descriptor_set_layout(&layout, None)?];
        let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = device.create_pipeline_layout(&layout, None)?;
        let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(stages).module(module).name(&name);
        let flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        let wanted = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags)];
        let pipelines = device.create_compute_pipelines(vk::PipelineCache::null(), &wanted, None);
        let pipeline = pipelines.map_err(|(_, error)| error)?[0];
        let executable = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        let properties = ash::khr::pipeline_executable_properties::Device::new(&instance, &device);
        let all = properties.get_pipeline_executable_statistics(&executable)?;
        let named = all
            .iter()
            .map(|one| (CStr::from_ptr(one.name.as_ptr()).to_string_lossy().into_owned(), one.value.u64));
        Ok(named.filter(|(name, _)| !name.contains("hash") && name != "Hash").collect())
    }
}
