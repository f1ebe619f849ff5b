//! Draws a training's log as curves of characters.

use crate::cli::plot::{self, Curve, Points, Scale};
use crate::learned::training::{LogLine, Measure};

/// Selects the measurement of one set of held-out functions from a line of the log.
type OfSet = fn(&LogLine) -> Option<Measure>;

/// Draws two plots over the number of examples: the loss, and the fraction of held-out functions whose greedy
/// candidate equals the compiler's code.
pub fn plot(lines: &[LogLine]) -> String {
    if lines.len() < 2 {
        return "nothing to plot yet\n".into();
    }
    let measured = |of: OfSet, value: fn(Measure) -> f64| -> Points {
        lines.iter().filter_map(|line| Some((line.examples as f64, value(of(line)?)))).collect()
    };
    let training: Points = lines.iter().map(|line| (line.examples as f64, line.loss)).collect();
    let sets: [(&str, OfSet); 3] =
        [("simple", |line| line.simple), ("complex", |line| line.complex), ("written", |line| line.written)];
    let mut losses = vec![("training", training)];
    losses.extend(sets.map(|(name, of)| (name, measured(of, |measure| measure.loss))));
    let exact: Vec<(&str, Points)> =
        sets.map(|(name, of)| (name, measured(of, |measure| measure.exact))).into();
    let top = losses.iter().flat_map(|(_, points)| points).map(|point| point.1).fold(0.1, f64::max).min(3.0);
    let right = lines.last().map_or(1.0, |line| line.examples as f64);
    let mut text = draw("cross-entropy of a word", losses, right, top);
    if exact.iter().any(|(_, points)| !points.is_empty()) {
        text.push_str(&draw("functions whose greedy candidate is the compiler's code", exact, right, 1.0));
    }
    text
}

fn draw(title: &str, curves: Vec<(&str, Points)>, right: f64, top: f64) -> String {
    let curve = |(name, points): (&str, Points)| Curve {
        mark: if name == "training" { None } else { name.chars().next() },
        name: name.to_string(),
        points,
    };
    let curves: Vec<Curve> = curves.into_iter().map(curve).collect();
    let x = Scale { bounds: [0.0, right], labels: vec!["0".to_string(), count(right / 2.0), count(right)] };
    let y = Scale {
        bounds: [0.0, top],
        labels: vec!["0".into(), format!("{:.2}", top / 2.0), format!("{top:.2}")],
    };
    plot::draw(title, &curves, x, y)
}

fn count(n: f64) -> String {
    if n >= 10_000.0 { format!("{:.0},000", n / 1_000.0) } else { format!("{n:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: u64) -> LogLine {
        let exact = step as f64 / 20.0;
        let measure = Measure { functions: 9, loss: 1.0 - exact, exact, probable: exact };
        LogLine {
            step,
            examples: step * 1_000,
            seconds: 1.0,
            phase: "full".into(),
            rate: 1.0,
            loss: 2.0 / step as f64,
            gradient: 1.0,
            per_second: 1.0,
            simple: Some(measure),
            complex: step.is_multiple_of(2).then_some(measure),
            written: None,
            sampled: None,
        }
    }

    #[test]
    fn loss_curve_falls_from_left_to_right() {
        let text = plot(&(1..=20).map(line).collect::<Vec<_>>());
        assert!(
            text.contains("cross-entropy") && text.contains("20,000") && text.contains("s simple"),
            "{text}"
        );
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 2 * usize::from(plot::SIZE.1));
        // The loss starts high on the left and ends low on the right.
        let column = |row: &str| row.chars().position(|c| c == '•');
        let first = rows[1..10].iter().find_map(|row| column(row)).unwrap();
        let last = rows[10..16].iter().rev().find_map(|row| column(row)).unwrap();
        assert!(first < last, "{text}");
    }

    #[test]
    fn log_with_one_line_plots_nothing() {
        assert_eq!(plot(&[line(1)]), "nothing to plot yet\n");
    }
}
