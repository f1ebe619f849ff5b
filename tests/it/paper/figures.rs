//! Figures that the race measures, too.

use super::machine::measured;
use myriad::paper::figures::figures;
use myriad::paper::measured::{Loop, Measured};
use myriad::paper::race::Contestant;

#[test]
fn race_names_label_only_equal_work() {
    let m = measured();
    let names = |m: &Measured| figures(m).iter().map(|one| one.contestant).collect::<Vec<_>>();
    assert_eq!(names(&m), [Contestant::Conventional, Contestant::Cpu]);
    // 1,000 programs in two seconds, and in 400.5 ms.
    let rates: Vec<u32> = figures(&m).iter().map(|one| one.per_second.round() as u32).collect();
    assert_eq!(rates, [500, 2497]);
    // On a machine with a GPU the race copies its texts to it.
    let mut other = measured();
    other.subject.hardware = true;
    other.subject.alone = false;
    assert_eq!(names(&other), []);
    // So does this machine's loop.
    other.conventional = m.conventional.map(|one| Loop { crosses: true, ..one });
    assert_eq!(names(&other), [Contestant::Conventional]);
}
