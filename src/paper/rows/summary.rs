//! Energy (section 6.2), memory (6.3), tables 1 and 2, and the paper's other claims.

use super::super::advice::{self, Approach, Case};
use super::super::figures::figures;
use super::super::formula;
use super::super::measured::{Loop, Measured};
use super::super::quoted::{self, MEMORY_K, Range};
use super::super::table::{Row, Section, contradiction, count};
use super::neural::{CANDIDATES, PROGRAMS, is_the_papers, t_neural};
use crate::engine::Kind;
use crate::host::measure::energy::Energy;
use crate::host::measure::origin::Origin;
use crate::host::measure::quantity::Unit;
use crate::host::measure::share::percent;

/// The values of k for which table 2 shows advice.
const ADVISED: [u32; 5] = [1, 10, 100, 1_000, 10_000];

pub fn sections(m: &Measured) -> Vec<Section> {
    vec![energy(m), memory(m), table_1(m), table_2(m), claims(m)]
}

fn joules(name: impl Into<String>) -> Row {
    Row::new(name, Unit::Joules)
}

/// Sets a ratio of energies of equally many programs. It is measured only if both are.
fn ratio(row: Row, before: Energy, after: Energy) -> Row {
    let here = before.joules / after.joules.max(f64::MIN_POSITIVE);
    match before.plus(after).origin() {
        Origin::Measured => row.measured_once(here),
        _ => row.modelled(here),
    }
}

/// Returns the energy of one of k programs.
fn each_of(energy: Energy, k: u32) -> Energy {
    energy.share(1.0 / f64::from(k.max(1)))
}

/// Returns the energy of the conventional loop on one core: per iteration, and for the paper's 1,000.
pub(super) fn looped(one: Option<&Loop>) -> Vec<Row> {
    let cpu = joules("1,000 iterations on a CPU").paper(Range::of(quoted::CPU_JOULES));
    let Some(one) = one else { return vec![joules("an iteration on a CPU"), cpu] };
    let note = format!("the conventional loop on one core, {} programs", count(one.programs));
    let cpu = match one.programs {
        1_000 => cpu.energy(one.energy),
        // The measured number of programs differs, so this is extrapolated.
        _ => cpu.modelled(one.energy_each().joules * 1e3),
    };
    vec![joules("an iteration on a CPU").energy(one.energy_each()), cpu.note(note)]
}

fn energy(m: &Measured) -> Section {
    let transfer = formula::joules(quoted::TRANSFER_WATTS, quoted::TRANSFER.low);
    let neural = formula::joules(quoted::GPU_WATTS, quoted::NEURAL_ENERGY_TIME);
    let each = Range::of(neural / quoted::NEURAL_K);
    let mut rows = vec![];
    let mut row = joules("a transfer").paper(Range::of(transfer));
    if let Some(time) = m.device_transfer {
        let one_way = time.median / 2.0;
        row = row.modelled(formula::joules(m.pcie_watts, one_way)).note(format!("{} W stated", m.pcie_watts));
    }
    rows.push(row);
    rows.push(
        joules("a program, traditionally")
            .paper(Range::of(formula::joules(quoted::GPU_WATTS, quoted::GPU_COMPILE)))
            .energy(m.traditional.energy)
            .note("with its tests"),
    );
    if let Some(batch) = m.largest() {
        rows.push(joules(format!("{} programs, traditionally", count(batch.k))).energy(batch.energy));
        rows.push(
            joules(format!("each of the {} programs", count(batch.k))).energy(each_of(batch.energy, batch.k)),
        );
    }
    let candidates = m.candidates().and_then(|draws| Some((draws.k, draws.energy?)));
    if let Some((k, energy)) = candidates {
        let row = joules(format!("neural, {} candidates", count(k))).energy(energy);
        let row = row.note(format!("of the run that took {}", t_neural(&count(k))));
        rows.push(if is_the_papers(k.into()) { row.paper(Range::of(neural)) } else { row });
        let row = joules(format!("each of the {} candidates", count(k))).energy(each_of(energy, k));
        rows.push(if is_the_papers(k.into()) { row.paper(each) } else { row });
    }
    if let Some(p) = m.neural_programs() {
        rows.push(joules(format!("neural, {} programs", count(p.count))).energy(p.energy));
        rows.push(joules("neural, each program").paper(each).energy(p.energy_each()));
    }
    if let Some(p) = m.hybrid_programs() {
        rows.push(joules("hybrid, each program").energy(p.energy_each()));
    }
    rows.extend(looped(m.conventional.as_ref()));
    let mut section = Section::named("energy", "energy (section 6.2)");
    let factor = Range::of(quoted::ENERGY_FACTOR);
    let after = [
        (CANDIDATES, candidates.map(|(k, energy)| each_of(energy, k))),
        (PROGRAMS, m.neural_programs().map(|p| p.energy_each())),
    ];
    for (kind, after) in after {
        let row = Row::new(format!("CPU / neural, {kind}"), Unit::Times).paper(factor);
        let both = m.conventional.map(|one| one.energy_each()).zip(after);
        rows.push(match both {
            Some((before, after)) if kind == CANDIDATES => {
                ratio(row, before, after).note("a program of the loop over a candidate, as the paper counts")
            }
            Some((before, after)) => ratio(row, before, after).note("a program over a program"),
            None => row,
        });
        let of = match kind {
            CANDIDATES => {
                "Energy of the CPU over that of the neural path, counting candidates of one program as programs"
            }
            _ => "Energy of the CPU over that of the neural path, for different programs",
        };
        section =
            section.finding(both.and_then(|(before, after)| {
                contradiction(of, Unit::Times, factor, before.joules / after.joules)
            }));
    }
    section.rows(rows)
}

