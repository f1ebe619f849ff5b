//! Compiled pipelines that are kept from one run of the program to the next, where the backend can: today Vulkan alone.

use std::sync::{Mutex, PoisonError};

use crate::engine::device_cache::DeviceCache;

/// The name of the cache file.
const FILE: &str = "pipelines";

/// The pipelines of one device.
pub struct Pipelines {
    cache: wgpu::PipelineCache,
    file: DeviceCache,
    /// Bytes of the file as it was read or written last.
    kept: Mutex<usize>,
}

impl Pipelines {
    /// Reads what earlier runs have kept; `None` if the backend keeps nothing.
    pub fn open(device: &wgpu::Device, file: DeviceCache) -> Option<Pipelines> {
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let data = file.read(FILE);
        let descriptor = wgpu::PipelineCacheDescriptor {
            label: Some("pipelines"),
            data: data.as_deref(),
            // Data that this version of wgpu or of the driver does not know is ignored.
            fallback: true,
        };
        // SAFETY: the file is the user's own, and belongs to this adapter, driver and version of the program; a checksum shows that it is
        // as `Pipelines::save` wrote it, from `PipelineCache::get_data`.
        let cache = unsafe { device.create_pipeline_cache(&descriptor) };
        Some(Pipelines { cache, file, kept: Mutex::new(data.map_or(0, |data| data.len())) })
    }

    /// For the compilation of a pipeline.
    pub fn cache(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Keeps all pipelines that have been compiled, if there are more than before.
    pub fn save(&self) {
        let Some(data) = self.cache.get_data() else { return };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if data.len() != *kept {
            self.file.write(FILE, &data);
            *kept = data.len();
        }
    }
}
