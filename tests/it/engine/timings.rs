//! Splitting times into stages.

use std::time::Duration;

use myriad::engine::timings::{Clock, StageTimes, Timings, Transfer, within};

fn micros(times: &[u64]) -> StageTimes {
    let mut all = StageTimes::default();
    for (slot, time) in all.iter_mut().zip(times) {
        *slot = Duration::from_micros(*time);
    }
    all
}

#[test]
fn parallel_work_is_scaled_to_the_wall_time() {
    assert_eq!(within(micros(&[30, 10]), Duration::from_micros(20)), micros(&[15, 5]));
    // Idle time belongs to no stage.
    assert_eq!(within(micros(&[30, 10]), Duration::from_micros(50)), micros(&[30, 10]));
    assert_eq!(within(micros(&[]), Duration::ZERO), micros(&[]));
}

#[test]
fn split_timings_add_up_to_the_wall_time() {
    let measured = |time| Transfer::Measured { time: Duration::from_micros(time), software: false };
    let wall = Duration::from_micros(100);
    let alone = Timings { parts: micros(&[20, 30]), wall, threads: 1, ..Timings::default() };
    let split = alone.split();
    assert_eq!((split.stages, split.transfer), (micros(&[20, 30]), None));
    assert_eq!((split.rest, split.modelled), (Duration::from_micros(50), false));
    let device = Timings { transfer: measured(10), ..alone };
    assert_eq!(device.split().transfer, Some(Duration::from_micros(10)));
    assert_eq!(device.split().rest, Duration::from_micros(40));
    // Two engines running at once report more time than the wall time.
    let both = Timings { parts: micros(&[80, 60]), transfer: measured(60), ..alone };
    let split = both.split();
    assert_eq!((split.stages, split.transfer), (micros(&[40, 30]), Some(Duration::from_micros(30))));
    assert_eq!((split.rest, split.modelled), (Duration::ZERO, true));
    assert!(Timings { threads: 2, ..alone }.split().modelled);
}

#[test]
fn transfer_time_is_known_only_if_all_parts_are_timed() {
    let measured = |time, software| Transfer::Measured { time: Duration::from_micros(time), software };
    for (one, other, sum) in [
        (Transfer::NoDevice, Transfer::NoDevice, Transfer::NoDevice),
        (Transfer::NoDevice, measured(3, false), measured(3, false)),
        (measured(3, true), measured(4, true), measured(7, true)),
        (measured(3, true), measured(4, false), measured(7, false)),
        (measured(3, false), Transfer::Untimed, Transfer::Untimed),
        (Transfer::Untimed, Transfer::NoDevice, Transfer::Untimed),
    ] {
        assert_eq!((one.and(other), other.and(one)), (sum, sum));
    }
}

#[test]
fn timings_add_up_and_empty_ones_change_nothing() {
    let mut sum = Timings {
        stages: micros(&[2]),
        parts: micros(&[1]),
        wall: Duration::from_micros(5),
        clock: Clock::Timestamps,
        threads: 2,
        programs: 1,
        ..Timings::default()
    };
    let before = sum;
    sum += &Timings::default();
    assert_eq!(sum, before);
    sum += &before;
    assert_eq!((sum.stages, sum.parts), (micros(&[4]), micros(&[2])));
    assert_eq!((sum.wall, sum.threads, sum.programs), (Duration::from_micros(10), 2, 2));
}