/// The size in bytes of a number in a row of embeddings.
const NUMBER: f64 = 4.0;

/// Each row of the paper covers exactly what it names. Other memory of the engine has rows without the paper's number.
fn memory(m: &Measured) -> Section {
    let bytes = |name: &str, paper: Range| Row::new(name, Unit::Bytes).paper(paper.map(|mb| mb * 1e6));
    let bare = |name: &str| Row::new(name, Unit::Bytes);
    let held = m.batch(MEMORY_K).map(|batch| batch.memory);
    let n = m.neural.as_ref().and_then(|n| n.memory);
    let p = m.neural_programs().and_then(|p| Some((p.count, p.memory?)));
    // Zero means that another part holds this memory, so it is not a measurement.
    let one = |row: Row, found: Option<u64>| match found {
        Some(0) => row.note("the engine holds none of its own"),
        found => row.measured_if(found.map(|bytes| bytes as f64)),
    };
    let named = held.map(|memory| memory.source + memory.tree + memory.symbols + memory.bytecode);
    let which = match held {
        Some(_) => format!("held by the engine after a batch of {MEMORY_K} programs"),
        None => format!("no batch of {MEMORY_K} programs was run"),
    };
    let source = match m.subject.kind {
        Kind::Cpu => "; one text, as mutants are edits of its tokens",
        Kind::Gpu => "",
    };
    let candidates = match (n, m.candidates()) {
        (Some(_), Some(draws)) => format!("after {} candidates", count(draws.k)),
        _ => String::new(),
    };
    // The network's own embeddings are measured among the activations.
    let embeddings = m.neural.as_ref().filter(|n| n.width > 0);
    let embeddings = embeddings.map(|n| NUMBER * f64::from(n.words) * f64::from(n.width));
    let embedded = bytes("input embeddings", quoted::EMBEDDINGS_MB);
    Section::named("memory", "memory (section 6.3)")
        .row(one(bytes("source", quoted::SOURCE_MB), held.map(|x| x.source)).note(which + source))
        .row(one(bytes("tokens and tree", quoted::TREE_MB), held.map(|x| x.tree)))
        .row(one(bytes("symbols and types", quoted::SYMBOLS_MB), held.map(|x| x.symbols)))
        .row(one(bytes("bytecode", quoted::BYTECODE_MB), held.map(|x| x.bytecode)))
        .row(one(bytes("traditional, these four", quoted::TRADITIONAL_MB), named))
        .row(one(bare("working memory"), held.map(|x| x.scratch)))
        .row(one(bare("execution"), held.map(|x| x.execution)))
        .row(one(bare("traditional, all"), held.map(|x| x.total())))
        .row(one(bytes("network", quoted::MODEL_MB), n.map(|x| x.weights)))
        .row(match embeddings {
            Some(size) => embedded
                .modelled(size)
                .note("n · d numbers of 4 bytes; the engine holds them among the activations"),
            None => embedded,
        })
        .row(one(bytes("candidates' bytecode", quoted::CANDIDATES_MB), n.map(|x| x.candidates)))
        .row(one(bytes("candidates' execution", quoted::STATE_MB), n.map(|x| x.execution)))
        .row(one(bare("activations"), n.map(|x| x.activations)))
        .row(
            one(bare("keys and values"), n.map(|x| x.cache))
                .note("the decoder's cache for each candidate"),
        )
        .row(one(bytes("neural, k candidates", quoted::NEURAL_MB), n.map(|x| x.total())).note(candidates))
        .row(match p {
            Some((programs, memory)) => one(
                bytes("neural, k programs", quoted::NEURAL_MB),
                Some(memory.total()),
            )
            .note(format!(
                "after {} programs one after the other, and the candidates before them: allocated memory is kept",
                count(programs)
            )),
            None => bytes("neural, k programs", quoted::NEURAL_MB),
        })
        .finding(named.and_then(|here| {
            contradiction(
                "Memory for 100 programs, traditionally",
                Unit::Bytes,
                quoted::TRADITIONAL_MB.map(|mb| mb * 1e6),
                here as f64,
            )
        }))
        .finding(n.and_then(|n| {
            contradiction(
                "Memory of the neural path for candidates of one program",
                Unit::Bytes,
                quoted::NEURAL_MB.map(|mb| mb * 1e6),
                n.total() as f64,
            )
        }))
}

