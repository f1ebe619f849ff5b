//! `myriad demo`: plays a tape in the terminal, or records it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::args::{Common, DemoArgs, Format, Look};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::session::settings;
use super::writing::{Outputs, unwritable};
use super::{output, workbench};
use crate::engine::choose::Preference;
use crate::host::files;
use crate::host::measure::numbers::plural;
use crate::lang::limits;
use crate::report::document::{Object, VERSION};
use crate::report::draw::{Note, notes, place_in};
use crate::report::visible::visible;
use crate::session::CompareExtent;
use crate::workbench::config::{Colours, Config, Engines};
use crate::workbench::demo::live::perform;
use crate::workbench::demo::play::Stop;
use crate::workbench::demo::record::{Recording, record_with};
use crate::workbench::demo::slides::{self, Slide};
use crate::workbench::demo::svg::{self, film::Film};
use crate::workbench::demo::{FIRST_LOOK, cast, find};
use crate::workbench::modal::KeySet;
use crate::workbench::state::EditorOptions;
use crate::workbench::tape::line::Fault;
use crate::workbench::tape::{self, Act, Tape};
use crate::workbench::{Options, Start};

/// Plays or records one tape.
pub fn demo(common: Common, args: &DemoArgs) -> Result<Exit, Failure> {
    let source = match &args.tape {
        Some(tape) => input::read(tape)?,
        None => InputSource::new(OsStr::new("first-look.tape"), FIRST_LOOK.into()),
    };
    let tape = read(&source);
    let tape = match tape {
        Ok(tape) => tape,
        Err(faults) => return wrong(common, &source, &faults),
    };
    if args.check {
        let said = format!("{}: {}\n", source.shown(), plural(tape.steps.len() as u64, "command"));
        tell(common, &source, &[], &[], &said)?;
        return Ok(Exit::Good);
    }
    let outputs = outputs(args, &tape);
    if let Some(folder) = &args.slides {
        if !tape.steps.iter().any(|step| matches!(step.act, Act::Still { .. })) {
            return Err(Failure::call(
                format!("{} has no `Still`, so there are no slides", source.shown()),
                "`Still NAME \"CAPTION\"` makes a slide of the screen as it is then",
            ));
        }
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    check_outputs(&outputs, &source)?;
    let folder = tempfile::Builder::new().prefix("myriad-demo-").tempdir().map_err(|error| {
        Failure::call(
            format!("cannot create a folder for the tape's program: {}", files::message(&error)),
            "check that there is space for temporary files",
        )
    })?;
    if outputs.is_empty() {
        if !io::stdout().is_terminal() {
            let help = "`--cast OUT.cast`, `--film OUT.svg`, `--svg OUT.svg` and `--slides FOLDER` record it without one";
            return Err(Failure::call("playing a tape needs a terminal", help));
        }
        return match perform(&tape, options(common, &tape, false), folder.path()) {
            Ok(Some(text)) => {
                let look = Look { present: tape.settings.presenter, lab: false };
                workbench::begin(common, &Start::Text(text), look, None);
                Ok(Exit::Good)
            }
            Ok(None) => Ok(Exit::Good),
            Err(stop) => ended(common, &source, stop),
        };
    }
    let mut film = args.film.is_some().then(Film::default);
    let watch = &mut |at, picture: &_| film.iter_mut().for_each(|film| film.add(at, picture));
    match record_with(&tape, options(common, &tape, true), folder.path(), watch) {
        Ok(recording) => {
            let written = write(args, &tape, &source, &recording, film)?;
            let said: String = written.iter().map(|path| format!("wrote {}\n", visible(path))).collect();
            tell(common, &source, &[], &written, &said)?;
            Ok(Exit::Good)
        }
        Err(stop) => ended(common, &source, stop),
    }
}

/// Parses a tape and finds its programs.
fn read(source: &InputSource) -> Result<Tape, Vec<Fault>> {
    let mut tape = Tape::parse(&source.text)?;
    let beside = files::folder(source.path());
    tape.find(|name| find(name, &beside))?;
    Ok(tape)
}

/// Returns the workbench's options. Recordings must not depend on the machine, so they ignore the
/// configuration.
fn options(common: Common, tape: &Tape, recording: bool) -> Options {
    let own = tape::config::of(&tape.settings.config);
    let (taped, keys) = own.map_or((None, None), |(config, keys)| (Some(config), keys.map()));
    let call = settings(&common);
    let mut config = if recording { Config::default() } else { call };
    config.engine.choice = match call.engine.choice {
        Preference::Auto if recording => Preference::Cpu,
        asked => asked,
    };
    config.engine.opt = common.level().into();
    if recording {
        // The progress of idle work differs between machines, so recordings do none.
        (config.engine.shaders, config.engine.idle) = (false, CompareExtent::Off);
        config.engine.inputs = limits::SAMPLES;
    }
    // A tape's text is typed as it is written, unless it says otherwise.
    config.editor.0 = match recording {
        true => EditorOptions::default(),
        false => EditorOptions { key_set: KeySet::Standard, ..config.editor.0 },
    };
    config.screen = Colours::default();
    if let Some(taped) = taped {
        let Engines { budget, group, opt, .. } = taped.engine;
        (config.editor, config.screen.laboratory) = (taped.editor, taped.screen.laboratory);
        config.engine = Engines { budget, group, opt, ..config.engine };
    }
    // A tape names default keys, unless it has its own.
    Options { config, keys, present: tape.settings.presenter, ..Options::default() }
}

/// The name of the page with all slides.
const PAGE: &str = "slides.html";

/// Returns the files that the call writes.
fn outputs(args: &DemoArgs, tape: &Tape) -> Vec<PathBuf> {
    let stills = tape.steps.iter().filter_map(|step| match &step.act {
        Act::Still { name, .. } => Some(name),
        _ => None,
    });
    let count = stills.clone().count();
    let slides = args.slides.iter().flat_map(|folder| {
        let slide = move |(at, name): (usize, &String)| folder.join(Slide::file_name(at + 1, count, name));
        stills.clone().enumerate().map(slide).chain([folder.join(PAGE)])
    });
    let svgs = args
        .svg
        .iter()
        .flat_map(|svg| std::iter::once(svg.clone()).chain(stills.clone().map(|name| still(svg, name))));
    args.cast.iter().chain(&args.film).cloned().chain(svgs).chain(slides).collect()
}

/// Returns the path of a still: `OUT.svg` becomes `OUT-NAME.svg`.
fn still(svg: &Path, name: &str) -> PathBuf {
    let mut file = svg.file_stem().unwrap_or(OsStr::new("still")).to_os_string();
    file.push(format!("-{name}"));
    if let Some(end) = svg.extension() {
        file.push(".");
        file.push(end);
    }
    svg.with_file_name(file)
}

/// The files that a tape makes: never the tape itself, other tapes and programs.
fn guarded(source: &InputSource) -> Outputs<'_> {
    let read = Some((source, "the tape"));
    Outputs { read, better: "tour.cast or tour.svg" }
}

