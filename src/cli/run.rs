//! `myriad run FILE FUNCTION ARG…`: calls one function and prints its value.

use std::sync::Arc;

use super::args::{Common, Format, ProgramCompiler, RunArgs};
use super::exit::{Exit, Failure};
use super::router::ways::costs;
use super::routing::Hybrid;
use super::session::Session;
use super::suggestions::functions;
use super::values::{probe, values};
use super::{FileReport, each_file, holes, network};
use crate::compiler::program::{Compiled, Executable, Routine};
use crate::compiler::stage::execute::Machine;
use crate::engine::RunResult;
use crate::engine::cpu::call;
use crate::engine::explain::{self, Value};
use crate::host::measure::numbers::plural;
use crate::lang::index::{Address, RoutineId};
use crate::lang::level::LevelChoice;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::learned::hybrid::objective::Way;
use crate::learned::synthesis::compile::Refusal;
use crate::learned::synthesis::search::{Evidence, Proof, SearchSettings};
use crate::network::weights::Weights;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::visible::visible;
use crate::testing::probes::Probes;
use crate::testing::trace::{self, Refused};

/// The compiler of the bytecode, if it is not the deterministic one alone.
enum OtherCompiler {
    Neural(Arc<Weights>, SearchSettings),
    Hybrid(Box<Hybrid>),
}

/// The fields about the evidence that the bytecode is correct, the same as a line of text, and the program with the new
/// bytecode.
struct NewCode {
    fields: Object,
    line: String,
    executable: Executable,
}

pub fn run(common: Common, called: &RunArgs) -> Result<Exit, Failure> {
    let mut other = match called.compiler {
        ProgramCompiler::Traditional => None,
        ProgramCompiler::Neural => {
            let weights = network::open_weights(&called.drawing)?;
            Some(OtherCompiler::Neural(
                weights,
                network::run_settings(&called.drawing, called.routing.evidence),
            ))
        }
        ProgramCompiler::Hybrid => {
            Some(OtherCompiler::Hybrid(Box::new(Hybrid::new(common, &called.routing, &called.drawing)?)))
        }
    };
    let mut session = Session::for_single_program(common)?;
    session.make_holes(called.partial);
    let files = [called.file.clone()];
    each_file(&files, common, |source| {
        // Candidates are judged by the program's tests, so these must run.
        let (program, timings) = match other {
            None => session.compile(source)?,
            Some(_) => {
                let base = session.base(source)?;
                let timings = session.timings(&base.timings);
                (base.compiled, timings)
            }
        };
        let mut report = FileReport::new(source, &diagnostics(&program));
        if other.is_some() {
            report.refuse_holes(source, &program, || functions(&program, Some(&called.function)))?;
        }
        let (mut document, mut text) = (Object::new(), String::new());
        let has_code = || program.facts.lowers() && functions(&program, Some(&called.function)).is_ok();
        if report.exit == Exit::Good || called.partial && has_code() {
            let function = RunFunction::find(&program, &called.function)?;
            let frame = function.frame(&called.arguments)?;
            let made = match &mut other {
                None => None,
                Some(OtherCompiler::Neural(weights, settings)) => {
                    Some(function.compile(&mut session, weights, settings)?)
                }
                Some(OtherCompiler::Hybrid(hybrid)) => {
                    // The choice of a level is the router's, unless the user made it.
                    let any_level = common.level_choice() == LevelChoice::Automatic;
                    hybrid.price_call(&mut session, &program, function.id, frame.as_deref(), any_level)?;
                    Some(function.compile_hybrid(&mut session, hybrid)?)
                }
            };
            let mut claim = None;
            let code = made.map(|NewCode { fields, line, executable }| {
                claim = Some((fields, line));
                Arc::new(Compiled { executable, ..Compiled::clone(&program) })
            });
            // The program that is called.
            let called_program = code.as_ref().unwrap_or(&program);
            if called.trace
                && let Some(frame) = &frame
            {
                let routine = function.id;
                // The engine has only its own bytecode, so other bytecode is recorded by the host.
                let traced = match code {
                    None => trace::record_on(session.engine(), &program, routine, frame, &|| false)?,
                    Some(_) => trace::record(called_program, routine, frame, limits::STEPS),
                };
                let title = format!("{}({})", function.name, called.arguments.join(", "));
                let page = super::trace::page(&traced, &visible(&title), &called.tracing, common.format);
                if common.format == Format::Json {
                    report.lines = page;
                } else {
                    text = page;
                }
            }
            if called.values
                && let Some(frame) = &frame
            {
                let own = trace::program_of_values(&program);
                let recorded = trace::record_for_values(&own, function.id, frame, limits::STEPS);
                let probes = Probes::run(&program, limits::STEPS, &|| false).unwrap_or_default();
                let (page, rows) = values(&recorded, &probes);
                text = page;
                document = document.field("values", rows).unless_empty("probes", probes.0.iter().map(probe));
            }
            let mut cause = None;
            let result = match frame {
                Some(frame) => {
                    let result = match &code {
                        None => session.engine().run(function.id, &frame, &|| false)?,
                        Some(code) => call(&mut Machine::default(), &code.executable, function.id, &frame),
                    };
                    if result.trap.has_cause() {
                        let trace = trace::record(called_program, function.id, &frame, limits::STEPS);
                        cause = trace.cause().map(String::from);
                    }
                    result
                }
                None => RunResult { trap: Trap::CapacityExceeded, trap_address: None, steps: 0, value: vec![] },
            };
            let (fields, claim) = claim.unzip();
            if result.trap == Trap::None {
                let value = Value::from_words(function.result(), &result.value);
                text.push_str(&format!("{value}\n{}", claim.unwrap_or_default()));
                document = document.field("value", value).field("steps", result.steps);
            } else {
                let (trap, line) =
                    (result.trap.ident(), function.trap_line(called_program, result.trap_address));
                let why = cause.as_ref().map_or(String::new(), |cause| format!(", {cause}"));
                document = document.field("trap", trap).field("trap_line", line);
                document = document.option("trap_cause", cause).field("steps", result.steps);
                let hole = result.trap_address.filter(|_| result.trap == Trap::Hole);
                match hole.and_then(|address| called_program.executable.at(address)?.1) {
                    Some(hole) => {
                        let (line, column) = holes::place(&program, hole);
                        document = document.field("hole_line", line).field("hole_column", column);
                        let place = holes::at(&program, hole);
                        let message = format!("{} is not finished: it arrives at {place}", function.name);
                        report.add_failure(message, holes::advice(&program, hole));
                    }
                    None => report.add_failure(
                        format!("{} traps: {trap} on line {line}{why}", function.name),
                        "`myriad FILE` opens the program; docs/language.md lists the traps",
                    ),
                }
            }
            document = document.join(fields);
        }
        report.complete(document, Some(text), timings);
        Ok(report)
    })
}