/// Returns the speedups over the conventional loop for equally many programs: a batch, k candidates counted as k
/// programs, k programs, and the hybrid.
fn speedups(m: &Measured) -> [(&'static str, Range, Option<f64>, &'static str); 4] {
    let mean = m.conventional.map(|one| one.mean());
    let against = |k: u32, time: f64| mean.map(|mean| formula::speedup(k.into(), mean, time));
    let candidates = m.candidates().and_then(|draws| against(draws.k, draws.all.median));
    [
        (
            "traditional, k programs",
            quoted::SPEEDUP_TRADITIONAL,
            m.largest().and_then(|batch| against(batch.k, batch.all.median)),
            "the largest batch",
        ),
        ("neural, k candidates", quoted::SPEEDUP_NEURAL, candidates, "of one program, counted as programs"),
        (
            "neural, k programs",
            quoted::SPEEDUP_NEURAL,
            m.neural_programs().map(|p| p.speedup()),
            "the same programs by both",
        ),
        (
            "hybrid, k programs",
            quoted::SPEEDUP_HYBRID,
            m.hybrid_programs().map(|p| p.speedup()),
            "the same programs by both",
        ),
    ]
}

fn table_1(m: &Measured) -> Section {
    let mut section = Section::named("table1", "table 1, traditional · neural · hybrid");
    for (i, property) in quoted::TABLE_1.iter().enumerate() {
        let words = format!("{} · {} · {}", property.traditional, property.neural, property.hybrid);
        let row = Row::new(property.name, Unit::Count).paper_says(words);
        section = section.row(match counterpart(m, i) {
            Some((found, note)) => row.measured_as(found).note(note),
            None => row,
        });
    }
    for (name, paper, here, note) in speedups(m) {
        let row = Row::new(format!("speedup, {name}"), Unit::Times).paper(paper).measured_if(here);
        let what = format!("The speedup, {name}");
        let note = if here.is_some() { note } else { "" };
        section = section
            .row(row.note(note))
            .finding(here.and_then(|here| contradiction(&what, Unit::Times, paper, here)));
    }
    section
}

/// Returns the measurement of a property of table 1, by its index, and its subject. Most properties are judgements
/// without measurements.
fn counterpart(m: &Measured, property: usize) -> Option<(String, &'static str)> {
    let (neural, hybrid) = (m.neural_programs(), m.hybrid_programs());
    let rate = |per_second: f64| Unit::PerSecond.show(per_second);
    let ms = |time: f64| Unit::Milliseconds.show(time);
    let joined = |parts: [Option<String>; 3], note: &'static str| {
        let known = parts.iter().any(Option::is_some);
        known.then(|| (parts.map(|part| part.unwrap_or_else(|| "–".into())).join(" · "), note))
    };
    match property {
        // Determinism: how often the result was the same.
        0 => joined(
            [
                Some(format!("{} of {} alike", m.traditional.same, m.traditional.single.of)),
                m.neural
                    .as_ref()
                    .and_then(|n| n.likeliest)
                    .map(|(_, part)| format!("{} % alike", percent(part, 0))),
                None,
            ],
            "compilations with the same bytecode; draws that are the code drawn most often",
        ),
        // Throughput.
        4 => joined(
            [
                m.largest().map(|batch| rate(batch.per_second())),
                neural.map(|p| rate(p.per_second())),
                hybrid.map(|p| rate(p.per_second())),
            ],
            "different programs, compiled and tested",
        ),
        // Latency of a single program.
        5 => joined(
            Approach::ALL.map(|approach| advice::time(m, approach, 1).map(ms)),
            "a program and one mutant, with tests; means of programs one after the other, as in table 2 for k = 1",
        ),
        // Memory.
        6 => joined(
            [
                m.batch(MEMORY_K).map(|batch| Unit::Bytes.show(batch.memory.total() as f64)),
                neural.and_then(|p| p.memory).map(|memory| Unit::Bytes.show(memory.total() as f64)),
                None,
            ],
            "held after a batch of 100 programs; after programs one after the other",
        ),
        _ => None,
    }
}

