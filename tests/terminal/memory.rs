//! The memory of a long session with values and probes: after a while it no longer grows.
#![cfg(target_os = "linux")]

use std::time::Duration;

use crate::extent::thorough;
use crate::place::Place;
use crate::terminal::Session;

const PROGRAM: &str = "\
fn triple(n: int) -> int {
    let sum = 0;
    for i in 0..3 { sum += n; }
    return sum;
}
//? triple(4)
//? [triple(1), triple(2)]
//? triple(unknown)
test triple(4) == 12;
test triple(0) == 0;
prop n in 0..50 => triple(n) == 3 * n;
";

/// Keys of a round, and a text on the screen after them. Each round ends with the text of its beginning.
const ROUND: [(&str, &str); 2] = [(" + 1", "→ 13"), ("\x7f\x7f\x7f\x7f", "→ 12")];

/// The time between two keys, in which the engine answers most of them.
const PAUSE: Duration = Duration::from_millis(8);

/// Returns the resident memory of a program in KiB.
fn resident(session: &Session) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", session.pid().as_raw_nonzero()));
    let statm = statm.expect("the program runs");
    statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number") * 4
}

/// `MYRIAD_THOROUGH=1` types 5,000 keys.
#[test]
fn long_session_with_values_and_probes_keeps_its_memory() {
    let keys = if thorough() { 5_000 } else { 400 };
    let place = Place::new();
    let file = place.path().join("one.myr");
    std::fs::write(&file, PROGRAM).expect("written");
    let mut session = Session::open(&file, (160, 50), &[]);
    session.wait_for("◂ 12");
    session.send("\x1b[B\x1b[B\x1b[B\x1b[F\x1b[D");
    session.wait_for("→ 12");
    // What is allocated once, by work that waits for a pause, is there afterwards.
    std::thread::sleep(Duration::from_secs(2));
    let mut typed = 0;
    let mut samples = Vec::new();
    while typed < keys {
        for (keys, shown) in ROUND {
            for key in keys.split_inclusive(|_: char| true) {
                session.send(key);
                typed += 1;
                std::thread::sleep(PAUSE);
            }
            session.wait_for(shown);
        }
        samples.push(resident(&session));
    }
    // After a quarter, what is kept once is there.
    let (first, last) = samples[samples.len() / 4..].split_at(samples.len() * 3 / 8);
    let most = |part: &[u64]| part.iter().copied().max().unwrap_or_default();
    println!("{typed} keys: {} KiB, then at most {} KiB and {} KiB", samples[0], most(first), most(last));
    // Less than half a text, its code and its results for each key; a machine under load may do its first work late.
    let allowed = most(first) / 10 + 16_384;
    assert!(most(last) <= most(first) + allowed, "{samples:?}");
}
