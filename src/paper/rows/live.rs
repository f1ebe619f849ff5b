//! The model at a point that somebody chooses, beside what happens to be known of this machine at the moment. What is not known has
//! no number.

use super::super::formula::{self, Mixture};
use super::super::itself;
use super::super::levers::{From, LEVERS, Lever, Levers};
use super::super::measured::Neural;
use super::super::neural::expected;
use super::super::quoted::{self, Range};
use super::super::table::{Row, Section, contradiction, count};
use super::neural;
use crate::measure::energy::Energy;
use crate::measure::quantity::{Unit, digits};
use crate::stage::Stage;

/// What is known at the moment. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Here {
    /// The program's stages, as parts of what it took.
    pub stages: Option<[f64; Stage::ALL.len()]>,
    /// The program compiled and its tests run, by the clock.
    pub wall: Option<f64>,
    /// Threads of the engine; of a device nobody knows how many programs it works on at once.
    pub cores: Option<f64>,
    /// The program and its mutants, as they were judged last.
    pub batch: Option<Batch>,
    pub conventional: Option<Loop>,
    /// Draws for the function that is looked at.
    pub neural: Option<Neural>,
    pub routed: Option<Routed>,
}

/// Programs that were judged together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub programs: u32,
    pub wall: f64,
    /// Of the last that was judged to the end, and how many programs that had.
    pub energy: Option<(Energy, u32)>,
}

/// Means of the conventional loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loop {
    pub generate: f64,
    /// One way.
    pub transfer: f64,
    pub compile: f64,
    pub execute: f64,
    pub programs: u32,
    pub energy: Energy,
}

impl Loop {
    fn total(&self) -> f64 {
        formula::iteration(self.generate, self.transfer, self.compile, self.execute)
    }
}

/// What the router made of the function that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    pub function: String,
    pub score: String,
    pub routing: f64,
}

impl Here {
    /// What this machine has of each lever.
    pub fn levers(&self) -> [Option<f64>; LEVERS.len()] {
        let drawn = self.neural.as_ref().filter(|n| n.drawn > 0);
        let time = self.conventional.map(|one| one.total()).or(self.wall);
        [self.batch.map(|batch| batch.programs.into()), self.cores, drawn.map(neural::p_correct), time]
    }

    /// What it takes to generate and to verify k candidates, from those that were drawn: (9) and (10) are both proportional to k.
    fn split(&self, k: f64) -> Option<(f64, f64)> {
        let n = self.neural.as_ref().filter(|n| n.drawn > 0)?;
        let part = |time: f64| formula::spread(time / f64::from(n.drawn), k, 1.0);
        Some((part(n.split.0), part(n.split.1)))
    }

    /// What the neural path takes for k candidates.
    fn neural(&self, k: f64) -> Option<f64> {
        self.split(k).map(|(generate, verify)| formula::neural(generate, verify))
    }
}

/// The levers' values.
struct Point {
    k: f64,
    cores: f64,
    p: f64,
    time: f64,
}

/// The equations in order and section 6.2, at the levers' values.
pub fn sections(here: &Here, levers: &Levers) -> Vec<Section> {
    let own = here.levers();
    let value = |lever| levers.value(lever, own).0;
    let at = Point {
        k: value(Lever::Programs),
        cores: value(Lever::Cores),
        p: value(Lever::Correct),
        time: value(Lever::Time),
    };
    let n = here.neural.as_ref();
    vec![
        single(here),
        parallel(here, &at),
        neural::likelihood(n),
        neural::supervised(n),
        neural::reinforced(n),
        neural::correct(n),
        success(n, &at),
        enough(n, &at),
        generate(here, &at),
        verify(here, &at),
        total(here, &at),
        speedup(here, &at),
        score(here),
        mixed(here, &at),
        constants(&at),
        iteration(here, &at),
        energy(here, &at),
    ]
}

fn ms(name: impl Into<String>) -> Row {
    Row::new(name, Unit::Milliseconds)
}

/// A number of programs that may be larger than any that was counted.
fn of_k(k: f64) -> String {
    format!("k = {}", digits(k))
}

fn single(here: &Here) -> Section {
    let section = Section::equation(1);
    let paper = Range::of(quoted::GPU_COMPILE);
    let row = ms("T, one program").paper(paper);
    let Some(stages) = here.stages else { return section.row(row).row(ms("wall, with its tests")) };
    let compiles = || Stage::ALL.into_iter().filter(|stage| (*stage as usize) < Stage::Execute as usize);
    let time = |stage: Stage| stages[stage as usize];
    let parts: Vec<f64> = compiles().map(time).collect();
    let sum = formula::single(&parts);
    section
        .rows(compiles().map(|stage| ms(format!("T_{}", stage.name())).measured_once(time(stage))))
        .row(row.modelled(sum))
        .row(ms("wall, with its tests").modelled(formula::single(&stages)).measured_if(here.wall))
        .finding(contradiction("One program", Unit::Milliseconds, paper, sum))
}

