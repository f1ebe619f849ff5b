//! The text output of `model`: a table for each equation, the plots, the advice.

use std::fmt::Write;

use crate::cli::input::InputSource;
use crate::cli::plot::{self, Points, Scale};
use crate::host::measure::origin::Origin;
use crate::host::measure::quantity::digits;
use crate::paper::Measured;
use crate::paper::advice::Advice;
use crate::paper::curves::{Crossover, CurveCounts, Plot, crossovers};
use crate::paper::table::{Row, Section};
use crate::report::visible::visible;

pub fn text(
    source: &InputSource,
    m: &Measured,
    sections: &[Section],
    plots: &[Plot],
    advice: &Option<Advice>,
) -> String {
    let s = &m.subject;
    let mut page = format!(
        "{}: {} bytes, {} tests and properties, k = {}; {}\n",
        source.shown(),
        digits(s.bytes.into()),
        s.tests,
        digits(s.k.into()),
        visible(&s.adapter)
    );
    for why in &m.missing {
        let _ = writeln!(page, "  note: {}", visible(why));
    }
    for section in sections {
        let number = section.equation.map_or(String::new(), |number| format!("({number}) "));
        let _ = writeln!(page, "\n{number}{}   {}", section.title, section.formula);
        let _ = writeln!(page, "  {:<34}{:>18}{:>14}{:>18}", "", "paper (quoted)", "modelled", "measured");
        for row in &section.rows {
            page.push_str(&line(row));
        }
        for finding in &section.findings {
            page.push_str(&wrapped(finding, "  → ", 96));
        }
        for sentence in &section.disagreements {
            page.push_str(&wrapped(sentence, "  ≠ ", 96));
        }
    }
    for plot in plots {
        page.push('\n');
        page.push_str(&drawn(plot, f64::from(s.k)));
    }
    if let Some(advice) = advice {
        let _ =
            writeln!(page, "\nadvice for k = {} (table 2): {}", digits(s.k.into()), advice.approach.ident());
        page.push_str(&wrapped(&advice.why, "  because ", 96));
    }
    page
}

/// Formats a row, with its note on the same line or below.
fn line(row: &Row) -> String {
    let shown = |origin| row.shown(origin).unwrap_or_default();
    let [measured, modelled, quoted] = Origin::ALL.map(shown);
    if [&measured, &modelled, &quoted].iter().any(|text| text.chars().count() > 18) {
        // Long texts: a line for each column.
        let mut lines = format!("  {}\n", row.name);
        for (origin, text) in Origin::ALL.into_iter().zip([measured, modelled, quoted]).rev() {
            if !text.is_empty() {
                lines.push_str(&wrapped(&text, &format!("    {origin:<10}"), 96));
            }
        }
        if !row.note.is_empty() {
            lines.push_str(&wrapped(&row.note, "      ", 96));
        }
        return lines;
    }
    // A long name takes space from the first column, so that the columns stay aligned.
    let room = 18usize.saturating_sub(row.name.chars().count().saturating_sub(34));
    let mut line = format!("  {:<34}{quoted:>room$}{modelled:>14}{measured:>18}", row.name);
    match row.note.chars().count() {
        0 => line.push('\n'),
        n if n <= 34 => {
            let _ = writeln!(line, "   {}", row.note);
        }
        _ => {
            line.push('\n');
            line.push_str(&wrapped(&row.note, "      ", 96));
        }
    }
    line
}

/// Wraps text at `width` characters. The first line starts with `lead`, later ones are indented to its width.
fn wrapped(text: &str, lead: &str, width: usize) -> String {
    let indent = " ".repeat(lead.chars().count());
    let mut page = String::from(lead);
    let mut column = lead.chars().count();
    for (i, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > width {
            page.push('\n');
            page.push_str(&indent);
            column = indent.len();
        } else if i > 0 {
            page.push(' ');
            column += 1;
        }
        page.push_str(word);
        column += length;
    }
    page.push('\n');
    page
}

/// Draws a plot with logarithmic axes: lines as marks at steps of k, with the crossings in words.
fn drawn(plot: &Plot, k: f64) -> String {
    let values = plot.curves.iter().flat_map(|curve| [curve.line.at(1.0), curve.line.at(k)]);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| *value > 0.0) {
        (low, high) = (low.min(value.log10()), high.max(value.log10()));
    }
    if !low.is_finite() {
        return String::new();
    }
    let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
    let right = k.max(10.0).log10();
    const STEPS: u32 = 36;
    let curves: Vec<plot::Curve> = plot
        .curves
        .iter()
        .map(|curve| {
            let along = (0..=STEPS).map(|step| right * f64::from(step) / f64::from(STEPS));
            let point = |x: f64| (x, curve.line.at(10f64.powf(x)).max(f64::MIN_POSITIVE).log10());
            let points: Points = along.map(point).collect();
            plot::Curve { name: curve.name.text.to_string(), mark: Some(curve.name.mark), points }
        })
        .collect();
    let ten = |x: f64| 10f64.powf(x);
    let x = Scale {
        bounds: [0.0, right],
        labels: vec!["k = 1".into(), digits(ten(right / 2.0)), digits(ten(right))],
    };
    let middle = (low + high) / 2.0;
    let y = Scale { bounds: [low, high], labels: [low, middle, high].map(|y| plot.unit.show(ten(y))).to_vec() };
    let title = format!("{}, modelled by lines through what was measured", plot.title);
    let mut text = plot::draw(&title, &curves, x, y);
    for Crossover { of: [a, b], k, beyond, counts } in crossovers(plot) {
        let as_the_paper = match counts {
            CurveCounts::Programs => "",
            CurveCounts::Candidates => " (candidates of one program counted as programs)",
        };
        let sentence = format!(
            "{a} and {b} cross at k = {}; beyond it {beyond} takes less{as_the_paper}",
            digits(k.ceil())
        );
        text.push_str(&wrapped(&sentence, "  ", 96));
    }
    if plot.curves.iter().any(|curve| curve.name.counts == CurveCounts::Candidates) {
        text.push_str(
            "  k counts different programs; that of `neural, k candidates` candidates of one program\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::measure::quantity::Unit;
    use crate::paper::quoted::Range;
    use crate::paper::table::Cell;

    #[test]
    fn cells_show_ranges_and_spreads_with_units() {
        let ms = |cell: Cell| cell.shown(Unit::Milliseconds);
        assert_eq!(ms(Cell::range(Range::new(50.0, 500.0))), "50–500 ms");
        assert_eq!(ms(Cell::range(Range::new(70.0, 1500.0))), "70 ms–1.50 s");
        let stat = crate::host::measure::stat::Stat { median: 0.25, spread: 0.01, of: 5 };
        assert_eq!(ms(stat.into()), "0.25 ms ± 10.0 µs");
    }

    #[test]
    fn columns_stay_aligned_after_a_long_name() {
        let ends = |name: &str| line(&Row::new(name, Unit::Times).paper(Range::of(400.0)).modelled(2.0)).len();
        assert_eq!(ends("speedup, k programs"), ends("speedup, k candidates of one program"));
    }

    #[test]
    fn sentences_wrap_between_words() {
        assert_eq!(wrapped("one two three", "→ ", 9), "→ one two\n  three\n");
    }
}
