//! The terminal as the workbench draws on it: with a size that makes sense, whatever it says.
//!
//! Before each frame ratatui asks the backend for the size and makes room for so many cells; 65,535 × 65,535 of them
//! end the program. So it is here that a size is doubted.

use std::io;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use crate::workbench::panels::layout::within_most;

/// What a terminal is taken for that says nothing of its size, as serial lines do.
const USUAL: Size = Size { width: 80, height: 24 };

/// The part of a terminal that is drawn on: its upper left.
///
/// A width or a height of 0 means that it is not known (so does the kernel for a terminal that nobody has told one);
/// programs then take it for a usual terminal. Where a window really has shrunk to nothing nobody sees what is drawn,
/// and its next size clears it away.
fn sensible(said: Size) -> Size {
    let known = |length, usual| if length == 0 { usual } else { length };
    let (width, height) = within_most((known(said.width, USUAL.width), known(said.height, USUAL.height)));
    Size { width, height }
}

/// A backend whose terminal has a sensible size.
pub struct Sensible<B>(pub B);

impl<B: Backend<Error = io::Error>> Sensible<B> {
    /// The size that the terminal itself says it has.
    pub fn said(&self) -> io::Result<Size> {
        self.0.size()
    }
}

impl<B: Backend<Error = io::Error>> Backend for Sensible<B> {
    type Error = io::Error;

    fn size(&self) -> io::Result<Size> {
        self.0.size().map(sensible)
    }
    fn window_size(&mut self) -> io::Result<WindowSize> {
        let said = self.0.window_size()?;
        Ok(WindowSize { columns_rows: sensible(said.columns_rows), ..said })
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
    fn a_size_is_what_can_be_drawn() {
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
            let size = sensible(Size { width: said.0, height: said.1 });
            assert_eq!((size.width, size.height), drawn, "{said:?}");
        }
    }
}
