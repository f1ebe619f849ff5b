//! Text that arrives faster than anyone types, in pieces of any size, is in the file byte for byte.

use std::time::Duration;

use super::scene::{PROGRAM, SAVE, Scene, seed};
use crate::extent::scale;
use crate::rng::Rng;
use crate::terminal::{PATIENCE, Session};

/// The longest burst.
const LONGEST: usize = 4_000;

/// Characters of lines; the editor adds no text of its own to any of them.
const CHARACTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789 +-*/=<>!&|,;:._'\"#@é漢ß😀";

/// Returns lines of comments, as keys: a new line is CR.
fn text(rng: &mut Rng, length: usize) -> String {
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let mut text = String::new();
    let mut count = 0;
    while count < length {
        let mut line = "//".to_string();
        for _ in 0..rng.below(60) {
            line.push(*rng.pick(&characters));
        }
        text.push_str(line.trim_end());
        text.push('\r');
        count += line.chars().count() + 1;
    }
    text
}

/// Splits the text into bursts of 1 to [`LONGEST`] characters, short ones as often as long ones.
fn bursts(rng: &mut Rng, text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut rest = characters.as_slice();
    let mut bursts = Vec::new();
    while !rest.is_empty() {
        let most = *rng.pick(&[1, 5, 20, 60, 300, LONGEST]);
        let (burst, more) = rest.split_at((1 + rng.below(most)).min(rest.len()));
        bursts.push(burst.iter().collect());
        rest = more;
    }
    bursts
}

fn resize(rng: &mut Rng, session: &Session) {
    session.resize((40 + rng.below(140) as u16, 8 + rng.below(50) as u16));
}

/// Saves, compares the file with the sent text, and checks that the keyboard still works.
fn check(scene: &Scene, mut session: Session, sent: &str) {
    session.resize((80, 24));
    session.send(SAVE);
    let saved = session.shows_within(PATIENCE, |screen| screen.contains("✓ saved"));
    scene.require(saved, Some(&session), || "it is not saved".to_string());
    let expected = format!("{}{PROGRAM}", sent.replace('\r', "\n"));
    let file = scene.text().unwrap_or_default();
    if file != expected {
        let same = file.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        let part = |text: &str| {
            let bytes = text.as_bytes();
            String::from_utf8_lossy(&bytes[same.saturating_sub(60)..(same + 60).min(bytes.len())]).into_owned()
        };
        scene.fail(
            Some(&session),
            &format!(
                "from byte {same} on (of {} expected, {} there):\nexpected {:?}\nthere    {:?}",
                expected.len(),
                file.len(),
                part(&expected),
                part(&file)
            ),
        );
    }
    session.send("alive");
    session.wait_for("alive");
}

#[test]
fn bursts_of_keys_are_kept_byte_for_byte() {
    let mut rng = Rng::new(seed());
    let scene = Scene::new(Some(PROGRAM));
    let mut session = scene.open(&[]);
    let text = text(&mut rng, 5_000 * scale());
    for burst in bursts(&mut rng, &text) {
        session.send(&burst);
        if rng.one_in(4) {
            resize(&mut rng, &session);
        }
        if rng.one_in(8) {
            // The other bursts come at once.
            std::thread::sleep(Duration::from_millis(rng.below(120) as u64));
        }
    }
    check(&scene, session, &text);
}

#[test]
fn split_pastes_are_kept_byte_for_byte() {
    let mut rng = Rng::new(seed() + 1);
    let scene = Scene::new(Some(PROGRAM));
    let mut session = scene.open(&[]);
    let text = text(&mut rng, 5_000 * scale());
    for paste in bursts(&mut rng, &text) {
        // The marks around a paste are split as well.
        let whole = format!("\x1b[200~{paste}\x1b[201~");
        let mut rest = whole.as_str();
        while !rest.is_empty() {
            let at = (1 + rng.below(1500)).min(rest.len());
            let at = (at..=rest.len()).find(|at| rest.is_char_boundary(*at)).expect("its end is one");
            // ESC alone is a key, so an escape sequence is not split after its ESC, as terminals send it.
            let at = if at < rest.len() && rest[..at].ends_with('\x1b') { at + 1 } else { at };
            session.send(&rest[..at]);
            rest = &rest[at..];
            if rng.one_in(6) {
                std::thread::sleep(Duration::from_millis(rng.below(60) as u64));
            }
        }
        if rng.one_in(4) {
            resize(&mut rng, &session);
        }
    }
    check(&scene, session, &text);
}

#[test]
fn unterminated_paste_does_not_block_the_keyboard() {
    let scene = Scene::new(Some(PROGRAM));
    let mut session = scene.open(&[]);
    session.send("\x1b[200~// abc");
    // A pause; the text may or may not be shown before the next key.
    session.shows_within(Duration::from_secs(2), |screen| screen.contains("// abc"));
    session.send("def");
    let shown = session.shows_within(Duration::from_secs(5), |screen| screen.contains("// abcdef"));
    scene.require(shown, Some(&session), || "keys behind a paste without an end are not typed".to_string());
    session.send("\r");
    check(&scene, session, "// abcdef\r");
}
