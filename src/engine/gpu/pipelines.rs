//! A cache of compiled pipelines that persists between runs of the program, if the backend supports it.
//! Currently only Vulkan does.

use std::sync::{Mutex, PoisonError};

use crate::engine::gpu::device_cache::DeviceCache;

/// The name of the cache file.
const FILE: &str = "pipelines";

pub struct Pipelines {
    cache: wgpu::PipelineCache,
    file: DeviceCache,
    /// The file's size in bytes when it was last read or written.
    kept: Mutex<usize>,
}

impl Pipelines {
    /// Opens the cache with the pipelines of earlier runs; `None` if the backend has no pipeline cache.
    pub fn open(device: &wgpu::Device, file: DeviceCache) -> Option<Pipelines> {
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let data = file.read(FILE);
        let descriptor = wgpu::PipelineCacheDescriptor {
            label: Some("pipelines"),
            data: data.as_deref(),
            // Data unknown to this version of wgpu or of the driver is ignored.
            fallback: true,
        };
        // SAFETY: the file is in the user's own folder and belongs to this adapter, driver and version of the
        // program. A checksum verifies that it is unchanged since `Pipelines::save` wrote the result of
        // `PipelineCache::get_data`.
        let cache = unsafe { device.create_pipeline_cache(&descriptor) };
        Some(Pipelines { cache, file, kept: Mutex::new(data.map_or(0, |data| data.len())) })
    }

    /// Returns the cache, for compiling a pipeline.
    pub fn cache(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Saves all compiled pipelines if their size has changed.
    pub fn save(&self) {
        let Some(data) = self.cache.get_data() else { return };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if data.len() != *kept {
            self.file.write(FILE, &data);
            *kept = data.len();
        }
    }
}
