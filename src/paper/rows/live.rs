//! The model at a point that the user chooses, compared with the known figures of this machine. Unknown figures are
//! left out.

use super::super::formula::{self, Mixture};
use super::super::levers::{LEVERS, Lever, Levers, ValueOrigin};
use super::super::measured::{Loop, MeasuredNeural};
use super::super::quoted::{self, Range};
use super::super::table::{Row, Section, contradiction, count};
use super::{conventional, hybrid, neural, summary};
use crate::compiler::stage::Stage;
use crate::host::measure::energy::Energy;
use crate::host::measure::quantity::{Unit, digits};
use crate::learned::hybrid::router::K;

/// The figures known so far. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalFigures {
    /// The program's stages, as shares of its total time.
    pub stages: Option<[f64; Stage::ALL.len()]>,
    /// The elapsed time of compiling the program and running its tests.
    pub wall: Option<f64>,
    /// The engine's threads. For a device, the number of programs processed at once is unknown.
    pub cores: Option<f64>,
    /// The program and its mutants, as judged last.
    pub batch: Option<LiveBatch>,
    pub conventional: Option<Loop>,
    /// The draws for the current function.
    pub neural: Option<MeasuredNeural>,
    pub routed: Option<Routed>,
}

/// Programs that were judged together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiveBatch {
    pub programs: u32,
    pub wall: f64,
    /// The energy of the last batch that was judged completely, and its number of programs.
    pub energy: Option<(Energy, u32)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    pub function: String,
    pub score: String,
    pub routing: Option<f64>,
}

impl LocalFigures {
    pub fn levers(&self) -> [Option<f64>; LEVERS.len()] {
        let drawn = self.neural.as_ref().filter(|n| n.drawn > 0);
        let time = self.conventional.map(|one| one.mean()).or(self.wall);
        [self.batch.map(|batch| batch.programs.into()), self.cores, drawn.map(neural::p_correct), time]
    }

    /// Returns T_gen(k) and T_verify(k), as measured or by fitted lines. Equations 9 and 10 make both proportional to
    /// k, but here neither is: candidates with a common prefix share work, and equal ones are run once. Returns `None`
    /// if only one k was drawn and it is not this one.
    fn terms(&self, k: f64) -> Option<(f64, f64)> {
        let n = self.neural.as_ref()?;
        let measured = n.points.iter().find(|point| f64::from(point.k) == k);
        measured.map(|point| (point.generate.median, point.verify.median)).or_else(|| {
            let (generate, verify) = n.growth()?;
            Some((generate.at(k), verify.at(k)))
        })
    }

    /// T_neural(k).
    fn neural(&self, k: f64) -> Option<f64> {
        self.terms(k).map(|(generate, verify)| formula::neural(generate, verify))
    }

    /// Returns whether k candidates were drawn.
    fn is_drawn(&self, k: f64) -> bool {
        self.neural.iter().flat_map(|n| &n.points).any(|point| f64::from(point.k) == k)
    }
}

struct LivePoint {
    k: f64,
    cores: f64,
    p: f64,
    time: f64,
}

/// Returns the equations in order and section 6.2, at the levers' values.
pub fn sections(here: &LocalFigures, levers: &Levers) -> Vec<Section> {
    let own = here.levers();
    let value = |lever| levers.value(lever, own).0;
    let at = LivePoint {
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
        Section::equation(15).row(hybrid::in_numbers("T_hybrid, T_trad = T", at.time)),
        iteration(here, &at),
        energy(here, &at),
    ]
}

fn ms(name: impl Into<String>) -> Row {
    Row::new(name, Unit::Milliseconds)
}

/// Formats k, which may be larger than any measured number of programs.
fn of_k(k: f64) -> String {
    format!("k = {}", digits(k))
}

fn single(here: &LocalFigures) -> Section {
    let section = Section::equation(1);
    let paper = Range::of(quoted::GPU_COMPILE);
    let row = ms("T_trad, one program").paper(paper);
    let Some(stages) = here.stages else { return section.row(row).row(ms("with its tests")) };
    let compiles = || Stage::ALL.into_iter().filter(|stage| (*stage as usize) < Stage::Execute as usize);
    let time = |stage: Stage| stages[stage as usize];
    let parts: Vec<f64> = compiles().map(time).collect();
    let sum = formula::single(&parts);
    section
        .rows(compiles().map(|stage| ms(format!("T_{}", stage.name())).measured_once(time(stage))))
        .row(row.modelled(sum))
        .row(ms("with its tests").modelled(formula::single(&stages)).measured_if(here.wall))
        .finding(contradiction("One program", Unit::Milliseconds, paper, sum))
}

