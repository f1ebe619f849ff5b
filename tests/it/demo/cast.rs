//! Casts: the output of a terminal that plays one.

use crate::common::extent::skip_unless_thorough;
use std::sync::LazyLock;

use serde_json::Value;

use myriad::workbench::demo::cast::cast;
use myriad::workbench::demo::record::Recording;

use super::recorded;

const TAPE: &str = "Set Width 90\nSet Height 30\nSet WaitTimeout 120s\nOpen samples/bits.myr\nAlt+7\nSleep 1s\nDown 2\nAlt+1\nCtrl+G\nType \"13:20\"\nEnter\n\
                    Delete\nType \"ä→ /\"\nSleep 500ms\nF7\nF1\nSleep 200ms\nEscape\n";

static RECORDING: LazyLock<Recording> = LazyLock::new(|| recorded(TAPE));

#[test]
fn cast_replays_the_screen_of_the_workbench() {
    let recording = &*RECORDING;
    let text = cast(recording, "a \"tape\"");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
        .collect();
    let (header, events) = lines.split_first().expect("a header");
    assert_eq!((&header["version"], &header["width"], &header["height"]), (&2.into(), &90.into(), &30.into()));
    assert_eq!(header["title"], "a \"tape\"");
    assert!(events.len() > 10, "{} events", events.len());
    let mut parser = vt100::Parser::new(30, 90, 0);
    let mut last = 0.0;
    for event in events {
        let (time, kind, output) =
            (event[0].as_f64().expect("a time"), &event[1], event[2].as_str().expect("a text"));
        assert!(time >= last && kind == "o", "{event}");
        last = time;
        parser.process(output.as_bytes());
    }
    assert_eq!(last, recording.length.as_secs_f64());
    let screen = parser.screen();
    let shown: Vec<String> = screen.rows(0, 90).map(|row| row.trim_end().to_string()).collect();
    let wanted: Vec<String> = (0..30).map(|y| recording.last.line(y)).collect();
    assert_eq!(shown, wanted);
    // Colours are compared, too, cell by cell.
    let mut cells = 0;
    for y in 0..30 {
        for x in 0..90 {
            let (cell, own) = (screen.cell(y, x).expect("a cell"), &recording.last.cells[(x, y)]);
            if let (vt100::Color::Rgb(r, g, b), ratatui::style::Color::Rgb(red, green, blue)) =
                (cell.fgcolor(), own.fg)
            {
                assert_eq!((r, g, b), (red, green, blue), "at {x}, {y}");
                cells += 1;
            }
            assert_eq!(cell.bold(), own.modifier.contains(ratatui::style::Modifier::BOLD), "at {x}, {y}");
        }
    }
    assert!(cells > 2000, "{cells} cells have colours");
    let cursor = recording.last.cursor.map(|at| (at.y, at.x));
    assert_eq!(cursor.is_none(), screen.hide_cursor());
    assert_eq!(cursor.unwrap_or(screen.cursor_position()), screen.cursor_position());
}

#[test]
fn two_recordings_are_the_same() {
    if skip_unless_thorough() {
        return;
    }
    assert_eq!(cast(&RECORDING, ""), cast(&recorded(TAPE), ""));
}
