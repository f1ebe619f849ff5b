//! Which devices are taken.

use myriad::engine::EngineError;
use myriad::engine::choose::{Adapter, Preference, choose};

fn adapter(hardware: bool) -> Adapter {
    Adapter { name: "x".into(), backend: "vulkan".into(), driver: "d".into(), hardware }
}

#[test]
fn software_adapters_are_taken_only_when_asked_for() {
    let pick = |preference, adapters: &[Adapter]| {
        choose(preference, adapters).map(|choice| (choice.adapters, choice.cpu))
    };
    let (soft, hard) = (adapter(false), adapter(true));
    assert_eq!(pick(Preference::Auto, std::slice::from_ref(&soft)), Ok((vec![], true)));
    assert_eq!(pick(Preference::Gpu, std::slice::from_ref(&soft)), Ok((vec![0], false)));
    assert_eq!(pick(Preference::All, std::slice::from_ref(&soft)), Ok((vec![0], true)));
    assert_eq!(pick(Preference::All, &[]), Ok((vec![], true)));
    assert_eq!(pick(Preference::Auto, &[soft.clone(), hard.clone()]), Ok((vec![1], false)));
    assert_eq!(pick(Preference::Gpu, &[soft, hard.clone()]), Ok((vec![1], false)));
    assert_eq!(pick(Preference::Cpu, &[hard]), Ok((vec![], true)));
    assert!(matches!(choose(Preference::Gpu, &[]), Err(EngineError::NoAdapter(_))));
}

#[test]
fn several_gpus_share_but_no_device_is_taken_twice() {
    let twice = |preference| {
        let again = Adapter { backend: "dx12".into(), ..adapter(true) };
        let adapters = [adapter(true), again, adapter(true), adapter(false)];
        choose(preference, &adapters).map(|choice| (choice.is_shared(), choice.adapters, choice.cpu))
    };
    assert_eq!(twice(Preference::Auto), Ok((true, vec![0, 2], false)));
    assert_eq!(twice(Preference::All), Ok((true, vec![0, 2], true)));
    assert_eq!(twice(Preference::Gpu), Ok((false, vec![0], false)));
}
