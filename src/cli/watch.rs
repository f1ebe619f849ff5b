//! `myriad watch`: tests programs whenever they are saved, and prints the results line by line.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::live::{self, News, Verdicts};
use super::titles::heading;
use super::{output, stopping};
use crate::host::measure::numbers::plural;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::{Diagnostic, diagnostics};
use crate::report::document::{self, Object, findings};
use crate::report::draw;
use crate::report::places::Lines;
use crate::report::visible::visible;
use crate::session::{Edit, Request, Session, Update};
use crate::testing::mutation::QuestionAnswer;
use crate::workbench::watch::{self, Watch};

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(100);
/// How long the engine's threads may take to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// An event that the command waits for.
enum WatchInput {
    /// The file with this index may have changed.
    Changed(usize),
    /// A file is no longer watched.
    Deaf(Failure),
    News(Box<News>),
}

/// A line of JSON output and the same as text: the tests of a text, its mutants, or suggestions.
type Said = (Object, String);

/// The text that is being judged.
struct Judging {
    file: usize,
    source: InputSource,
    revision: u64,
    since: Instant,
    /// Tests and repairs that are printed already.
    said: BTreeSet<String>,
}

struct Watching<'a> {
    common: Common,
    files: &'a [OsString],
    session: Session,
    verdicts: Verdicts,
    /// Files to be read, in the order in which they changed.
    waiting: VecDeque<usize>,
    judging: Option<Judging>,
    /// The newest text of each file.
    texts: Vec<Option<Arc<str>>>,
    revision: u64,
}

/// Watches files until an interrupt.
pub fn watch(common: Common, files: &[OsString]) -> Result<Exit, Failure> {
    if files.iter().any(|file| file == "-") {
        return Err(Failure::call(
            "standard input cannot be watched",
            "name files; `myriad test -` reads it once",
        ));
    }
    // Files that cannot be read are reported before anything is watched.
    files.iter().try_for_each(|file| input::read(file).map(drop))?;
    let stop = stopping::flag();
    let (sender, inputs) = channel();
    let _watches = files
        .iter()
        .enumerate()
        .map(|(index, file)| observe(index, file, &sender))
        .collect::<Result<Vec<Watch>, _>>()?;
    let news = sender.clone();
    let session = live::start(&common, &[], move |told| drop(news.send(WatchInput::News(Box::new(told)))))
        .map_err(|error| {
            Failure::call(
                format!("a thread could not be started: {error}"),
                "end other programs, and try again",
            )
        })?;
    let mut watching = Watching {
        common,
        files,
        session,
        verdicts: Verdicts::default(),
        waiting: (0..files.len()).collect(),
        judging: None,
        texts: vec![None; files.len()],
        revision: 0,
    };
    watching.follow(&inputs, &|| stop.load(Ordering::Relaxed))?;
    watching.session.finish(PATIENCE);
    Ok(Exit::Good)
}

fn observe(index: usize, file: &OsString, sender: &Sender<WatchInput>) -> Result<Watch, Failure> {
    let (sender, name) = (sender.clone(), visible(&file.to_string_lossy()));
    let failed = move |error| {
        let message = format!("{name} cannot be watched: {error}");
        Failure::call(
            message,
            "check that its folder can be read, and how many files the system lets a user watch",
        )
    };
    let on_change = {
        let failed = failed.clone();
        move |told: notify::Result<()>| {
            let input =
                told.map_or_else(|error| WatchInput::Deaf(failed(error)), |()| WatchInput::Changed(index));
            let _ = sender.send(input);
        }
    };
    watch::watch(file.as_ref(), on_change).map_err(failed)
}

