//! Tests whether an adapter's subgroups can be used for scans. WGSL does not specify how subgroups are
//! formed, and drivers differ in their behaviour after divergent control flow. Both are therefore tested when
//! a device is opened. The configuration can turn subgroups off.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::compiler::layout::numbers::scans;
use crate::compiler::layout::{ShaderVariant, WORKGROUP};
use crate::engine::EngineError;

use super::device::Gpu;
use super::kernel::Kernel;
use super::shaders::Shader;
use super::{shaders, trial, wgsl};

/// The number of workgroups tested.
const GROUPS: u32 = 64;
/// The smallest usable size of a subgroup, in threads.
const LEAST: u32 = 8;

static ALLOWED: AtomicBool = AtomicBool::new(true);

/// Sets whether devices opened later may scan by subgroups.
pub fn allow(allowed: bool) {
    ALLOWED.store(allowed, Ordering::Relaxed);
}

/// Returns whether scans can use subgroups. Does not test them if they are turned off.
///
/// # Errors
/// If the device fails.
pub fn serve(gpu: &Gpu) -> Result<bool, EngineError> {
    let wanted = ALLOWED.load(Ordering::Relaxed) && gpu.device.features().contains(wgpu::Features::SUBGROUP);
    Ok(wanted && are_in_order(gpu)? && scan_as_loops_do(gpu, true)?)
}

fn kernel(gpu: &Gpu, shader: &'static Shader, subgroups: bool) -> Result<Kernel, EngineError> {
    let variant = ShaderVariant { subgroups, ..ShaderVariant::default() };
    Kernel::of_text(gpu, shader, wgsl::assemble(shader.file, variant).map_err(EngineError::Bug)?)
}

/// Whether all subgroups have the same size, a power of two, and number their threads in order.
fn are_in_order(gpu: &Gpu) -> Result<bool, EngineError> {
    let kernel = kernel(gpu, &shaders::SUBGROUPS, true)?;
    let report = vec![0; (4 * WORKGROUP * GROUPS) as usize];
    let left = trial::run_kernel(gpu, &kernel, "report_subgroups", &[report], [GROUPS, 1])?;
    let rows = left.iter().flat_map(|words| words.as_chunks::<4>().0);
    Ok((0..).zip(rows).all(|(thread, row)| is_in_order(thread % WORKGROUP, row)))
}

/// Whether a thread's row is as expected: the size of its subgroup, its index there, the number of threads
/// there, and the smallest of their indices in the workgroup.
fn is_in_order(lane: u32, [size, number, there, least]: &[u32; 4]) -> bool {
    let size = (*size).min(WORKGROUP);
    size >= LEAST
        && size.is_power_of_two()
        && *there == size
        && *number == lane % size
        && *least == lane - lane % size
}

/// Whether scans after divergent control flow return the same as plain loops, by subgroups or by memory.
///
/// # Errors
/// If the device fails.
pub fn scan_as_loops_do(gpu: &Gpu, subgroups: bool) -> Result<bool, EngineError> {
    let kernel = kernel(gpu, &shaders::SCANS, subgroups)?;
    let values = WORKGROUP * GROUPS * scans::ROUNDS;
    let given: Vec<u32> = (0..values).map(|n| n.wrapping_mul(0x9e37_79b9) >> 12).collect();
    let results = vec![0; (values * scans::WORDS) as usize];
    let left = trial::run_kernel(gpu, &kernel, "scans", &[given.clone(), results], [GROUPS, 1])?;
    Ok(left.get(1) == Some(&scanned(&given)))
}

/// Makes Collatz steps from `v`, like the shader.
fn wander(v: u32) -> u32 {
    let mut x = v;
    for _ in 0..v & 31 {
        match x {
            1 => break,
            even if even & 1 == 0 => x >>= 1,
            odd => x = odd.wrapping_mul(3).wrapping_add(1),
        }
    }
    x
}

