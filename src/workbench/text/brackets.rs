//! Finds the matching bracket. Brackets in comments, strings and character literals do not count.

use crate::workbench::text::Buffer;

const PAIRS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

impl Buffer {
    /// Returns the positions of the bracket at the cursor, or else just before it, and its partner.
    pub fn bracket_pair(&self) -> Option<(usize, usize)> {
        let head = self.head();
        let candidates = [Some(head), head.checked_sub(1)];
        let here = candidates.into_iter().flatten().find(|at| self.char_at(*at).is_some_and(is_bracket))?;
        self.bracket_pair_at(here)
    }

    /// Returns the position of a bracket and its partner, in text order.
    pub fn bracket_pair_at(&self, here: usize) -> Option<(usize, usize)> {
        let mut stack: Vec<(char, usize)> = Vec::new();
        for (at, c) in code_brackets(self.text()) {
            if let Some((_, close)) = PAIRS.iter().find(|(open, _)| *open == c) {
                stack.push((*close, at));
            } else if let Some((close, open_at)) = stack.pop() {
                if here == at || here == open_at {
                    return (close == c).then_some((open_at, at));
                }
            } else if here == at {
                return None;
            }
        }
        None
    }

    /// Returns whether a closing bracket after a position has no opening one.
    pub(super) fn waits_for(&self, open: char, position: usize) -> bool {
        let (close, mut depth) = (closing(open), 0_u32);
        code_brackets(self.text()).any(|(here, c)| {
            let is_alone = Some(c) == close && depth == 0;
            match c {
                _ if c == open => depth += 1,
                _ if Some(c) == close => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_alone && here >= position
        })
    }

    /// Returns the positions of all pairs of one kind of bracket, each after those inside it.
    pub fn pairs_of(&self, open: char) -> Vec<(usize, usize)> {
        let (close, mut stack, mut found) = (closing(open), Vec::new(), Vec::new());
        for (here, c) in code_brackets(self.text()) {
            if c == open {
                stack.push(here);
            } else if Some(c) == close
                && let Some(start) = stack.pop()
            {
                found.push((start, here));
            }
        }
        found
    }
}

pub fn is_bracket(c: char) -> bool {
    closing(c).is_some() || is_closing(c)
}

pub(super) fn closing(open: char) -> Option<char> {
    PAIRS.iter().find(|(own, _)| *own == open).map(|(_, close)| *close)
}

pub(super) fn is_closing(c: char) -> bool {
    PAIRS.iter().any(|(_, close)| *close == c)
}

/// Returns the positions of brackets that are code.
fn code_brackets(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    #[derive(Clone, Copy, PartialEq)]
    enum In {
        Code,
        Comment,
        Quote(char),
    }
    let mut state = In::Code;
    let mut escaped = false;
    let mut chars = text.chars().enumerate().peekable();
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            match state {
                _ if c == '\n' => state = In::Code,
                In::Comment => {}
                In::Quote(_) if escaped => escaped = false,
                In::Quote(_) if c == '\\' => escaped = true,
                In::Quote(quote) if c == quote => state = In::Code,
                In::Quote(_) => {}
                In::Code if c == '/' && chars.peek().is_some_and(|(_, next)| *next == '/') => {
                    state = In::Comment;
                }
                In::Code if c == '"' || c == '\'' => {
                    state = In::Quote(c);
                    escaped = false;
                }
                In::Code if is_bracket(c) => return Some((at, c)),
                In::Code => {}
            }
        }
        None
    })
}