fn parallel(here: &LocalFigures, at: &LivePoint) -> Section {
    let own = here.batch.filter(|batch| batch.programs > 0);
    let same = |batch: &LiveBatch| f64::from(batch.programs) == at.k;
    let modelled = formula::parallel(&[at.time], at.k, at.cores);
    let name = |k: f64| format!("{}, with tests", of_k(k));
    let row = ms(name(at.k))
        .modelled(modelled)
        .measured_if(own.filter(same).map(|batch| batch.wall))
        .note(format!("{} turns of T", digits((at.k / at.cores).ceil().max(1.0))));
    let judged = own.filter(|batch| !same(batch)).map(|batch| {
        let k = f64::from(batch.programs);
        ms(name(k)).modelled(formula::parallel(&[at.time], k, at.cores)).measured_once(batch.wall)
    });
    let measured = own
        .filter(same)
        .zip(here.conventional)
        .map(|(batch, one)| formula::speedup(batch.programs.into(), one.mean(), batch.wall));
    let speedup = Row::new("speedup, traditional", Unit::Times)
        .paper(quoted::SPEEDUP_TRADITIONAL)
        .modelled(formula::speedup(at.k, at.time, modelled))
        .measured_if(measured)
        .note("over the conventional loop");
    Section::equation(2).row(row).rows(judged).row(speedup)
}

fn success(n: Option<&MeasuredNeural>, at: &LivePoint) -> Section {
    let row = Row::new(format!("{}, p = {}", of_k(at.k), digits(at.p)), Unit::Probability)
        .modelled(formula::success(at.p, at.k));
    neural::success(n).row(row)
}

fn enough(n: Option<&MeasuredNeural>, at: &LivePoint) -> Section {
    let row = Row::new(format!("p = {}", digits(at.p)), Unit::Count).modelled(formula::candidates(at.p, 0.99));
    neural::enough(n).row(row)
}

/// Returns the draws for the current function.
fn drawn(here: &LocalFigures) -> Option<&MeasuredNeural> {
    here.neural.as_ref().filter(|n| n.drawn > 0)
}

/// Returns a term of equation 11 at the slider's k, or `None` if this k was drawn and has a measured row.
fn term(
    here: &LocalFigures,
    at: &LivePoint,
    name: fn(&str) -> String,
    value: Option<f64>,
    paper: Range,
) -> Option<Row> {
    if here.is_drawn(at.k) {
        return None;
    }
    let row = ms(name(&digits(at.k)));
    let row = if neural::is_the_papers(at.k) { row.paper(paper) } else { row };
    Some(match value {
        Some(value) => row.modelled(value).note(by_lines(here)),
        None => row,
    })
}

/// Describes how a time for a k that was not drawn is modelled.
fn by_lines(here: &LocalFigures) -> String {
    let drawn: Vec<String> = here.neural.iter().flat_map(|n| &n.points).map(|p| count(p.k)).collect();
    format!("a line through what was measured for k = {}", drawn.join(", "))
}

fn generate(here: &LocalFigures, at: &LivePoint) -> Section {
    let value = here.terms(at.k).map(|(generate, _)| generate);
    Section::equation(9)
        .rows(term(here, at, neural::t_gen, value, quoted::NEURAL_GENERATE))
        .rows(drawn(here).into_iter().flat_map(neural::generated))
}

fn verify(here: &LocalFigures, at: &LivePoint) -> Section {
    let execute = here.stages.map(|stages| stages[Stage::Execute as usize]);
    let value = here.terms(at.k).map(|(_, verify)| verify);
    let cores = here.cores.unwrap_or(1.0);
    Section::equation(10).rows(term(here, at, neural::t_verify, value, quoted::NEURAL_VERIFY)).rows(
        drawn(here)
            .into_iter()
            .flat_map(|n| neural::verified(n, execute.filter(|_| here.cores.is_some()), cores)),
    )
}

fn total(here: &LocalFigures, at: &LivePoint) -> Section {
    Section::equation(11)
        .rows(term(here, at, neural::t_neural, here.neural(at.k), quoted::NEURAL_TOTAL))
        .rows(drawn(here).into_iter().flat_map(neural::neural))
}