fn table_2(m: &Measured) -> Section {
    let mut section = Section::named("table2", "table 2, which approach when");
    for (approach, best, avoid) in quoted::TABLE_2 {
        section =
            section.row(Row::new(approach, Unit::Count).paper_says(format!("for {best}; not for {avoid}")));
    }
    for k in ADVISED {
        let advice = advice::advise(m, Case { k, ..Case::of(m) });
        section = section.row(
            Row::new(format!("advice for k = {}", count(k)), Unit::Count)
                .modelled_as(advice.approach.ident())
                .note(advice.why),
        );
    }
    section
}

fn claims(m: &Measured) -> Section {
    let mut section = Section::named("claims", "other claims");
    let per_gb = m.memory_each.filter(|each| *each > 0.0).map(|each| (1e9 / each).floor());
    let largest = m.largest().filter(|_| m.subject.kind == Kind::Gpu);
    let held = largest.map(|batch| 1e9 / (batch.memory.total() as f64 / f64::from(batch.k)));
    let row = Row::new("variants in 1 GB", Unit::Count);
    let row = match (per_gb, m.memory_each) {
        (Some(fit), Some(each)) => {
            row.modelled(fit).note(format!("the GPU engine lays out {} for each", Unit::Bytes.show(each)))
        }
        _ => row,
    };
    section = section.row(match held {
        Some(held) => row.measured_once(held.floor()).note("measured: all buffers of the batch, divided"),
        None => row,
    });
    let paper = Range::of(quoted::PROGRAMS_PER_SECOND);
    let rate = |name: &str| Row::new(format!("a second, {name}"), Unit::PerSecond);
    let named = figures(m);
    for figure in &named {
        let row = rate(figure.contestant.title()).measured_once(figure.per_second);
        section = section.row(row.note(format!("{} programs, as in the race", count(figure.programs))));
    }
    // Rates that the race does not show under these names.
    if let Some(one) = m.conventional.filter(|_| m.raced_loop().is_none()) {
        let row = rate("loop, other copies").measured_once(one.per_second());
        section = section.row(
            row.note(format!("{} programs; texts are copied elsewhere than in the race", count(one.programs))),
        );
    }
    if let Some(batch) = m.largest().filter(|_| !m.subject.alone) {
        let row = rate("several engines").measured_once(batch.per_second());
        section = section.row(row.note(format!("{} programs", count(batch.k))));
    }
    if let Some(draws) = m.candidates() {
        let row = rate("neural, k candidates").measured_once(f64::from(draws.k) / draws.all.median * 1e3);
        section = section.row(row.note(format!("{} candidates of one program", count(draws.k))));
    }
    for (name, programs) in
        [("neural, k programs", m.neural_programs()), ("hybrid, k programs", m.hybrid_programs())]
    {
        if let Some(p) = programs {
            let note = format!("{} programs, right code for {}", count(p.count), count(p.done));
            section = section.row(rate(name).measured_once(p.per_second()).note(note));
        }
    }
    let rate = m.largest().map(|batch| batch.per_second());
    section
        .row(
            Row::new("simple programs a second", Unit::PerSecond)
                .paper(paper)
                .measured_if(rate)
                .note("paper: executed on a GPU; here: generated, compiled and tested, the largest batch"),
        )
        .finding(rate.and_then(|rate| {
            contradiction("Programs a second, compiled and tested", Unit::PerSecond, paper, rate)
        }))
}
