//! Keys that come faster than anyone types are one text: a paste, by a terminal that does not say where pastes begin.

use crossterm::event::KeyCode;

use crate::workbench::event::Event;
use crate::workbench::key::Key;

/// So many typed keys at once were not typed.
pub const LEAST: usize = 16;

/// What a key types, if that is all that it does; a new line as the terminal sends it.
fn typed(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    match key {
        Key { code: KeyCode::Enter, ctrl: false, alt: false, shift: false } => Some('\r'),
        Key { code: KeyCode::Tab, ctrl: false, alt: false, shift: false } => Some('\t'),
        // The other half of a line end.
        Key { code: KeyCode::Char('j'), ctrl: true, alt: false, shift: false } => Some('\n'),
        key => key.typed(),
    }
}

/// Events that came at once, with each burst among them as one event. What comes first goes on where a burst of the
/// moment before ended, if `goes_on`. Also says whether the last of them is a burst.
pub fn gather(events: Vec<Event>, goes_on: bool) -> (Vec<Event>, bool) {
    let mut out = Vec::new();
    let mut goes_on = goes_on;
    let mut rest = events.into_iter().peekable();
    while rest.peek().is_some() {
        let mut run = Vec::new();
        let mut text = String::new();
        while let Some(c) = rest.peek().and_then(typed) {
            text.push(c);
            run.extend(rest.next());
        }
        if run.len() >= LEAST || (goes_on && !run.is_empty()) {
            out.push(Event::Burst { text, goes_on });
            goes_on = true;
        } else {
            out.extend(run);
        }
        if let Some(other) = rest.next_if(|event| typed(event).is_none()) {
            out.push(other);
            goes_on = false;
        }
    }
    (out, goes_on)
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
            &Event::Burst { ref text, goes_on } => Some((text.as_str(), goes_on)),
            _ => None,
        };
        events.iter().filter_map(burst).collect()
    }

    #[test]
    fn keys_at_once_are_a_text_and_a_few_are_keys() {
        let (events, burst) = gather(keys("let x"), false);
        assert_eq!((events.len(), burst), (5, false), "typed");
        let text = "fn f() -> int {\r\treturn 1;\r}\r";
        let (events, burst) = gather(keys(text), false);
        assert_eq!((events.len(), bursts(&events), burst), (1, vec![(text, false)], true));
        let (events, burst) = gather(keys("}\r"), true);
        assert_eq!((bursts(&events), burst), (vec![("}\r", true)], true), "the end of it");
    }

    #[test]
    fn what_is_no_text_ends_a_burst() {
        let up = || Event::Key(Key::parse("up").expect("a key"));
        let mut events = keys(&"x".repeat(20));
        events.push(up());
        events.extend(keys("ab"));
        let (events, burst) = gather(events, false);
        assert_eq!((events.len(), burst), (4, false), "a burst, a key, two characters");
        let (events, burst) = gather(vec![up()], true);
        assert_eq!((events.len(), burst), (1, false));
        assert!(gather(vec![], true).1, "nothing ends nothing");
    }
}