fn speedup(here: &LocalFigures, at: &LivePoint) -> Section {
    let row = Row::new(format!("speedup, {} candidates", digits(at.k)), Unit::Times);
    let row = if neural::is_the_papers(at.k) { row.paper(Range::of(quoted::SPEEDUP)) } else { row };
    let row = match here.neural(at.k) {
        Some(whole) => {
            row.modelled(formula::speedup(at.k, at.time, whole)).note(format!("{} · T / T_neural", of_k(at.k)))
        }
        None => row,
    };
    let expected = Row::new("expected", Unit::Times).paper(quoted::SPEEDUP_NEURAL);
    Section::equation(12).row(row).row(expected)
}

fn score(here: &LocalFigures) -> Section {
    Section::equation(13).row(match &here.routed {
        Some(routed) => {
            Row::new(format!("s of {}", routed.function), Unit::Count).measured_as(routed.score.clone())
        }
        None => Row::new("s", Unit::Count),
    })
}

/// The number of candidates in algorithm 3.
const DRAWN: f64 = K as f64;

fn mixed(here: &LocalFigures, at: &LivePoint) -> Section {
    let known = here.neural(DRAWN);
    let routing = here.routed.as_ref().and_then(|routed| routed.routing);
    let mixture = Mixture {
        p_simple: quoted::HYBRID.p_simple,
        neural: known.unwrap_or(quoted::HYBRID.neural),
        traditional: at.time,
        routing: routing.unwrap_or(quoted::HYBRID.routing),
    };
    let quoted = |name: &str, value: f64| ms(name).paper(Range::of(value));
    let drawn = here.neural.iter().flat_map(|n| &n.points).find(|point| point.k == K);
    let whole = ms(neural::t_neural(&count(K)));
    let whole = match (drawn, known) {
        (Some(draws), _) => whole.measured(draws.all),
        (None, Some(known)) => whole.modelled(known).note(by_lines(here)),
        (None, None) => whole,
    };
    let share = quoted(&format!("{} / {K}", neural::t_neural(&count(K))), quoted::HYBRID.neural);
    Section::equation(14)
        .row(Row::new("p_simple", Unit::Probability).paper(Range::of(quoted::HYBRID.p_simple)))
        .row(whole)
        .row(match known {
            Some(known) => {
                share.modelled(known / DRAWN).note("the paper's T_neural is amortized over candidates")
            }
            None => share,
        })
        .row(quoted("T_trad = T", quoted::HYBRID.traditional).modelled(at.time))
        .row(quoted("T_routing", quoted::HYBRID.routing).measured_if(routing))
        .row(
            quoted("T_hybrid, p_simple = 0.8", quoted::HYBRID_TIME)
                .modelled(formula::hybrid(mixture))
                .note("unknown figures are the paper's"),
        )
        .row(
            ms("with attempts that fail")
                .modelled(formula::hybrid_with_failures(mixture, formula::success(at.p, DRAWN)))
                .note(format!("and p_simple (1 − P) T_trad, P by (7) for k = {K}")),
        )
}

fn iteration(here: &LocalFigures, at: &LivePoint) -> Section {
    let one = here.conventional.as_ref();
    conventional::section(one).row(ms(format!("{}, one by one", of_k(at.k))).modelled(at.k * at.time))
}

fn energy(here: &LocalFigures, at: &LivePoint) -> Section {
    let joules = |name: &str| Row::new(name, Unit::Joules);
    let with = |row: Row, energy: Option<Energy>| match energy {
        Some(energy) => row.energy(energy),
        None => row,
    };
    let batch = here.batch.and_then(|batch| batch.energy);
    let each = batch.map(|(energy, programs)| energy.share(1.0 / f64::from(programs.max(1))));
    let one = here.conventional.map(|one| one.energy_each());
    let gpu = formula::joules(quoted::GPU_WATTS, quoted::GPU_COMPILE);
    let neural = formula::joules(quoted::GPU_WATTS, quoted::NEURAL_ENERGY_TIME) / quoted::NEURAL_K;
    Section::named("energy", "energy (section 6.2)")
        .row(with(joules("each program").paper(Range::of(gpu)), each).note("as judged last"))
        .row(joules("each candidate, neural").paper(Range::of(neural)))
        .rows(summary::looped(here.conventional.as_ref()))
        .row(with(joules(&format!("{}, as judged last", of_k(at.k))), each.map(|each| each.share(at.k))))
        .row(with(joules(&format!("{}, conventional loop", of_k(at.k))), one.map(|one| one.share(at.k))))
}

pub fn lever(here: &LocalFigures, levers: &Levers, lever: Lever) -> (f64, ValueOrigin) {
    levers.value(lever, here.levers())
}
