//! Which devices are chosen.

use myriad::engine::choose::{Adapter, LEAST, Preference, UNMEASURED, Work, choose};
use myriad::engine::measured::{Measured, Speed};
use myriad::engine::{DeviceFailure, EngineError};

fn adapter(hardware: bool) -> Adapter {
    Adapter {
        name: "x".into(),
        backend: "vulkan".into(),
        driver: "d".into(),
        hardware,
        model: (0, 0),
        bus: String::new(),
        fault: None,
        measured: None,
    }
}

#[test]
fn software_adapters_are_taken_only_when_asked_for() {
    let pick = |preference, adapters: &[Adapter]| {
        choose(preference, adapters, Work::Network).map(|choice| (choice.adapters, choice.cpu))
    };
    let (soft, hard) = (adapter(false), adapter(true));
    assert_eq!(pick(Preference::Auto, std::slice::from_ref(&soft)), Ok((vec![], true)));
    assert_eq!(pick(Preference::Gpu, std::slice::from_ref(&soft)), Ok((vec![0], false)));
    let all = |work| choose(Preference::All, std::slice::from_ref(&soft), work).map(|choice| choice.adapters);
    assert_eq!((all(Work::Programs), all(Work::Network)), (Ok(vec![0]), Ok(vec![])));
    assert_eq!(pick(Preference::All, &[]), Ok((vec![], true)));
    assert_eq!(pick(Preference::Auto, &[soft.clone(), hard.clone()]), Ok((vec![1], false)));
    assert_eq!(pick(Preference::Gpu, &[soft, hard.clone()]), Ok((vec![1], false)));
    assert_eq!(pick(Preference::Cpu, &[hard]), Ok((vec![], true)));
    assert!(matches!(
        choose(Preference::Gpu, &[], Work::Network),
        Err(EngineError::Device(DeviceFailure::Missing, _))
    ));
}

#[test]
fn several_gpus_share_but_no_device_is_taken_twice() {
    let twice = |preference| {
        let again = Adapter { backend: "dx12".into(), ..adapter(true) };
        let adapters = [adapter(true), again, adapter(true), adapter(false)];
        let choice = choose(preference, &adapters, Work::Network);
        choice.map(|choice| (choice.is_shared(), choice.adapters, choice.cpu))
    };
    assert_eq!(twice(Preference::Auto), Ok((true, vec![0, 2], false)));
    assert_eq!(twice(Preference::All), Ok((true, vec![0, 2], true)));
    assert_eq!(twice(Preference::Gpu), Ok((false, vec![0], false)));
}

#[test]
fn two_drivers_of_one_device_count_as_one() {
    let of = |driver: &str, model, bus: &str| Adapter {
        driver: driver.into(),
        model,
        bus: bus.into(),
        ..adapter(true)
    };
    let taken = |adapters: &[Adapter]| {
        choose(Preference::All, adapters, Work::Programs).map(|choice| choice.adapters).expect("a choice")
    };
    assert_eq!(taken(&[of("radv", (1, 2), ""), of("amdvlk", (1, 2), "")]), [0], "by the model");
    assert_eq!(taken(&[of("radv", (1, 2), ""), of("radv", (1, 2), "")]), [0, 1], "two of one model");
    assert_eq!(taken(&[of("radv", (1, 2), ""), of("nvk", (3, 4), "")]), [0, 1], "two models");
    assert_eq!(
        taken(&[of("radv", (1, 2), "0:1"), of("amdvlk", (1, 3), "0:1")]),
        [0],
        "by the place on the bus"
    );
    assert_eq!(taken(&[of("radv", (1, 2), "0:1"), of("amdvlk", (1, 2), "0:2")]), [0, 1]);
    let dx12 = Adapter { backend: "dx12".into(), ..of("d", (5, 6), "") };
    assert_eq!(taken(&[of("d", (1, 2), ""), dx12]), [0, 1], "one that the first backend does not offer");
}

#[test]
fn a_device_that_cannot_be_used_is_not_chosen() {
    let broken = Adapter { fault: Some("it cannot be opened: no memory".into()), ..adapter(true) };
    for work in [Work::Programs, Work::Network] {
        let auto = choose(Preference::Auto, std::slice::from_ref(&broken), work).expect("the CPU engine");
        assert_eq!((auto.adapters, auto.cpu, &*auto.reason), (vec![], true, "x cannot be used"));
        let both = [broken.clone(), adapter(true), adapter(false)];
        for (preference, expected) in [(Preference::Gpu, vec![1]), (Preference::All, vec![1])] {
            assert_eq!(choose(preference, &both, work).expect("a choice").adapters, expected);
        }
    }
    let error = choose(Preference::Gpu, &[broken], Work::Programs).expect_err("nothing to use");
    assert_eq!(
        error,
        EngineError::Device(DeviceFailure::Missing, "x cannot be used: it cannot be opened: no memory".into())
    );
}

/// Automatic choice follows the measurement: single programs go to the CPU, batches to the faster engine.
#[test]
fn batches_above_the_measured_size_go_to_the_device() {
    let measured = |each: f64| {
        let speed = |base, each| Speed { base, fixed: 0.0, each };
        let (cpu, device) = (speed(100.0, 10.0), speed(2_500.0, each));
        Adapter { measured: Some(Measured { processor: "p".into(), cpu, device }), ..adapter(true) }
    };
    let pick = |adapters: &[Adapter]| choose(Preference::Auto, adapters, Work::Programs).expect("a choice");
    let fast = pick(&[measured(5.0)]);
    assert_eq!((fast.adapters, fast.cpu, fast.from), (vec![0], true, 500));
    assert_eq!(
        fast.reason,
        "batches of 500 programs or more begin on x, until the program's own times are known; measured: a program takes \
         2.5 ms and a mutant 5.0 µs, on the CPU 100 µs and 10.0 µs"
    );
    let slow = pick(&[measured(50.0)]);
    assert_eq!((slow.adapters, slow.cpu, slow.from), (vec![], true, 0));
    assert!(slow.reason.starts_with("the CPU engine is faster than x; measured: "), "{}", slow.reason);
    // Only the faster of two devices takes part, and a device that was not measured is used for large batches.
    let two = pick(&[
        measured(50.0),
        Adapter { driver: "e".into(), model: (1, 1), name: "y".into(), ..measured(5.0) },
    ]);
    assert_eq!((two.adapters, two.from), (vec![1], 500));
    assert_eq!(pick(&[adapter(true)]).from, UNMEASURED);
    let free = pick(&[measured(-1e9)]);
    assert_eq!(free.from, LEAST, "opening a device is never free");
    assert!(
        !fast.reason.is_empty() && !pick(&[measured(5.0)]).is_shared(),
        "the processor has work of its own"
    );
}