/// Returns the compiler of code and its evidence.
fn claim(compiler: &str, evidence: Evidence) -> Object {
    Object::new().field("compiler", compiler).join(network::evidence(evidence))
}

struct RunFunction<'a> {
    program: &'a Arc<Compiled>,
    id: RoutineId,
    name: &'a str,
    parameters: Vec<Type>,
}

impl<'a> RunFunction<'a> {
    fn find(program: &'a Arc<Compiled>, name: &str) -> Result<RunFunction<'a>, Failure> {
        let id = functions(program, Some(name))?[0];
        let parameters = program.program().parameters(id);
        Ok(RunFunction { program, id, name: program.function_name(id), parameters })
    }

    /// Compiles the function by the neural network; returns its best bytecode and the evidence.
    fn compile(
        &self,
        session: &mut Session,
        weights: &Arc<Weights>,
        settings: &SearchSettings,
    ) -> Result<NewCode, Failure> {
        let traditional = "`--compiler traditional` compiles it by the deterministic compiler";
        let short =
            |message: String| Failure { exit: Exit::ProgramFailed, message, help: traditional.to_string() };
        let compiled = network::compile_one(session, self.program, self.id, weights, settings, &|| false);
        let found = match compiled {
            Ok(compilation) => compilation.found,
            Err(Refusal::Unsupported(why)) => {
                return Err(short(format!("`{}` is out of the model's reach: {why}", self.name)));
            }
            Err(Refusal::Engine(error)) => return Err(error.into()),
        };
        let Some(leading) = found.leading() else {
            return Err(short(format!("no correct candidate was found for `{}`", self.name)));
        };
        let (line, evidence, executable) = match found.best() {
            Some(best) => (
                format!("{}; {} steps for {}\n", best.evidence, best.steps(), found.base_steps),
                best.evidence,
                self.program.executable.with_function(self.id, &best.candidate.code),
            ),
            None => (
                format!("the deterministic compiler's code; the best candidate is {}\n", leading.evidence),
                Evidence::Proved(Proof::SameBytecode),
                self.program.executable.clone(),
            ),
        };
        Ok(NewCode { fields: claim("neural", evidence), line, executable })
    }

    /// Compiles the function by the path that the router chooses; returns the bytecode and the evidence.
    fn compile_hybrid(&self, session: &mut Session, hybrid: &mut Hybrid) -> Result<NewCode, Failure> {
        let outcome = hybrid.compile(session, self.program, self.id)?;
        let (path, decision) = (outcome.path.ident(), &outcome.decision);
        let fields = claim("hybrid", outcome.evidence)
            .field("path", path)
            .field("reason", &outcome.reason)
            .option("way", decision.way().map(Way::ident))
            .option("costs", decision.comparison.as_ref().map(costs));
        let line = format!("{path}: {}\n", outcome.reason);
        Ok(NewCode { fields, line, executable: outcome.executable(self.program, self.id) })
    }

    fn result(&self) -> Type {
        self.program.executable.routine(self.id).map_or(Type::UNKNOWN, Routine::result)
    }

    /// Returns the parameter words of the function's frame, with lists padded to their capacity. Returns `None`
    /// if a list is too long for its parameter.
    fn frame(&self, arguments: &[String]) -> Result<Option<Vec<u32>>, Failure> {
        if arguments.len() != self.parameters.len() {
            let signature: Vec<String> = self.parameters.iter().map(Type::to_string).collect();
            let wanted = plural(self.parameters.len() as u64, "argument");
            return Err(Failure::call(
                format!("`{}` takes {wanted}, but {} given", self.name, arguments.len()),
                match signature.is_empty() {
                    true => format!("call it as `myriad run FILE {}`", self.name),
                    false => format!("its parameters are of type {}", signature.join(", ")),
                },
            ));
        }
        let refused = |Refused { message, help }| Failure::call(message, help);
        trace::frame(&self.parameters, arguments).map_err(refused)
    }

    /// Returns the line of the code of `called` that trapped; the function's line if the call itself traps.
    fn trap_line(&self, called: &Compiled, address: Option<Address>) -> u32 {
        let own = || self.program.executable.routine(self.id).map(Routine::head);
        let own_line = || own().map_or(0, |head| self.program.view().line(head));
        let line = address.and_then(|address| explain::trap_line(called, address));
        // The network's code has no places in the source.
        line.filter(|line| *line > 0).unwrap_or_else(own_line)
    }
}
