//! Counts allocations in unit tests. Unlike times, counts are the same on every machine under any load.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocations of a thread and their bytes. A reallocation counts as an allocation of the new size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    pub count: u64,
    pub bytes: u64,
}

thread_local! {
    static MADE: Cell<Allocations> = const { Cell::new(Allocations { count: 0, bytes: 0 }) };
}

/// The system's allocator with a counter per thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn record(size: usize) {
    // A thread that ends may allocate after its thread-local values are gone.
    let _ = MADE.try_with(|made| {
        let Allocations { count, bytes } = made.get();
        made.set(Allocations { count: count + 1, bytes: bytes + size as u64 });
    });
}

// SAFETY: all calls are passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        record(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `work` and returns the number of allocations that this thread made for it.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Allocations) {
    let before = MADE.get();
    let done = work();
    let after = MADE.get();
    (done, Allocations { count: after.count - before.count, bytes: after.bytes - before.bytes })
}

#[test]
fn allocations_of_this_thread_are_counted() {
    let (made, counted) = counted(|| (Box::new(1u64), Vec::<u8>::with_capacity(100)));
    assert_eq!(counted, Allocations { count: 2, bytes: 108 });
    drop(made);
}
