//! `myriad stages`: prints the output of each stage.

use super::args::{Common, Format, StageName, StagesArgs};
use super::exit::{Exit, Failure};
use super::rules::{RuleFile, on_processor};
use super::session::Session;
use super::{FileReport, each_file};
use crate::compiler::program::{Compiled, Ir, Routines};
use crate::compiler::stage::flow::Flow;
use crate::compiler::stage::optimize;
use crate::engine::gpu::adapter::AdapterQuery;
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::round_tracing::{self, RoundTracer};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::stages::StageRows;
use crate::report::{self, calls, cfg, dump, listing, steps, symbols};

/// Prints the stages of each file.
pub fn stages(common: Common, args: &StagesArgs) -> Result<Exit, Failure> {
    if args.rounds {
        return rounds(common, args);
    }
    let wanted = |stage: StageName| match args.stage.is_empty() {
        true => !args.dot && !args.remarks && stage <= StageName::Bytecode,
        false => args.stage.contains(&stage) && !args.dot,
    };
    let drawn = drawn_graph(args)?;
    let rules = args.rules.as_deref().map(RuleFile::read).transpose()?;
    let mut session = Session::for_single_program(on_processor(common, rules.is_some()))?;
    each_file(&args.files.files, common, |source| {
        let (mut program, timings) = session.compile(source)?;
        let found = diagnostics(&program);
        if let Some(applied) = rules.as_ref().and_then(|rules| rules.apply(&program, &|| false)) {
            program = applied.program;
        }
        let (ir, routines) = match &args.after {
            Some(pass) => code_after(&program, pass),
            None => (program.ir.clone(), program.executable.routines.clone()),
        };
        let flow = match wanted(StageName::Cfg) || wanted(StageName::Facts) || drawn == Some(StageName::Cfg) {
            true => Flow::of(&ir, &routines),
            false => Flow::default(),
        };
        let calls = match wanted(StageName::Calls) || drawn == Some(StageName::Calls) {
            true => {
                let flow = Flow::of(&program.lowered, &optimize::lowered_routines(&program));
                calls::rows(&program, &flow)
            }
            false => Vec::new(),
        };
        let dot = drawn.map(|graph| match graph {
            StageName::Calls => calls::dot(&source.shown(), &calls),
            _ => cfg::dot(&source.shown(), &program, &ir, &flow),
        });
        let symbols = wanted(StageName::Symbols).then(|| symbols::rows(&program));
        let facts = wanted(StageName::Facts).then(|| report::facts::rows(&program, &ir, &routines, &flow));
        let remarks = args.remarks.then(|| steps::remarks(&program));
        let rows = StageRows::new(&program);
        let mut report = FileReport::new(source, &found);
        if common.format == Format::Text {
            let page = || page(&source.shown(), &program, &rows, &ir, &flow, wanted);
            report.is_data = dot.is_some();
            report.text = dot.unwrap_or_else(page);
            let sections = [
                ("facts", facts.as_deref().map(report::facts::page)),
                ("symbols", symbols.as_deref().map(symbols::page)),
                ("calls", wanted(StageName::Calls).then(|| calls::page(&calls))),
                ("remarks", remarks.as_deref().map(|remarks| steps::remarks_page(&program, remarks))),
            ];
            for (title, page) in sections {
                report.text += &page.map_or(String::new(), |page| section(&source.shown(), title, &page));
            }
            report.add_timings(timings.as_ref());
        } else {
            let own = Object::new()
                .option("tokens", wanted(StageName::Tokens).then(|| rows.tokens()))
                .option("ast", wanted(StageName::Ast).then(|| rows.ast()))
                .option("types", wanted(StageName::Types).then(|| rows.types()))
                .option("ir", wanted(StageName::Ir).then(|| rows.ir(&ir)))
                .option("bytecode", wanted(StageName::Bytecode).then(|| rows.bytecode()))
                .option("cfg", wanted(StageName::Cfg).then(|| cfg::rows(&program, &ir, &flow)))
                .option("dot", dot)
                .option("facts", facts)
                .option("symbols", symbols)
                .option("calls", wanted(StageName::Calls).then_some(calls))
                .option("remarks", remarks);
            report.add_document(own, timings);
        }
        Ok(report)
    })
}

/// Returns the graph that is drawn for Graphviz, if any.
fn drawn_graph(args: &StagesArgs) -> Result<Option<StageName>, Failure> {
    match args.stage[..] {
        _ if !args.dot => Ok(None),
        [] => Ok(Some(StageName::Cfg)),
        [graph @ (StageName::Cfg | StageName::Calls)] => Ok(Some(graph)),
        _ => Err(Failure::call(
            "`--dot` draws one graph",
            "`--stage cfg --dot` draws the control-flow graph, `--stage calls --dot` the call graph",
        )),
    }
}

/// Prints the rounds in which the shaders compile each file.
fn rounds(common: Common, args: &StagesArgs) -> Result<Exit, Failure> {
    let mut session = Session::for_single_program(common)?;
    let gpu = Gpu::open(&AdapterQuery::Any)?;
    let tracer = RoundTracer::new(&gpu)?;
    each_file(&args.files.files, common, |source| {
        let (program, timings) = session.compile(source)?;
        if !round_tracing::fits(&program) {
            let what = format!("{} is too large to show its rounds", source.shown());
            let most = round_tracing::LARGEST;
            return Err(Failure::call(what, format!("the limit is {most} tokens and {most} instructions")));
        }
        let (recording, _) = tracer.record(&gpu, &program, &|| false)?;
        let mut report = FileReport::new(source, &diagnostics(&program));
        let text = format!("== {}: rounds\n{}", source.shown(), report::rounds::page(&recording));
        let own = Object::new().field("rounds", report::rounds::rows(&recording));
        report.complete(own, Some(text), timings);
        Ok(report)
    })
}

fn page(
    name: &str,
    program: &Compiled,
    rows: &StageRows,
    ir: &Ir,
    flow: &Flow,
    wanted: impl Fn(StageName) -> bool,
) -> String {
    let sections: [(StageName, &str, &dyn Fn() -> String); 6] = [
        (StageName::Tokens, "tokens", &|| dump::tokens(rows)),
        (StageName::Ast, "ast", &|| dump::ast(rows)),
        (StageName::Types, "types", &|| dump::types(rows)),
        (StageName::Ir, "ir", &|| listing::page(&listing::ir(program, ir))),
        (StageName::Bytecode, "bytecode", &|| listing::page(&listing::bytecode(program))),
        (StageName::Cfg, "cfg", &|| cfg::page(program, ir, flow)),
    ];
    let sections = sections.into_iter().filter(|(stage, ..)| wanted(*stage));
    sections.map(|(_, title, page)| section(name, title, &page())).collect()
}

fn section(name: &str, title: &str, page: &str) -> String {
    format!("== {name}: {title}\n{page}\n")
}

/// Returns the code after a pass in the optimizer's first round, with its routines; the lowered code if the pass
/// does not run.
fn code_after(program: &Compiled, pass: &str) -> (Ir, Routines) {
    let mut all = optimize::snapshots(program);
    let found = all.iter().position(|snapshot| snapshot.name == pass).unwrap_or(0);
    let snapshot = all.swap_remove(found);
    (snapshot.ir, snapshot.routines)
}
