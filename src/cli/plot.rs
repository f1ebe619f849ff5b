//! Draws curves with characters, for a terminal or a file. Curves differ by their marks, since there are no
//! colours.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::symbols::Marker;
use ratatui::text::Line as Text;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, LegendPosition, Widget};

/// Size of a plot in cells.
pub const SIZE: (u16, u16) = (78, 18);

pub type Points = Vec<(f64, f64)>;

pub struct Curve {
    pub name: String,
    /// The character of its points; `None` for dots.
    pub mark: Option<char>,
    pub points: Points,
}

/// An axis: its bounds, and labels at equal distances along it.
pub struct Scale {
    pub bounds: [f64; 2],
    pub labels: Vec<String>,
}

/// Draws a plot with its title above; returns its lines.
pub fn draw(title: &str, curves: &[Curve], x: Scale, y: Scale) -> String {
    // Labels have equal width, because the legend does not clear the rest of its box.
    let width = curves.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0);
    let labels: Vec<String> =
        curves.iter().map(|curve| format!("{} {:<width$}", curve.mark.unwrap_or('•'), curve.name)).collect();
    let datasets = curves.iter().zip(&labels).map(|(curve, label)| {
        let marker = curve.mark.map_or(Marker::Dot, Marker::Custom);
        Dataset::default()
            .name(label.as_str())
            .marker(marker)
            .graph_type(GraphType::Scatter)
            .data(&curve.points)
    });
    let axis = |scale: Scale| Axis::default().bounds(scale.bounds).labels(scale.labels);
    let chart = Chart::new(datasets.collect())
        .x_axis(axis(x))
        .y_axis(axis(y))
        .legend_position(Some(LegendPosition::TopRight))
        .hidden_legend_constraints((Constraint::Percentage(100), Constraint::Percentage(100)));
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut buffer = Buffer::empty(area);
    buffer.set_line(0, 0, &Text::from(title), SIZE.0);
    chart.render(Rect::new(0, 1, SIZE.0, SIZE.1 - 1), &mut buffer);
    let mut text = String::new();
    for y in 0..SIZE.1 {
        let row: String = (0..SIZE.0).map(|x| buffer[(x, y)].symbol()).collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
