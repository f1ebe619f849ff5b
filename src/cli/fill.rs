//! `myriad fill`: finds what to write in the place of a `?`, so that every test passes.

use std::fmt::Write;
use std::time::Instant;

use super::args::{Common, FillArgs};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::limit::Limits;
use super::repair::{apply, by_name, question, search_repairs};
use super::session::Session;
use super::{FileReport, each_source};
use crate::compiler::program::Compiled;
use crate::engine::Kind;
use crate::engine::extra_inputs::with_small_domains;
use crate::engine::leveled::LeveledBase;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, TokenId};
use crate::lang::ty::Type;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::places::Lines;
use crate::report::visible::on_one_line;
use crate::testing::mutation::repair::{Evidence, FillSearch, Search};

/// Fills the hole of each file.
pub fn fill(common: Common, args: &FillArgs) -> Result<Exit, Failure> {
    let limits = Limits::new(args.seconds);
    let limit = limits.whole();
    let mut session = Session::for_fill(common)?;
    input::refuse_repeated_stdin(&args.files.files)?;
    let sources = args.files.files.iter().map(|path| input::read(path));
    each_source(sources, common, None, |source| {
        let started = Instant::now();
        let Some(LeveledBase { shown: base, judged }) = session.leveled(source, &limit)? else {
            let own = Object::new().list("solutions", [(); 0]);
            return Ok(FileReport::unended(
                source,
                &limit,
                "its tests did not end, and nothing was tried",
                own,
            ));
        };
        let program = judged.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        if report.exit != Exit::Good {
            report.complete(Object::new().list("solutions", [(); 0]), None, None);
            return Ok(report);
        }
        let entries = with_small_domains(&program, &judged.entries, &limit).unwrap_or(judged.entries);
        let search = Search::new(program.clone(), &entries, &limit).filter(|search| search.fill().is_some());
        let Some(mut search) = search else {
            report.add_failure(unfillable(source, &program), "`?` in the place of an int or a bool is filled");
            report.complete(Object::new().list("solutions", [(); 0]), None, None);
            return Ok(report);
        };
        let found = search_repairs(&mut search, &program, session.engine(), (None, args.most), &limit);
        report.partial = found.partial;
        let (tried, size, impossible) =
            search.fill().map_or((0, 0, None), |fill| (fill.tried(), fill.size(), fill.impossible()));
        if found.repairs.is_empty() {
            let help = "look at the tests, or write a part of the expression";
            report.add_failure(nothing(source, &program, size, impossible), help);
        }
        if args.apply
            && let Some(best) = found.repairs.first()
        {
            apply(source, &best.apply(&program.text))?;
        }
        let lines = Lines::new(&program.text);
        let hole = program.view().holes().next();
        let span = hole.and_then(|hole| program.view().span(hole)).unwrap_or_default();
        let place = lines.span(span);
        let types: Vec<String> =
            program.view().holes().map(|hole| program.view().ty(hole).to_string()).collect();
        let ty = types.join(" and the ");
        let mut text = format!(
            "{}:{}:{}: {} for the {ty}, {} tried to size {size}\n",
            source.shown(),
            place.line,
            place.column,
            plural(found.repairs.len() as u64, "expression"),
            grouped(tried),
        );
        let evidence = search.fill().and_then(FillSearch::evidence);
        let (asked, words) = found.question.as_ref().map(|asked| question(asked, "expression")).unzip();
        let words = words.unwrap_or_default();
        // Where little is known, the question comes first.
        if let Some(evidence) = &evidence {
            let _ = write!(text, "  {}\n{words}", evidence.text());
        }
        let shown = (1..).zip(&found.repairs).take(args.most);
        let rows: Vec<Object> = shown
            .map(|(rank, repair)| {
                let written: Vec<&str> =
                    repair.changes.iter().map(|change| change.replacement.as_str()).collect();
                let written = written.join(", ");
                let _ = writeln!(text, "  {rank:>3}. {}", on_one_line(&written));
                if let Some(likeness) = repair.likeness() {
                    let _ = writeln!(text, "       {likeness}");
                }
                Object::new()
                    .field("rank", rank)
                    .field("text", written)
                    // Other expressions with the same values on all inputs tried, and those that are proved equal.
                    .field("alike", repair.alike)
                    .field("alike_proved", repair.proved)
            })
            .collect();
        let by = search.fill().map_or(Kind::Cpu, |fill| fill.searched_by());
        text.push_str(&match (by, &found.refused) {
            (_, Some(why)) => format!("  searched by the CPU, as the device failed: {}\n", on_one_line(why)),
            (Kind::Gpu, None) => "  searched by the GPU\n".into(),
            (Kind::Cpu, None) => String::new(),
        });
        if let [sole] = &found.repairs[..] {
            let _ = writeln!(text, "  {}", sole.plausible());
        }
        if evidence.is_none() {
            text.push_str(&words);
        }
        if args.apply && !rows.is_empty() {
            text.push_str("  the first one was written\n");
        }
        let mut spent = base.timings;
        spent.wall = started.elapsed();
        let document = Object::new()
            .join(place)
            .field("type", types.join(", "))
            .list("solutions", rows)
            .field("tried", tried)
            .field("size", size)
            .field("searched_by", by_name(by))
            .option("refused", found.refused)
            .option("evidence", evidence.map(evidence_of))
            .option("question", asked);
        report.complete(document, Some(text), session.timings(&spent));
        Ok(report)
    })
}

fn evidence_of(evidence: Evidence) -> Object {
    let Evidence { tests, fits, size } = evidence;
    Object::new().field("tests", tests).field("fits", fits).field("size", size)
}

/// Says why a program has no hole that can be filled.
fn unfillable(source: &InputSource, program: &Compiled) -> String {
    let (view, name) = (program.view(), source.shown());
    let mut holes = view.holes();
    match (holes.next(), holes.count()) {
        (None, _) => format!("{name} has no `?`"),
        (Some(_), more @ 2..) => format!("{name} has {} `?`, and at most two are filled together", more + 1),
        (Some(first), 1) if lies_apart(program, first) => {
            format!("the two `?` of {name} are in different functions; two in one function are filled together")
        }
        (Some(hole), _) if !matches!(view.ty(hole), Type::INT | Type::BOOL) => {
            format!("the `?` of {name} is a {}, and only ints and bools are filled", view.ty(hole))
        }
        (Some(_), _) => format!("no test or property of {name} reaches its `?` in a function"),
    }
}

/// Whether the last hole of a program is outside the item that the first one is in.
fn lies_apart(program: &Compiled, first: TokenId) -> bool {
    let view = program.view();
    let item = std::iter::successors(view.parent(first), |node| view.parent(*node)).last();
    !item.zip(view.holes().last()).is_some_and(|(item, last)| view.extent(item).contains(last))
}

/// Says that nothing was found, and why if that is known.
fn nothing(source: &InputSource, program: &Compiled, size: usize, impossible: Option<EntryId>) -> String {
    let name = source.shown();
    let line =
        impossible.and_then(|entry| program.entry(entry)).map(|routine| program.view().line(routine.head()));
    match line {
        Some(line) => {
            format!("no value of the `?` passes the test on line {line} of {name} and those before it")
        }
        None => format!("no expression up to size {size} passes every test of {name}"),
    }
}
