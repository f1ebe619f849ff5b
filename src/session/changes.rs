//! Verdicts that the last edit changed: mutants that are newly noticed, and mutants that newly survive.

use std::collections::HashMap;
use std::sync::Arc;

use super::judged::Judged;
use super::task::{Step, Task};
use crate::compiler::program::{CommonEnds, Compiled};
use crate::compiler::stage::mutate::{Edit, PIECES, Piece};
use crate::compiler::variants::Variants;
use crate::engine::EngineError;
use crate::lang::index::{Index, Indices, MutantId, TokenId};
use crate::lang::verdict::{MutantStatus, Verdict};

/// Verdicts changed by the last edit. Ids are of first-order mutants, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The revision of the text that is compared with.
    pub since: u64,
    /// Mutants that survived before and are noticed now.
    pub noticed: Vec<MutantId>,
    /// Mutants that were noticed before and survive now.
    pub survive: Vec<MutantId>,
    /// Surviving mutants of new code.
    pub fresh: Vec<MutantId>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.noticed.is_empty() && self.survive.is_empty() && self.fresh.is_empty()
    }

    /// Returns all ids, ascending.
    pub fn ids(&self) -> Vec<MutantId> {
        let mut ids = [&*self.noticed, &self.survive, &self.fresh].concat();
        ids.sort_unstable();
        ids
    }

    /// Compares the verdicts on the mutants of two programs. Two mutants are the same if they make the same
    /// change to the same token. Tokens are the same if they are in the programs' common prefix or common
    /// suffix.
    pub fn between(before: (&Arc<Compiled>, &[Verdict]), after: (&Arc<Compiled>, &[Verdict])) -> Changes {
        let ends = Ends::of(before.0, after.0);
        let known: HashMap<SessionChange, Verdict> = singles(before)
            .filter_map(|(_, edit, verdict)| {
                Some((SessionChange::of(edit, ends.place(edit.site, 0)?), verdict))
            })
            .collect();
        let mut changes = Changes::default();
        for (id, edit, verdict) in singles(after) {
            let place = ends.place(edit.site, 1);
            let old = place.and_then(|place| known.get(&SessionChange::of(edit, place)));
            let survives = verdict.status == MutantStatus::Survived;
            match old.map(|old| old.status) {
                Some(MutantStatus::Survived) if is_noticed(verdict.status) => changes.noticed.push(id),
                Some(status) if is_noticed(status) && survives => changes.survive.push(id),
                None if survives => changes.fresh.push(id),
                _ => {}
            }
        }
        changes
    }

    /// Returns the id that a first-order mutant of a program has in another program; `None` if that does not have it.
    pub fn follow(before: &Arc<Compiled>, id: MutantId, after: &Arc<Compiled>) -> Option<MutantId> {
        let ends = Ends::of(before, after);
        let edits = Variants::new(before.clone()).edits(id).filter(|edits| edits.second.is_none())?;
        let wanted = SessionChange::of(edits.first, ends.place(edits.first.site, 0)?);
        let variants = Variants::new(after.clone());
        Indices::first(variants.first_order()).iter().find(|id| {
            let change = variants
                .edits(*id)
                .and_then(|edits| Some(SessionChange::of(edits.first, ends.place(edits.first.site, 1)?)));
            change.as_ref() == Some(&wanted)
        })
    }
}

fn is_noticed(status: MutantStatus) -> bool {
    matches!(status, MutantStatus::Killed | MutantStatus::Timeout)
}

/// Iterates over the first-order mutants of a program with their verdicts.
fn singles<'a>(
    (program, verdicts): (&Arc<Compiled>, &'a [Verdict]),
) -> impl Iterator<Item = (MutantId, Edit, Verdict)> + 'a {
    let variants = Variants::new(program.clone());
    let singles = variants.first_order();
    let of = move |(id, verdict): (MutantId, &Verdict)| Some((id, variants.edits(id)?.first, *verdict));
    Indices::first(singles).iter().zip(verdicts).filter_map(of)
}

/// Numbers of tokens of two programs.
struct Ends {
    common: CommonEnds,
    lengths: [u32; 2],
}

impl Ends {
    fn of(before: &Compiled, after: &Compiled) -> Ends {
        let [one, other] = [before.view(), after.view()];
        Ends { common: one.common_ends(other), lengths: [one.len(), other.len()] }
    }

    /// Returns a position of a token that is valid in both programs: from the start, or negative from the end.
    /// `program` is 0 or 1. Returns `None` if only one program has the token.
    fn place(&self, token: TokenId, program: usize) -> Option<i64> {
        let behind = self.lengths[program].checked_sub(token.number())?;
        if token.number() < self.common.prefix {
            Some(i64::from(token.number()))
        } else {
            (behind <= self.common.suffix).then_some(-i64::from(behind))
        }
    }
}

/// A change of a token, independent of the token's position in the program.
#[derive(PartialEq, Eq, Hash)]
struct SessionChange {
    place: i64,
    operator: u32,
    /// The range of tokens that it replaces, relative to `place`.
    lo: i64,
    hi: i64,
    /// The inserted tokens: new tokens, or copies with their position relative to `place`.
    put: [Option<(Piece, i64)>; PIECES],
}

impl SessionChange {
    fn of(edit: Edit, place: i64) -> SessionChange {
        let from = |token: TokenId| i64::from(token.number()) - i64::from(edit.site.number());
        let (lo, hi, operator) = (from(edit.lo), from(edit.hi), edit.operator as u32);
        let mut put = [None; PIECES];
        for (put, piece) in put.iter_mut().zip(edit.pieces()) {
            *put = Some(match piece {
                Piece::Copy(tokens) => (Piece::Copy(Indices::first(tokens.len())), from(tokens.start())),
                new => (new, 0),
            });
        }
        SessionChange { place, operator, lo, hi, put }
    }
}

/// Compares with the text judged before; reports [`Changes`].
pub fn serve(before: &mut Option<Arc<Judged>>, task: &Task) -> Result<Step, EngineError> {
    let now = &task.judged;
    // If no test passes, nothing is judged; the next result is then compared with the last text that was
    // judged.
    if now.counted.is_empty() {
        return Ok(Step::Done);
    }
    let known =
        before.replace(now.clone()).filter(|before| before.base.compiled.text != now.base.compiled.text);
    if let Some(old) = known {
        let (were, are) = ((&old.base.compiled, &*old.counted), (&now.base.compiled, &*now.counted));
        task.found(Changes { since: old.revision, ..Changes::between(were, are) });
    }
    Ok(Step::Done)
}