/// Computes the results of `shaders/scans.wgsl` with plain loops.
fn scanned(given: &[u32]) -> Vec<u32> {
    let (threads, rounds) = (WORKGROUP as usize, scans::ROUNDS as usize);
    let mut results = vec![0; given.len() * scans::WORDS as usize];
    for (group, given) in given.chunks(threads * rounds).enumerate() {
        for round in 0..rounds {
            let mut put = |lane: usize, word: u32, value: u32| {
                let at = (group * threads + lane) * rounds + round;
                results[at * scans::WORDS as usize + word as usize] = value;
            };
            let mut xs: Vec<u32> = given.iter().skip(round).step_by(rounds).map(|v| wander(*v)).collect();
            let on = |xs: &mut [u32], goes: &dyn Fn(u32, u32) -> bool, more: &dyn Fn(u32) -> u32| {
                for (lane, x) in (0..).zip(xs) {
                    if goes(lane, *x) {
                        *x = wander(x.wrapping_add(more(lane)));
                    }
                }
            };
            let sum = |xs: &[u32]| xs.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
            let greatest = |xs: &[u32]| xs.iter().copied().max().unwrap_or(0);
            for lane in 0..xs.len() {
                put(lane, scans::SUM, sum(&xs[..=lane]));
                put(lane, scans::TOTAL, sum(&xs));
            }
            on(&mut xs, &|lane, _| lane & 3 == round as u32, &|lane| lane);
            for lane in 0..xs.len() {
                put(lane, scans::GREATEST, greatest(&xs[..=lane]));
                put(lane, scans::BEFORE, greatest(&xs[..lane]));
            }
            on(&mut xs, &|_, x| x & 1 == 1, &|_| 6);
            (0..xs.len()).for_each(|lane| put(lane, scans::REDUCED_SUM, sum(&xs)));
            on(&mut xs, &|_, x| x & 2 == 2, &|_| 9);
            (0..xs.len()).for_each(|lane| put(lane, scans::REDUCED_MAX, greatest(&xs)));
            on(&mut xs, &|_, _| true, &|_| 27);
            let any = u32::from(xs.contains(&1));
            (0..xs.len()).for_each(|lane| put(lane, scans::ANY, any));
            on(&mut xs, &|_, _| true, &|_| 33);
            (0..xs.len()).for_each(|lane| put(lane, scans::FROM, xs[0]));
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gpu::adapter::AdapterQuery;

    #[test]
    fn lanes_out_of_order_are_detected() {
        assert!((0..64).all(|lane| is_in_order(lane, &[32, lane % 32, 32, lane / 32 * 32])));
        assert!((0..64).all(|lane| is_in_order(lane, &[128, lane, 64, 0])), "one subgroup has room for all");
        for row in [[4, 1, 4, 0], [24, 1, 24, 0], [32, 2, 32, 0], [32, 1, 16, 0], [32, 1, 32, 1]] {
            assert!(!is_in_order(1, &row), "{row:?}");
        }
    }

    #[test]
    fn threads_of_the_trial_leave_their_loops_at_different_times() {
        let ends: std::collections::HashSet<u32> = (0..64).map(wander).collect();
        assert!(ends.len() > 16, "{ends:?}");
    }

    #[test]
    fn memory_scans_match_plain_loops() {
        let gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scan_as_loops_do(&gpu, false), Ok(true));
    }

    /// A scan that omits some threads does not pass.
    #[test]
    fn wrong_scan_fails_the_trial() {
        let gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
        let text = wgsl::assemble(shaders::SCANS.file, ShaderVariant::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let wrong =
            text.replace("x += b_back(4u) + b_back(8u) + b_back(12u);", "x += b_back(4u) + b_back(8u);");
        assert_ne!(text, wrong);
        let kernel = Kernel::of_text(&gpu, &shaders::SCANS, wrong).unwrap_or_else(|error| panic!("{error}"));
        let given = vec![7; (WORKGROUP * scans::ROUNDS) as usize];
        let results = vec![0; given.len() * scans::WORDS as usize];
        let left = trial::run_kernel(&gpu, &kernel, "scans", &[given.clone(), results], [1, 1]);
        assert!(left.is_ok_and(|left| left[1] != scanned(&given)));
    }

    #[test]
    fn subgroups_that_are_turned_off_are_not_tried() {
        let gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
        allow(false);
        let answer = serve(&gpu);
        allow(true);
        assert_eq!(answer, Ok(false));
    }
}