fn parallel(here: &Here, at: &Point) -> Section {
    let own = here.batch.filter(|batch| batch.programs > 0);
    let same = |batch: &Batch| f64::from(batch.programs) == at.k;
    let modelled = formula::parallel(&[at.time], at.k, at.cores);
    let paper = formula::parallel(&[quoted::GPU_COMPILE], at.k, at.cores);
    let row = ms(of_k(at.k))
        .paper(Range::of(paper))
        .modelled(modelled)
        .measured_if(own.filter(same).map(|batch| batch.wall))
        .note(format!("{} turns", digits((at.k / at.cores).ceil().max(1.0))));
    let judged = own.filter(|batch| !same(batch)).map(|batch| {
        let k = f64::from(batch.programs);
        ms(format!("{}, judged here", of_k(k)))
            .modelled(formula::parallel(&[at.time], k, at.cores))
            .measured_once(batch.wall)
    });
    let speedup = Row::new("speedup over one by one", Unit::Times)
        .paper(quoted::SPEEDUP_TRADITIONAL)
        .modelled(at.k * at.time / modelled)
        .measured_if(own.filter(same).map(|batch| at.k * at.time / batch.wall));
    Section::equation(2).row(row).rows(judged).row(speedup)
}

fn success(n: Option<&Neural>, at: &Point) -> Section {
    let paper = n.map_or(quoted::P_SIMPLE, |n| expected(n.class));
    let row = Row::new(format!("{}, p = {}", of_k(at.k), digits(at.p)), Unit::Probability)
        .paper(paper.map(|p| formula::success(p, at.k)))
        .modelled(formula::success(at.p, at.k));
    neural::success(n).row(row)
}

fn enough(n: Option<&Neural>, at: &Point) -> Section {
    let row = Row::new(format!("p = {}", digits(at.p)), Unit::Count)
        .paper(Range::of(formula::candidates_approximately(at.p)))
        .modelled(formula::candidates(at.p, 0.99));
    neural::enough(n).row(row)
}

/// A time that the paper has for its k, at this one.
fn scaled(range: Range, k: f64) -> Range {
    range.map(|time| formula::spread(time, k / quoted::NEURAL_K, 1.0))
}

/// The draws for the function that is looked at.
fn drawn(here: &Here) -> Option<&Neural> {
    here.neural.as_ref().filter(|n| n.drawn > 0)
}

fn generate(here: &Here, at: &Point) -> Section {
    let row = ms(format!("T_gen, {}", of_k(at.k))).paper(scaled(quoted::NEURAL_GENERATE, at.k));
    let measured = drawn(here).map(|n| {
        let row = ms(format!("T_gen, {} candidates", count(n.drawn))).measured_once(n.split.0);
        row.note(format!("of {}; modelled above: proportional to k", n.function))
    });
    Section::equation(9)
        .row(match here.split(at.k) {
            Some((generate, _)) => row.modelled(generate),
            None => row,
        })
        .rows(measured)
}

fn verify(here: &Here, at: &Point) -> Section {
    let row = ms(format!("T_verify, {}", of_k(at.k))).paper(scaled(quoted::NEURAL_VERIFY, at.k));
    let execute = here.stages.map(|stages| stages[Stage::Execute as usize]);
    let measured = drawn(here).map(|n| {
        let row = ms(format!("T_verify, {} candidates", count(n.drawn))).measured_once(n.split.1);
        row.note("equal ones are run once, so it is far below the model where nearly all are alike")
    });
    Section::equation(10)
        .row(match execute {
            Some(execute) => row
                .modelled(formula::spread(execute, at.k, at.cores))
                .note("T_exec is that of the program's tests"),
            None => row,
        })
        .rows(measured)
}

fn total(here: &Here, at: &Point) -> Section {
    let paper = Range::new(
        formula::neural(quoted::NEURAL_GENERATE.low, quoted::NEURAL_VERIFY.low),
        formula::neural(quoted::NEURAL_GENERATE.high, quoted::NEURAL_VERIFY.high),
    );
    let row = ms(format!("T_neural, {}", of_k(at.k))).paper(scaled(paper, at.k));
    let section = Section::equation(11);
    match (here.neural(at.k), &here.neural) {
        (Some(modelled), Some(n)) => {
            section.row(row.modelled(modelled).note("as (9) and (10) are measured")).row(
                ms(format!("T_neural, {} candidates", count(n.drawn)))
                    .modelled(formula::neural(n.split.0, n.split.1))
                    .measured_once(n.whole)
                    .note(format!("of {}; measured: with evidence for the best one", n.function)),
            )
        }
        _ => section.row(row),
    }
}

fn speedup(here: &Here, at: &Point) -> Section {
    let paper = Range::of(formula::speedup(quoted::NEURAL_K, quoted::CPU, quoted::NEURAL));
    let row = Row::new(format!("speedup, {}", neural::CANDIDATES), Unit::Times).paper(paper);
    let row = match here.neural(at.k) {
        Some(whole) => row.modelled(formula::speedup(at.k, at.time, whole)),
        None => row,
    };
    let expected = Row::new("expected", Unit::Times).paper(quoted::SPEEDUP_NEURAL);
    Section::equation(12).row(row).row(expected)
}

