//! Equations 3 to 12: the neural path.

use super::super::formula;
use super::super::measured::{Draws, Measured, Neural};
use super::super::neural::expected;
use super::super::paper::{self, Range};
use super::super::table::{Row, Section, contradiction};
use crate::report::quantity::{Unit, digits};

pub fn sections(m: &Measured) -> Vec<Section> {
    let n = m.neural.as_ref();
    vec![
        likelihood(n),
        supervised(n),
        reinforced(n),
        correct(n),
        success(n),
        enough(n),
        generate(m, n),
        verify(m, n),
        total(n),
        speedup(m, n),
    ]
}

fn likelihood(n: Option<&Neural>) -> Section {
    let section = Section::equation(3, "the model", "p(B | C) = Π p(b_t | b_<t, C; θ)");
    let Some((log_p, part)) = n.and_then(|n| n.likeliest) else { return section };
    section.row(
        Row::new("p of the code drawn most often", Unit::Probability)
            .modelled(log_p.exp())
            .measured_once(part)
            .note("modelled: the product over its words; measured: the part of the draws that it is"),
    )
}

fn supervised(n: Option<&Neural>) -> Section {
    let section = Section::equation(4, "supervised loss", "L = −E log p(B | C; θ)");
    match n.and_then(|n| n.own_loss) {
        Some(loss) => section.row(
            Row::new("of a word of the compiler's own code", Unit::Nats)
                .measured_once(loss)
                .note("one function; training's own figures are in assets/neural"),
        ),
        None => section
            .row(Row::new("of a word of the compiler's own code", Unit::Nats).note("not among the draws")),
    }
}

fn reinforced(n: Option<&Neural>) -> Section {
    let section = Section::equation(5, "reward", "L = −E[R log p],  R = 10 if all tests pass, + 1 if valid");
    let Some(n) = n else { return section };
    let drawn = f64::from(n.drawn.max(1));
    let part = |count: u32| f64::from(count) / drawn;
    section
        .row(
            Row::new("mean R of a draw", Unit::Count)
                .modelled(formula::reward(part(n.valid), part(n.correct)))
                .measured_once(formula::reward(part(n.valid), part(n.passed)))
                .note("modelled from p_correct, measured by the tests alone; no term for time"),
        )
        .row(Row::new("L over the draws", Unit::Nats).measured_once(n.reward_loss))
}

fn correct(n: Option<&Neural>) -> Section {
    let section = Section::equation(6, "p_correct by class", "0.3–0.5 simple, 0.01–0.1 complex");
    let Some(n) = n else { return section };
    let p = f64::from(n.correct) / f64::from(n.drawn.max(1));
    let paper = expected(n.class);
    section
        .row(
            Row::new(format!("p_correct of {}", n.function), Unit::Probability)
                .paper(paper)
                .measured_once(p)
                .note(format!("{}; {} to {} with 95 %", n.class.ident(), digits(n.p_low), digits(n.p_high))),
        )
        .finding(contradiction(
            &format!("p_correct of a {} function", n.class.ident()),
            Unit::Probability,
            paper,
            p,
        ))
}

fn p_correct(n: &Neural) -> f64 {
    f64::from(n.correct) / f64::from(n.drawn.max(1))
}

fn success(n: Option<&Neural>) -> Section {
    let section = Section::equation(7, "success within k", "P = 1 − (1 − p_correct)^k");
    let Some(n) = n else { return section };
    let p = p_correct(n);
    let paper = expected(n.class);
    section.rows(n.success.iter().map(|&(k, measured)| {
        Row::new(format!("k = {k}"), Unit::Probability)
            .paper(paper.map(|p| formula::success(p, k.into())))
            .modelled(formula::success(p, k.into()))
            .measured_once(measured)
    }))
}

fn enough(n: Option<&Neural>) -> Section {
    let mut section = Section::equation(8, "candidates for 99 %", "k = log 0.01 / log(1 − p) ≈ 4.6 / p");
    for (p, k) in paper::K99_EXAMPLES {
        section = section.row(
            Row::new(format!("p_correct = {p}"), Unit::Count)
                .paper(Range::of(k))
                .modelled(formula::candidates(p, 0.99))
                .note("the paper rounds 4.6 / p"),
        );
    }
    let Some(n) = n else { return section };
    let p = p_correct(n);
    let row = Row::new(format!("{}, p_correct = {}", n.function, digits(p)), Unit::Count)
        .modelled(formula::candidates(p, 0.99).ceil());
    section.row(match n.k99 {
        Some(k) => row.measured_once(k.into()).note("measured: unbiased, from the draws"),
        None => row.measured_as(format!("over {}", n.drawn)),
    })
}

/// What one candidate takes, from the batch before the last: what equations 9 and 10 predict the last from.
fn before_last(points: &[Draws]) -> Option<(&Draws, &Draws)> {
    let [.., before, last] = points else { return None };
    Some((before, last))
}

