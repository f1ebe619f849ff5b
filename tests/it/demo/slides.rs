//! Slides from the stills of a tape.

use std::path::Path;

use myriad::workbench::demo::record::Recording;
use myriad::workbench::demo::slides::{Slide, page};

use super::recorded;
use super::svg::elements;
use crate::common::command::{Called, myriad};

const TAPE: &str = "Set Width 80\nSet Height 24\nOpen samples/gcd.myr\nStill begin \"The program & its <tests>\"\n\
                    Alt+7\nStill mutants\nDown 3\nStill third \"The third mutant\"\n";

fn slides<'a>(recording: &'a Recording, captions: &[&'a str]) -> Vec<Slide<'a>> {
    let slide = |(at, ((_, picture), caption)): (usize, (&'a (String, _), &&'a str))| Slide {
        number: at + 1,
        of: captions.len(),
        caption,
        title: "a < title",
        picture,
    };
    recording.stills.iter().zip(captions).enumerate().map(slide).collect()
}

#[test]
fn slide_shows_caption_number_and_screen() {
    let recording = recorded(TAPE);
    let slides = slides(&recording, &["The program & its <tests>", "mutants", "The third mutant"]);
    assert_eq!(slides.len(), 3);
    for slide in &slides {
        let svg = slide.svg();
        let texts = elements(&svg, "text");
        assert_eq!(texts[0], slide.caption);
        assert_eq!(texts[texts.len() - 2..], ["a < title".to_string(), format!("{} / 3", slide.number)]);
        let screen: String = texts[1..texts.len() - 2].concat();
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(letters(&screen), letters(&slide.picture.text()));
        assert!(!svg.contains("href") && svg.len() < 100_000, "{} bytes", svg.len());
    }
}

/// A style of one slide must not colour the text of another.
#[test]
fn page_has_all_slides_and_needs_no_other_file() {
    let recording = recorded(TAPE);
    let slides = slides(&recording, &["one", "two", "three"]);
    let page = page(&slides);
    assert_eq!(page.matches("<section").count(), 3);
    for slide in &slides {
        let svg = slide.svg();
        assert!(page.contains(&svg));
        let prefix = format!("s{}-", slide.number);
        assert!(svg.matches("class=\"").count() > 20);
        assert_eq!(svg.matches("class=\"").count(), svg.matches(&format!("class=\"{prefix}")).count());
        assert!(svg.contains(&format!(".{prefix}a{{fill")));
    }
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http", "href", "src=", "@import", "url("] {
        assert!(!without_names.contains(outside), "{outside}");
    }
}

#[test]
fn long_caption_leaves_room_for_the_screen() {
    let recording = recorded(TAPE);
    let caption = "words ".repeat(25);
    let slides = slides(&recording, &[caption.trim()]);
    let svg = slides[0].svg();
    let lines: Vec<String> =
        elements(&svg, "text").into_iter().take_while(|line| line.starts_with("words")).collect();
    assert_eq!(lines.join(" "), caption.trim());
    assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= 66), "{lines:?}");
    let heights =
        svg.split(" height=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
    // The second of the attributes is that of the screen: the first one is the slide's.
    assert!(heights.into_iter().find(|height| *height < 1080.0).is_some_and(|height| height > 600.0), "{svg}");
}

/// Makes slides of a tape, in the folder `a/talk` next to it.
fn call(folder: &Path, text: &str, more: &[&str]) -> Called {
    let (tape, out) = (folder.join("talk.tape"), folder.join("a/talk"));
    std::fs::write(&tape, text).expect("written");
    let words = ["demo", tape.to_str().expect("a text"), "--slides", out.to_str().expect("a text")];
    myriad(&[&words, more].concat(), b"")
}

#[test]
fn call_writes_slides_and_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let called = call(folder.path(), TAPE, &["--format", "json"]);
    assert_eq!((called.code, called.stderr.as_str()), (0, ""), "{called:?}");
    let names = ["01-begin.svg", "02-mutants.svg", "03-third.svg", "slides.html"];
    let paths = names.map(|name| folder.path().join("a/talk").join(name));
    assert_eq!(called.json()["written"], serde_json::json!(paths));
    let [slides @ .., page] = paths.map(|path| std::fs::read_to_string(path).expect("written"));
    assert!(page.contains("<title>talk</title>") && page.contains("The third mutant"), "{page}");
    assert!(slides.iter().all(|slide| page.contains(slide)));
    // A second call replaces them.
    let again = call(folder.path(), TAPE, &[]);
    assert_eq!((again.code, again.stdout.lines().count()), (0, 4), "{again:?}");
}

#[test]
fn tape_without_stills_makes_no_slides() {
    let folder = tempfile::tempdir().expect("a folder");
    let called = call(folder.path(), "Sleep 1s\n", &[]);
    assert_eq!(called.code, 2);
    assert!(called.stderr.contains("has no `Still`"), "{called:?}");
    assert!(!folder.path().join("a").exists());
}
