//! A terminal backend that corrects implausible sizes.
//!
//! Before each frame ratatui asks the backend for the size and allocates that many cells. 65,535 × 65,535
//! cells would exhaust memory, so sizes are limited here.

use std::io;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use crate::workbench::panels::layout::clamp_size;

/// The size assumed for a terminal without a known size, such as a serial line.
const DEFAULT_SIZE: Size = Size { width: 80, height: 24 };

/// Returns the part of a terminal that is drawn on, at its upper left.
///
/// A width or height of 0 means that the size is unknown, also in the kernel; programs then assume a usual
/// size. If a window has really shrunk to nothing, the output is invisible, and the next size clears it.
fn bounded_size(said: Size) -> Size {
    let known = |length, usual| if length == 0 { usual } else { length };
    let (width, height) =
        clamp_size((known(said.width, DEFAULT_SIZE.width), known(said.height, DEFAULT_SIZE.height)));
    Size { width, height }
}

/// A backend with a plausible size.
pub struct BoundedSize<B>(pub B);

impl<B: Backend<Error = io::Error>> BoundedSize<B> {
    pub fn reported_size(&self) -> io::Result<Size> {
        self.0.size()
    }
}

impl<B: Backend<Error = io::Error>> Backend for BoundedSize<B> {
    type Error = io::Error;

    fn size(&self) -> io::Result<Size> {
        self.0.size().map(bounded_size)
    }
    fn window_size(&mut self) -> io::Result<WindowSize> {
        let said = self.0.window_size()?;
        Ok(WindowSize { columns_rows: bounded_size(said.columns_rows), ..said })
    }

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.0.draw(content)
    }
    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.0.append_lines(count)
    }
    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.hide_cursor()
    }
    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.show_cursor()
    }
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.0.get_cursor_position()
    }
    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.0.set_cursor_position(position)
    }
    fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }
    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.0.clear_region(region)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::panels::layout::MOST;

    #[test]
    fn terminal_size_is_limited_to_a_drawable_one() {
        for (said, drawn) in [
            ((80, 24), (80, 24)),
            ((1, 1), (1, 1)),
            ((0, 0), (80, 24)),
            ((0, 50), (80, 50)),
            ((132, 0), (132, 24)),
            ((u16::MAX, 1), (MOST.0, 1)),
            ((1, u16::MAX), (1, MOST.1)),
            ((u16::MAX, u16::MAX), MOST),
        ] {
            let size = bounded_size(Size { width: said.0, height: said.1 });
            assert_eq!((size.width, size.height), drawn, "{said:?}");
        }
    }
}