impl Watching<'_> {
    /// Reads what has changed and prints what arrives, until `is_stopped` or the reader of the output is gone.
    fn follow(&mut self, inputs: &Receiver<WatchInput>, is_stopped: &dyn Fn() -> bool) -> Result<(), Failure> {
        while !is_stopped() {
            self.begin()?;
            let printed = match inputs.recv_timeout(TICK) {
                Ok(WatchInput::Changed(file)) => {
                    if !self.waiting.contains(&file) {
                        self.waiting.push_back(file);
                    }
                    true
                }
                Ok(WatchInput::Deaf(failure)) => {
                    output::report_failure(&failure);
                    true
                }
                Ok(WatchInput::News(news)) => self.news(*news)?,
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            if !printed {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends the next waiting text to the session, unless a text of another file is being judged. Repairs, and tests for
    /// survivors, are sought until then.
    fn begin(&mut self) -> Result<(), Failure> {
        while let Some(file) = self.waiting.front().copied() {
            let is_judged = self.verdicts.results.mutants.done.is_some() || self.session.is_idle();
            if self.judging.as_ref().is_some_and(|judging| judging.file != file) && !is_judged {
                return Ok(());
            }
            self.waiting.pop_front();
            let source = match input::read(&self.files[file]) {
                Ok(source) => source,
                Err(failure) => {
                    // A folder that is made again is reported several times before the file is there.
                    if self.texts[file].take().is_some() {
                        output::report_failure(&failure);
                    }
                    continue;
                }
            };
            if self.texts[file].as_ref() == Some(&source.text) {
                continue;
            }
            self.texts[file] = Some(source.text.clone());
            self.revision += 1;
            let since = Instant::now();
            self.session.send(Request::Edit(Edit {
                revision: self.revision,
                text: source.text.clone(),
                at: since,
                fires_in: None,
            }));
            self.judging =
                Some(Judging { file, source, revision: self.revision, since, said: BTreeSet::new() });
            self.verdicts = Verdicts::default();
            break;
        }
        Ok(())
    }

    /// Prints what an update says. Returns whether there is still a reader.
    fn news(&mut self, news: News) -> Result<bool, Failure> {
        let Some(judging) = &mut self.judging else { return Ok(true) };
        let kind = match &news.update {
            Update::Base { revision, .. } if *revision == judging.revision => WatchKind::Base,
            Update::Done { revision, .. } if *revision == judging.revision => WatchKind::Done,
            Update::Found(found) if found.revision == judging.revision => WatchKind::Found,
            _ => WatchKind::Other,
        };
        let passed = failing(&self.verdicts, judging).0;
        let mut base = match &news.update {
            Update::Base { result, .. } => Some(result.compiled.clone()),
            _ => None,
        };
        self.verdicts.update(&judging.source.text, news);
        let verdicts = &self.verdicts;
        // More inputs of a property may change its result.
        if kind == WatchKind::Found && failing(verdicts, judging).0 != passed {
            base = verdicts.shown(judging.revision).map(|shown| shown.compiled.clone());
        }
        let said = match (kind, base) {
            (_, Some(program)) => Some(tests(verdicts, judging, &diagnostics(&program))),
            (WatchKind::Done, _) => mutants(verdicts, judging),
            (WatchKind::Found, _) => suggestions(verdicts, judging),
            _ => None,
        };
        let Some((fields, text)) = said else { return Ok(true) };
        if self.common.format == Format::Text {
            return output::print(&text);
        }
        // The time since the text was read.
        let milliseconds = judging.since.elapsed().as_secs_f64() * 1e3;
        let line = Object::new().field("file", &judging.source.name).field("milliseconds", milliseconds);
        output::print(&(document::json(&line.join(fields)) + "\n"))
    }
}

/// The subject of an update.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WatchKind {
    Base,
    Done,
    Found,
    Other,
}

/// Returns the number of tests that pass, and of the others the line, the title and the outcome.
fn failing(verdicts: &Verdicts, judging: &Judging) -> (usize, Vec<(u32, String, String)>) {
    let Some(shown) = verdicts.shown(judging.revision) else { return (0, Vec::new()) };
    let mut passed = 0;
    let mut failing = Vec::new();
    for (id, result) in verdicts.entries(judging.revision) {
        if result.outcome == Outcome::Pass {
            passed += 1;
            continue;
        }
        let heading = heading(&shown.compiled, id);
        let outcome = verdicts.outcome(id, result).trim_start_matches("✗ ").to_string();
        failing.push((heading.line, heading.title, outcome));
    }
    (passed, failing)
}

fn tests(verdicts: &Verdicts, judging: &Judging, found: &[Diagnostic]) -> Said {
    let source = &judging.source;
    let mut text = draw::draw(&source.name, &source.text, found, output::colours(&std::io::stdout()));
    let (passed, failing) = failing(verdicts, judging);
    let milliseconds = judging.since.elapsed().as_secs_f64() * 1e3;
    let said = match found.iter().filter(|one| one.code.is_error()).count() {
        0 => format!("{passed} of {} pass", plural((passed + failing.len()) as u64, "test")),
        errors => plural(errors as u64, "error"),
    };
    let _ = writeln!(text, "{}: {said}, after {milliseconds:.1} ms", source.shown());
    for (line, test, outcome) in &failing {
        let _ = writeln!(text, "  line {line}: {}: {}", visible(test), visible(outcome));
    }
    let row = |(line, test, outcome): &(u32, String, String)| {
        Object::new().field("line", line).field("test", test).field("outcome", outcome)
    };
    let fields = Object::new().field("diagnostics", findings(found)).field("passed", passed);
    (fields.list("failing", failing.iter().map(row)), text)
}

fn mutants(verdicts: &Verdicts, judging: &Judging) -> Option<Said> {
    let shown = verdicts.shown(judging.revision)?;
    let counts = verdicts.results.mutants.tally.first_order;
    if counts.judged() == 0 {
        return None;
    }
    let lines = Lines::new(&judging.source.text);
    let score = counts.score().map(|score| score.decimal());
    let shown_score = score.map_or(String::new(), |score| format!(", score {:.1} %", score * 100.0));
    let mut text = format!("  {}{shown_score}: {}\n", plural(counts.judged().into(), "mutant"), counts.text());
    let mut survivors = Vec::new();
    for survivor in verdicts.survivors(shown) {
        let (line, change) = (lines.line(survivor.at.start), survivor.change);
        let _ = writeln!(text, "    survived, line {line}: {}", visible(&change));
        survivors.push(Object::new().field("line", line).field("change", change));
    }
    Some((Object::new().field("mutants", counts).field("score", score).list("survivors", survivors), text))
}

/// Returns the repairs and the tests for survivors that have not been printed.
fn suggestions(verdicts: &Verdicts, judging: &mut Judging) -> Option<Said> {
    let shown = verdicts.shown(judging.revision)?;
    let lines = Lines::new(&judging.source.text);
    let mut repairs = Vec::new();
    for repair in verdicts.repairs().map_or(&[][..], |repairs| repairs.found.as_slice()) {
        let words = repair.changes.iter().map(|change| {
            let old = judging.source.text.get(change.lo..change.hi).unwrap_or("");
            format!("line {}: `{old}` → `{}`", lines.line(change.lo), change.replacement)
        });
        repairs.push(words.collect::<Vec<_>>().join(", "));
    }
    let tests = verdicts.survivors(shown).filter_map(|survivor| match verdicts.answer(survivor.id)? {
        QuestionAnswer::Found(question) => Some(question.test.clone()),
        QuestionAnswer::Alike { .. } => None,
    });
    let mut suggestions: Vec<String> = tests.collect();
    suggestions.retain(|test| judging.said.insert(test.clone()));
    repairs.retain(|repair| judging.said.insert(repair.clone()));
    let mut text = String::new();
    for (what, all) in [("repair", &repairs), ("would notice a survivor", &suggestions)] {
        text.extend(all.iter().map(|one| format!("  {what}: {}\n", visible(one))));
    }
    let fields = Object::new().field("suggestions", &suggestions).field("repairs", &repairs);
    (!text.is_empty()).then_some((fields, text))
}
