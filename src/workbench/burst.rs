//! Groups keys that arrive faster than anyone types into one text. Some terminals do not mark pastes; this
//! detects them.

use crossterm::event::KeyCode;

use crate::workbench::event::Event;
use crate::workbench::key::Key;

/// The least number of simultaneous typed keys that counts as a paste.
pub const LEAST: usize = 16;

/// Returns the character that an event types, if typing is its only effect; enter is `\r`, as terminals send
/// it.
fn typed(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    match key {
        Key { code: KeyCode::Enter, ctrl: false, alt: false, shift: false } => Some('\r'),
        Key { code: KeyCode::Tab, ctrl: false, alt: false, shift: false } => Some('\t'),
        // The second half of a CRLF line end.
        Key { code: KeyCode::Char('j'), ctrl: true, alt: false, shift: false } => Some('\n'),
        key => key.typed(),
    }
}

/// Replaces each burst in `events`, which arrived together, by one event. If `is_continuation`, typed keys at the
/// front continue the burst that ended the previous batch. Also returns whether the last event is a burst.
pub fn merge_bursts(events: Vec<Event>, mut is_continuation: bool) -> (Vec<Event>, bool) {
    let mut out = Vec::new();
    let mut rest = events.into_iter().peekable();
    while rest.peek().is_some() {
        let mut run = Vec::new();
        let mut text = String::new();
        while let Some(c) = rest.peek().and_then(typed) {
            text.push(c);
            run.extend(rest.next());
        }
        if run.len() >= LEAST || (is_continuation && !run.is_empty()) {
            out.push(Event::Burst { text, is_continuation });
            is_continuation = true;
        } else {
            out.extend(run);
        }
        if let Some(other) = rest.next_if(|event| typed(event).is_none()) {
            out.push(other);
            is_continuation = false;
        }
    }
    (out, is_continuation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Event> {
        let key = |c: char| match c {
            '\r' => Key::parse("enter"),
            '\t' => Key::parse("tab"),
            c => Key::parse(&c.to_string()),
        };
        text.chars().filter_map(key).map(Event::Key).collect()
    }
    fn bursts(events: &[Event]) -> Vec<(&str, bool)> {
        let burst = |event| match event {
            &Event::Burst { ref text, is_continuation } => Some((text.as_str(), is_continuation)),
            _ => None,
        };
        events.iter().filter_map(burst).collect()
    }

    #[test]
    fn many_simultaneous_keys_become_one_text() {
        let (events, burst) = merge_bursts(keys("let x"), false);
        assert_eq!((events.len(), burst), (5, false), "typed");
        let text = "fn f() -> int {\r\treturn 1;\r}\r";
        let (events, burst) = merge_bursts(keys(text), false);
        assert_eq!((events.len(), bursts(&events), burst), (1, vec![(text, false)], true));
        let (events, burst) = merge_bursts(keys("}\r"), true);
        assert_eq!((bursts(&events), burst), (vec![("}\r", true)], true), "the end of it");
    }

    #[test]
    fn control_key_ends_a_burst() {
        let up = || Event::Key(Key::parse("up").expect("a key"));
        let mut events = keys(&"x".repeat(20));
        events.push(up());
        events.extend(keys("ab"));
        let (events, burst) = merge_bursts(events, false);
        assert_eq!((events.len(), burst), (4, false), "a burst, a key, two characters");
        let (events, burst) = merge_bursts(vec![up()], true);
        assert_eq!((events.len(), burst), (1, false));
        assert!(merge_bursts(vec![], true).1, "nothing ends nothing");
    }
}
