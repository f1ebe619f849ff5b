//! The adapters of this machine.

use super::dx12;
use crate::engine::{DeviceFailure, EngineError};

/// The description of an adapter, for `myriad engines` and for choosing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    pub name: String,
    pub backend: String,
    pub driver: String,
    /// Emulated on the processor, such as llvmpipe.
    pub software: bool,
    /// The numbers of its vendor and model, 0 if unknown.
    pub model: (u32, u32),
    /// Its bus address, empty if unknown. Two drivers of one device report the same address.
    pub bus: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterQuery {
    /// A hardware adapter only.
    #[default]
    Hardware,
    /// A hardware adapter if one exists, else a software adapter.
    Any,
    /// The first adapter whose name contains this text, ignoring case.
    Named(String),
    /// The adapter with this index in [`adapters`].
    Nth(usize),
}

pub fn summary(info: &wgpu::AdapterInfo) -> AdapterSummary {
    AdapterSummary {
        name: info.name.clone(),
        backend: format!("{:?}", info.backend),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
        software: info.device_type == wgpu::DeviceType::Cpu,
        model: (info.vendor, info.device),
        bus: info.device_pci_bus_id.clone(),
    }
}

fn enumerate() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let (backends, dx12) = dx12::offered();
    descriptor.backends = backends;
    descriptor.backend_options.dx12.shader_compiler = dx12;
    descriptor.flags = wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
    // Discrete before integrated before all others; the sort is stable.
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}

/// Returns all adapters of this machine, best first.
pub fn adapters() -> Vec<AdapterSummary> {
    enumerate().iter().map(|adapter| summary(&adapter.get_info())).collect()
}

/// Returns the adapter to open.
///
/// # Errors
/// If this machine has no such adapter.
pub fn find(wanted: &AdapterQuery) -> Result<wgpu::Adapter, EngineError> {
    let is_wanted = |index: usize, adapter: &wgpu::Adapter| {
        let adapter = summary(&adapter.get_info());
        match wanted {
            AdapterQuery::Hardware => !adapter.software,
            AdapterQuery::Any => true,
            AdapterQuery::Named(name) => adapter.name.to_lowercase().contains(&name.to_lowercase()),
            AdapterQuery::Nth(n) => index == *n,
        }
    };
    let found = enumerate().into_iter().enumerate().find(|(index, adapter)| is_wanted(*index, adapter));
    let missing = || match wanted {
        AdapterQuery::Hardware => "no hardware GPU was found".into(),
        AdapterQuery::Any => {
            "no GPU was found; a software one comes with `apt-get install mesa-vulkan-drivers`".into()
        }
        AdapterQuery::Named(name) => format!("none is called `{name}`"),
        AdapterQuery::Nth(n) => format!("no adapter has the number {n}"),
    };
    let (_, adapter) = found.ok_or_else(|| DeviceFailure::Missing.because(missing()))?;
    Ok(adapter)
}