fn score(here: &Here) -> Section {
    Section::equation(13).row(match &here.routed {
        Some(routed) => {
            Row::new(format!("s of {}", routed.function), Unit::Count).measured_as(routed.score.clone())
        }
        None => Row::new("s", Unit::Count),
    })
}

fn mixed(here: &Here, at: &Point) -> Section {
    let known = here.neural(1.0);
    let routing = here.routed.as_ref().map(|routed| routed.routing);
    let mixture = Mixture {
        p_simple: quoted::HYBRID.p_simple,
        neural: known.unwrap_or(quoted::HYBRID.neural),
        traditional: at.time,
        routing: routing.unwrap_or(quoted::HYBRID.routing),
    };
    let quoted = |name: &str, value: f64| ms(name).paper(Range::of(value));
    let neural = quoted("T_neural, a candidate", quoted::HYBRID.neural);
    Section::equation(14)
        .row(Row::new("p_simple", Unit::Probability).paper(Range::of(quoted::HYBRID.p_simple)))
        .row(match known {
            Some(each) => neural.modelled(each),
            None => neural,
        })
        .row(quoted("T_trad", quoted::HYBRID.traditional).modelled(at.time).note("T"))
        .row(quoted("T_routing", quoted::HYBRID.routing).measured_if(routing))
        .row(
            quoted("T_hybrid", itself::hybrid())
                .modelled(formula::hybrid(mixture))
                .note("what is not known here is the paper's"),
        )
        .row(
            ms("with attempts that fail")
                .modelled(formula::hybrid_with_failures(mixture, formula::success(at.p, at.k)))
                .note("and p_simple (1 − P) T_trad, P by (7)"),
        )
}

fn constants(at: &Point) -> Section {
    let mixture = Mixture {
        p_simple: quoted::HYBRID.p_simple,
        neural: quoted::HYBRID.neural,
        traditional: at.time,
        routing: quoted::HYBRID.routing,
    };
    Section::equation(15).row(
        ms("T_hybrid")
            .paper(Range::of(itself::hybrid()))
            .modelled(formula::hybrid(mixture))
            .note("modelled: the paper's constants but for T_trad, which is T"),
    )
}

fn iteration(here: &Here, at: &Point) -> Section {
    let end = |end: fn(Range) -> f64| {
        formula::iteration(
            end(quoted::GENERATE),
            end(quoted::TRANSFER),
            end(quoted::COMPILE),
            end(quoted::EXECUTE),
        )
    };
    let paper = Range::new(end(|range| range.low), end(|range| range.high));
    let one = here.conventional;
    let term = |name: &str, paper: Range, pick: fn(&Loop) -> f64| {
        ms(name).paper(paper).measured_if(one.as_ref().map(pick))
    };
    let total = ms("T_CPU").paper(paper);
    Section::equation(16)
        .row(term("T_gen", quoted::GENERATE, |one| one.generate))
        .row(term("T_transfer", quoted::TRANSFER, |one| one.transfer))
        .row(term("T_compile", quoted::COMPILE, |one| one.compile))
        .row(term("T_exec", quoted::EXECUTE, |one| one.execute))
        .row(match &one {
            Some(one) => total.modelled(one.total()).note(format!(
                "means of {} programs through the conventional loop, one thread",
                count(one.programs)
            )),
            None => total,
        })
        .row(
            ms(format!("{}, one by one", of_k(at.k)))
                .paper(paper.map(|time| time * at.k))
                .modelled(at.k * at.time),
        )
        .finding(
            one.and_then(|one| {
                contradiction("An iteration on the CPU", Unit::Milliseconds, paper, one.total())
            }),
        )
}

fn energy(here: &Here, at: &Point) -> Section {
    let joules = |name: &str| Row::new(name, Unit::Joules);
    let with = |row: Row, energy: Option<Energy>| match energy {
        Some(energy) => row.energy(energy),
        None => row,
    };
    let batch = here.batch.and_then(|batch| batch.energy);
    let each = batch.map(|(energy, programs)| energy.share(1.0 / f64::from(programs.max(1))));
    let one = here.conventional.map(|one| one.energy);
    let gpu = formula::joules(quoted::GPU_WATTS, quoted::GPU_COMPILE);
    let neural = formula::joules(quoted::GPU_WATTS, quoted::NEURAL_ENERGY_TIME) / quoted::NEURAL_K;
    let cpu = quoted::CPU_JOULES / 1e3;
    Section::named("energy", "energy (section 6.2)")
        .row(with(joules("each program").paper(Range::of(gpu)), each).note("as judged last"))
        .row(joules("each candidate, neural").paper(Range::of(neural)))
        .row(with(joules("each, conventional loop").paper(Range::of(cpu)), one))
        .row(with(joules(&of_k(at.k)).paper(Range::of(gpu * at.k)), each.map(|each| each.share(at.k))))
        .row(with(
            joules(&format!("{}, conventional loop", of_k(at.k))).paper(Range::of(cpu * at.k)),
            one.map(|one| one.share(at.k)),
        ))
}

/// Where the value of a lever comes from, with its value.
pub fn lever(here: &Here, levers: &Levers, lever: Lever) -> (f64, From) {
    levers.value(lever, here.levers())
}
