//! Runs both functions on all inputs, if these are few.

use super::runs::Runs;
use crate::compiler::program::Watch;
use crate::lang::ty::Type;
use crate::testing::decide::Given;

/// The maximum number of inputs that are run.
const INPUTS: u64 = 1 << 20;

/// The result on all inputs.
pub enum All {
    Equal(u32),
    Differ(Given),
}

/// Compares both functions on all inputs, within `steps` steps of all runs. Returns `Some(None)` if there are too many, and `None` if cancelled.
pub fn all_inputs(runs: &mut Runs, steps: u64, watch: &dyn Watch) -> Option<Option<All>> {
    let sizes: Option<Vec<u64>> = runs.types.iter().map(|ty| size(*ty)).collect();
    let count =
        sizes.as_ref().and_then(|sizes| sizes.iter().try_fold(1u64, |all, size| all.checked_mul(*size)));
    let (Some(sizes), Some(count)) = (sizes, count.filter(|count| *count <= INPUTS)) else { return Some(None) };
    for number in 0..count {
        if watch.cancelled() {
            return None;
        }
        if runs.steps > steps {
            return Some(None);
        }
        let mut rest = number;
        let given: Given = sizes
            .iter()
            .zip(&runs.types)
            .map(|(size, ty)| {
                let own = rest % size;
                rest /= size;
                nth(*ty, own)
            })
            .collect();
        if runs.differ(&given).is_some() {
            return Some(Some(All::Differ(given)));
        }
        // A run that exhausts its resources decides nothing.
        if runs.exhausted {
            return Some(None);
        }
    }
    Some(Some(All::Equal(count as u32)))
}

/// The number of values of a type, if it is small.
fn size(ty: Type) -> Option<u64> {
    match ty.is_list() {
        _ if ty == Type::BOOL => Some(2),
        true if ty.element() == Type::BOOL && ty.capacity() < 20 => Some((2 << ty.capacity()) - 1),
        _ => None,
    }
}

/// The value of a type with this number: shorter lists first.
fn nth(ty: Type, number: u64) -> Vec<u32> {
    if !ty.is_list() {
        return vec![number as u32];
    }
    let length = (number + 1).ilog2();
    let bits = number + 1 - (1 << length);
    (0..length).map(|i| (bits >> i & 1) as u32).collect()
}
