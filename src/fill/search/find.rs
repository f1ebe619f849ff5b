//! Finds the solutions in pieces of the work, on the processor or with a device.

use rayon::prelude::*;

use super::Search;
use crate::fill::pieces::Piece;
use crate::fill::scanner::{AROUND, Scanner};
use crate::fill::tree::Tree;

/// The number of candidates tried, and the solutions among them.
pub type Found = (u64, Vec<Tree>);

impl Search {
    /// Finds the solutions of some pieces on the processor; `None` if it was stopped.
    pub(super) fn find_all(&self, pieces: &[&Piece], stop: &(dyn Fn() -> bool + Sync)) -> Option<Found> {
        let find = |piece: &&Piece| self.find(piece, stop);
        let parts: Option<Vec<Found>> = pieces.par_iter().with_max_len(1).map(find).collect();
        let (tried, found): (Vec<u64>, Vec<Vec<Tree>>) = parts?.into_iter().unzip();
        Some((tried.iter().sum(), found.into_iter().flatten().collect()))
    }

    /// The same with a device, which takes all pieces but those that are looked up, lie deep, or have elements or calls.
    pub(super) fn find_all_on(
        &self,
        scanner: &mut dyn Scanner,
        pieces: &[&Piece],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Found>, String> {
        let is_scanned = |piece: &&Piece| {
            let is_deep = piece.context.around.len() > AROUND;
            piece.inverse.is_none() && !is_deep && !piece.needs_space(&self.space)
        };
        let (scanned, others): (Vec<&Piece>, Vec<&Piece>) = pieces.iter().partition(|piece| is_scanned(piece));
        let mut here = None;
        let there = scanner.scan(&scanned, &mut || here = self.find_all(&others, stop))?;
        let overflowed: Vec<&Piece> =
            there.overflowed.iter().filter_map(|piece| scanned.get(*piece as usize).copied()).collect();
        let (Some((tried, mut found)), Some((_, more))) = (here, self.find_all(&overflowed, stop)) else {
            return Ok(None);
        };
        found.extend(more);
        for hit in there.hits {
            let Some(piece) = scanned.get(hit.piece as usize) else { continue };
            let operation = self.space.operations[piece.operation as usize];
            let target =
                piece.context.target.operand(&self.space, operation, piece.side, hit.known, &self.rows);
            if target.is_some_and(|target| self.fits(&target, hit.other)) {
                found.extend(self.accept(piece, hit.known, hit.other));
            }
        }
        Ok(Some((tried + there.tried, found)))
    }

    /// Finds the solutions of a piece; `None` if it was stopped.
    fn find(&self, piece: &Piece, stop: &(dyn Fn() -> bool + Sync)) -> Option<Found> {
        let (mut tried, mut found) = (0, Vec::new());
        let target = &piece.context.target;
        if let Some(inverse) = piece.inverse {
            tried = piece.through.len() as u64;
            self.look_up(inverse, piece.through.clone(), target, stop, &mut |known, other| {
                if piece.others(known).contains(&other) {
                    found.extend(self.accept(piece, known, other));
                }
            })?;
            return Some((tried, found));
        }
        let operation = self.space.operations[piece.operation as usize];
        for known in piece.through.clone() {
            if stop() {
                return None;
            }
            let Some(operand) = target.operand(&self.space, operation, piece.side, known, &self.rows) else {
                continue;
            };
            let others = piece.others(known);
            tried += others.len() as u64;
            self.scan(&operand, Some((piece, known)), others, stop, &mut |other| {
                found.extend(self.accept(piece, known, other));
            })?;
            if found.len() > 4 * self.limits.solutions {
                self.shorten(&mut found);
            }
        }
        Some((tried, found))
    }
}
