//! A search for what fills a `?` yields to a key.

use super::*;

const KEYS: u64 = 24;

/// Runs of tests whose values no small expression has.
fn text(key: u64) -> Arc<str> {
    let mut random = Rng::new(7, 0);
    let mut text =
        format!("fn f(a: int, b: int) -> int {{ return ?; }}\nfn g(a: int) -> int {{ return a + {key}; }}\n");
    for _ in 0..20 {
        let [a, b, value] = [0; 3].map(|_| random.word() >> 1);
        text += &format!("test f({a}, {b}) == {value};\n");
    }
    text.into()
}

/// Returns the times from keys to the results of tests, ascending, and the candidates tried.
fn typed(keys: u64, filling: Duration) -> (Vec<Duration>, u64) {
    let (tell, updates) = channel();
    let own = options(Box::new(CpuEngine::new()), None, Preference::Auto, 0, (false, CompareExtent::Sample));
    let session = Session::start(Options { filling, ..own }, move |update| {
        let _ = tell.send(update);
    });
    let session = session.expect("a thread");
    let (mut times, mut tried) = (Vec::new(), 0);
    for revision in 1..=keys {
        let at = Instant::now();
        session.send(Request::Edit(Edit { revision, text: text(revision), at, fires_in: None }));
        let is_answer =
            |update: &Update| matches!(update, Update::Base { revision: own, .. } if *own == revision);
        let seen = until(&updates, is_answer);
        times.push(at.elapsed());
        for update in seen {
            if let Update::Found(finding) = update {
                let filling = finding.what::<Repairs>().and_then(|repairs| repairs.filling.clone());
                tried += filling.map_or(0, |filling| filling.tried);
            }
        }
        // The next key comes in one of several stages of the search.
        std::thread::sleep(Duration::from_millis(40 + 97 * (revision % 8)));
    }
    times.sort();
    (times, tried)
}

#[test]
fn search_for_a_hole_yields_to_keys() {
    let ((without, none), (with, tried)) = (typed(KEYS, Duration::ZERO), typed(KEYS, Duration::MAX));
    let share = |times: &[Duration], percent: usize| times[times.len() * percent / 100];
    for (name, times) in [("without", &without), ("with", &with)] {
        println!(
            "{name} a search: median {:?}, p90 {:?}, p99 {:?}",
            share(times, 50),
            share(times, 90),
            share(times, 99)
        );
    }
    assert!(none == 0 && tried > 100_000, "{tried} tried");
    // Machines are busy now and then; a size that is tried to its end would delay a key by many seconds.
    assert!(share(&with, 50) < share(&without, 50) + Duration::from_millis(250), "{with:?} {without:?}");
}
