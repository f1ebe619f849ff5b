//! Whether an adapter's subgroups are put together as scans need them: WGSL leaves that open.

use crate::engine::EngineError;
use crate::layout::{WORKGROUP, Widths};

use super::device::Gpu;
use super::kernel::Kernel;
use super::trial;
use super::{shaders, wgsl};

/// Workgroups that are looked at.
const GROUPS: u32 = 64;
/// Threads of a subgroup at least.
const LEAST: u32 = 8;

/// Tries it out: whether all subgroups have one size, a power of two, and threads stand in them in order.
///
/// # Errors
/// If the device fails.
pub fn serve(gpu: &Gpu) -> Result<bool, EngineError> {
    if !gpu.device.features().contains(wgpu::Features::SUBGROUP) {
        return Ok(false);
    }
    let widths = Widths { subgroups: true, ..Widths::default() };
    let text = wgsl::assemble(shaders::SUBGROUPS.file, widths).map_err(EngineError::Fault)?;
    let kernel = Kernel::of_text(gpu, &shaders::SUBGROUPS, text)?;
    let told = vec![0; (4 * WORKGROUP * GROUPS) as usize];
    let left = trial::run_kernel(gpu, &kernel, "tell", &[told], [GROUPS, 1])?;
    let rows = left.iter().flat_map(|words| words.as_chunks::<4>().0);
    Ok((0..).zip(rows).all(|(thread, row)| is_in_order(thread % WORKGROUP, row)))
}

/// What a thread of a workgroup tells: the size of its subgroup, its number there, how many are there, and the least of their numbers in the
/// workgroup.
fn is_in_order(lane: u32, [size, number, there, least]: &[u32; 4]) -> bool {
    let size = (*size).min(WORKGROUP);
    size >= LEAST
        && size.is_power_of_two()
        && *there == size
        && *number == lane % size
        && *least == lane - lane % size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_order_is_seen() {
        assert!((0..64).all(|lane| is_in_order(lane, &[32, lane % 32, 32, lane / 32 * 32])));
        assert!((0..64).all(|lane| is_in_order(lane, &[128, lane, 64, 0])), "one subgroup has room for all");
        for row in [[4, 1, 4, 0], [24, 1, 24, 0], [32, 2, 32, 0], [32, 1, 16, 0], [32, 1, 32, 1]] {
            assert!(!is_in_order(1, &row), "{row:?}");
        }
    }
}