fn generate(m: &Measured, n: Option<&Neural>) -> Section {
    let section = Section::equation(9, "generating k candidates", "T_gen(k) = O(L · n · d² · k / P)");
    let Some(n) = n else { return section };
    let section = section.rows(n.points.iter().map(|point| {
        let row = Row::new(format!("T_gen({})", point.k), Unit::Milliseconds).measured(point.generate);
        let at_paper = f64::from(point.k) == paper::NEURAL_K;
        if at_paper { row.paper(paper::NEURAL_GENERATE) } else { row }
    }));
    let Some((before, last)) = before_last(&n.points) else { return section };
    let one = before.generate.median * m.subject.cores / f64::from(before.k);
    let modelled = formula::spread(one, last.k.into(), m.subject.cores);
    let mut section = section;
    if let Some(row) = section.rows.last_mut() {
        *row = row.clone().modelled(modelled).note(format!("from T_gen({})", before.k));
    }
    let sentence = (modelled > 1.5 * last.generate.median).then(|| {
        format!(
            "Generating {} candidates takes {} and not the {} of the formula: candidates that begin alike are worked on as one, so that time grows with the \
             different ones and not with k.",
            digits(last.k.into()),
            Unit::Milliseconds.show(last.generate.median),
            Unit::Milliseconds.show(modelled)
        )
    });
    let contradicts = (f64::from(last.k) == paper::NEURAL_K)
        .then(|| {
            contradiction(
                "Generating 1,000 candidates",
                Unit::Milliseconds,
                paper::NEURAL_GENERATE,
                last.generate.median,
            )
        })
        .flatten();
    section
        .row(
            Row::new("L · n · d² of one candidate", Unit::Count)
                .measured_once(f64::from(n.layers) * f64::from(n.words) * f64::from(n.width).powi(2))
                .note(format!("L = {}, n = {}, d = {}", n.layers, n.words, n.width)),
        )
        .finding(sentence)
        .finding(contradicts)
}

fn verify(m: &Measured, n: Option<&Neural>) -> Section {
    let section = Section::equation(10, "verifying k candidates", "T_verify(k) = O(T_exec · k / P)");
    let Some(n) = n else { return section };
    let execute = m.traditional.execute;
    section.rows(n.points.iter().map(|point| {
        let row = Row::new(format!("T_verify({})", point.k), Unit::Milliseconds).modelled(formula::spread(
            execute,
            point.k.into(),
            m.subject.cores,
        ));
        let row = match point.verify {
            Some(time) => row.measured_once(time),
            None => row.measured_as("under the noise"),
        };
        let at_paper = f64::from(point.k) == paper::NEURAL_K;
        if at_paper {
            row.paper(paper::NEURAL_VERIFY).note("measured: with tests less without; equal candidates run once")
        } else {
            row
        }
    }))
}

fn total(n: Option<&Neural>) -> Section {
    let section = Section::equation(11, "neural compilation", "T_neural = T_gen(k) + T_verify(k)");
    let Some(n) = n else { return section };
    let Some(last) = n.points.last() else { return section };
    let paper = Range::new(
        formula::neural(paper::NEURAL_GENERATE.low, paper::NEURAL_VERIFY.low),
        formula::neural(paper::NEURAL_GENERATE.high, paper::NEURAL_VERIFY.high),
    );
    let at_paper = f64::from(last.k) == paper::NEURAL_K;
    let row = Row::new(format!("T_neural({})", last.k), Unit::Milliseconds)
        .modelled(formula::neural(last.generate.median, last.verify.unwrap_or(0.0)))
        .measured(last.all)
        .note(format!("{}, {} parameters", n.function, digits(n.parameters as f64)));
    let row = if at_paper { row.paper(paper) } else { row };
    section
        .row(row)
        .row(
            Row::new("with evidence for the best one", Unit::Milliseconds)
                .measured_once(n.whole)
                .note(n.evidence.unwrap_or("nothing correct found")),
        )
        .finding(
            at_paper
                .then(|| contradiction("T_neural(1000)", Unit::Milliseconds, paper, last.all.median))
                .flatten(),
        )
}

fn speedup(m: &Measured, n: Option<&Neural>) -> Section {
    let section = Section::equation(12, "neural against the CPU", "speedup = k · T_CPU / T_neural");
    let paper = Range::of(formula::speedup(paper::NEURAL_K, paper::CPU, paper::NEURAL));
    let row = Row::new("speedup", Unit::Times).paper(paper);
    let (Some(n), Some(one)) = (n, m.conventional) else { return section.row(row) };
    let Some(last) = n.points.last() else { return section.row(row) };
    let k = f64::from(last.k);
    let here = formula::speedup(k, one.mean, last.all.median);
    let sentence = (here < 1.0).then(|| {
        format!(
            "Against a conventional loop as fast as this one ({} a program) the neural path does not pay in time: {} candidates cost {}, \
             and the loop compiles and tests as many programs in {}.",
            Unit::Milliseconds.show(one.mean),
            last.k,
            Unit::Milliseconds.show(last.all.median),
            Unit::Milliseconds.show(k * one.mean)
        )
    });
    section
        .row(
            row.modelled(formula::speedup(
                k,
                one.total.median,
                formula::neural(last.generate.median, last.verify.unwrap_or(0.0)),
            ))
            .measured_once(here)
            .note(format!("k = {}; modelled from medians, measured from the loop's mean", last.k)),
        )
        .row(Row::new("the summary's claim", Unit::Times).paper(paper::SPEEDUP_NEURAL).measured_once(here))
        .finding(contradiction("The neural speedup", Unit::Times, paper, here))
        .finding(sentence)
}