/// Checks that all outputs can be written and that none is a program or the tape.
fn check_outputs(outputs: &[PathBuf], source: &InputSource) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    for path in outputs {
        guarded(source).check(path)?;
        if !known.insert(files::identity(path)) {
            let message = format!("{} is named twice", visible(&path.display().to_string()));
            return Err(Failure::call(message, "use a different name for each output"));
        }
    }
    Ok(())
}

/// Writes the requested outputs; returns the names of the files.
fn write(
    args: &DemoArgs,
    tape: &Tape,
    source: &InputSource,
    recording: &Recording,
    film: Option<Film>,
) -> Result<Vec<String>, Failure> {
    let own = source.path().file_stem().map_or("tape".into(), |name| name.to_string_lossy());
    let title = tape.settings.title.as_deref().unwrap_or(&own);
    let mut written = Vec::new();
    let mut put = |path: &Path, text: &str| -> Result<(), Failure> {
        guarded(source).write(path, text)?;
        written.push(path.display().to_string());
        Ok(())
    };
    if let Some(path) = &args.cast {
        put(path, &cast::cast(recording, title))?;
    }
    if let Some(path) = &args.svg {
        put(path, &svg::picture(&recording.last, title))?;
        for (name, picture) in &recording.stills {
            put(&still(path, name), &svg::picture(picture, &format!("{title}: {name}")))?;
        }
    }
    if let (Some(path), Some(film)) = (&args.film, film) {
        put(path, &film.svg(recording.length, title))?;
    }
    if let Some(folder) = &args.slides {
        let of = captions(tape).count();
        let mut slides = Vec::new();
        for (number, (caption, (name, picture))) in (1..).zip(captions(tape).zip(&recording.stills)) {
            let slide = Slide { number, of, caption, title, picture };
            put(&folder.join(Slide::file_name(number, of, name)), &slide.svg())?;
            slides.push(slide);
        }
        put(&folder.join(PAGE), &slides::page(&slides))?;
    }
    Ok(written)
}

/// Returns the captions of a tape's stills, in order.
fn captions(tape: &Tape) -> impl Iterator<Item = &str> {
    tape.steps.iter().filter_map(|step| match &step.act {
        Act::Still { name, caption } => Some(caption.as_deref().unwrap_or(name)),
        _ => None,
    })
}

/// Reports how a tape ended.
fn ended(common: Common, source: &InputSource, stop: Stop) -> Result<Exit, Failure> {
    match stop {
        Stop::Left(0) => Ok(Exit::Good),
        // A signal that ended the program is not a fault of the tape.
        Stop::Left(code) => std::process::exit(code.into()),
        Stop::Failed(why) => Err(Failure::call(
            format!("the tape cannot be played: {why}"),
            "try again, or check the system's limits",
        )),
        Stop::WaitTimedOut { step, screen } => {
            let fault = Fault::new(
                step.span,
                "this did not come in time",
                "`Wait@60s` waits longer; the screen at that time is shown below",
            );
            let exit = wrong(common, source, &[fault]);
            if common.format == Format::Text {
                output::print_error(&screen);
            }
            exit
        }
    }
}

/// Reports the faults of a tape.
fn wrong<'a>(common: Common, source: &InputSource, faults: &'a [Fault]) -> Result<Exit, Failure> {
    if common.format == Format::Text {
        let colours = output::colours(&io::stderr());
        let note = |fault: &'a Fault| {
            let (_, column) = place_in(&source.text, fault.span.start);
            Note::error(&fault.span, column as u32, &fault.message, Some(&fault.help))
        };
        output::print_error(&notes(&source.name, &source.text, faults.iter().map(note), colours));
    }
    tell(common, source, faults, &[], "")?;
    Ok(Exit::ProgramFailed)
}

fn tell(
    common: Common,
    source: &InputSource,
    faults: &[Fault],
    written: &[String],
    said: &str,
) -> Result<(), Failure> {
    let fault = |fault: &Fault| {
        let (line, column) = place_in(&source.text, fault.span.start);
        let place = Object::new().field("line", line).field("column", column);
        place.field("message", &fault.message).field("help", &fault.help)
    };
    let own = Object::new().field("version", VERSION).field("tape", &source.name);
    let own = own.list("faults", faults.iter().map(fault)).field("written", written);
    output::print_result(common.format, said, &own).map(drop)
}
