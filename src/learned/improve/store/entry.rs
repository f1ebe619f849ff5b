//! One function of the store, as text.

use std::fmt::Write;
use std::str::FromStr;

use crate::compiler::stage::optimize::learned::LearnedCode;
use crate::compiler::stage::optimize::learned::code::Instruction;
use crate::compiler::stage::optimize::learned::key::LearnedKey;
use crate::lang::NONE;
use crate::lang::opcode::{ISA_VERSION, Op};

/// The version of the format; files of other versions are ignored.
const VERSION: u32 = 1;
/// The maximum number of instructions.
const MOST: usize = 4_096;

/// Better code of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: LearnedKey,
    pub code: LearnedCode,
    /// The steps of the tests of the program that it was found for, before and after.
    pub steps: [u64; 2],
    /// The moves that made it.
    pub moves: Vec<String>,
    /// When it was found, in seconds since 1970.
    pub time: u64,
}

impl Entry {
    pub fn text(&self) -> String {
        let Entry { key, code, steps: [before, after], moves, time } = self;
        let mut text = format!(
            "myriad {VERSION} {ISA_VERSION}\nkey {:032x}\nframe {}\nsteps {before} {after}\ntime {time}\nmoves {}\n",
            key.0,
            code.frame,
            moves.join(" ")
        );
        for (own, (token, site)) in code.code.iter().zip(code.tokens.iter().zip(&code.sites)) {
            let [[a, b], [c, d]] = [token, site].map(|place| place.map(|word| i64::from(word as i32)));
            let _ = writeln!(text, "{} {} {} {a} {b} {c} {d}", own.op.name(), own.arg, own.aux);
        }
        text
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// Says what is wrong, as a clause.
    pub fn read(text: &str) -> Result<Entry, String> {
        let mut lines = text.lines();
        if lines.next() != Some(&format!("myriad {VERSION} {ISA_VERSION}")) {
            return Err("it is of another version of this program".into());
        }
        read(&mut lines).ok_or_else(|| "it is not an entry of the store".into())
    }
}

fn read<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<Entry> {
    let mut field = |name: &str| Some(lines.next()?.strip_prefix(name)?.trim().to_string());
    let key = LearnedKey(u128::from_str_radix(&field("key ")?, 16).ok()?);
    let frame = field("frame ")?.parse().ok()?;
    let steps = numbers::<u64, 2>(&field("steps ")?)?;
    let time = field("time ")?.parse().ok()?;
    let moves = field("moves")?.split_whitespace().map(str::to_string).collect();
    let mut code = LearnedCode { frame, code: Vec::new(), tokens: Vec::new(), sites: Vec::new() };
    for line in lines {
        let (name, rest) = line.split_once(' ')?;
        let op = Op::ALL.iter().copied().find(|op| op.name() == name && *op != Op::Nop)?;
        let [arg, aux, rest @ ..] = numbers::<i64, 6>(rest)?;
        let word = |number: i64| match number {
            -1 => Some(NONE),
            number => u32::try_from(number).ok(),
        };
        let [a, b, c, d] = rest.map(word);
        code.code.push(Instruction {
            op,
            arg: u32::try_from(arg).ok()?,
            aux: u32::try_from(aux).ok()?,
            token: 0,
            site: 0,
        });
        code.tokens.push([a?, b?]);
        code.sites.push([c?, d?]);
    }
    let is_sound = (1..=MOST).contains(&code.code.len())
        && code.code.iter().all(|own| own.target().is_none_or(|target| (target as usize) < code.code.len()))
        && code.code.last().is_some_and(|own| !own.falls_through());
    is_sound.then_some(Entry { key, code, steps, moves, time })
}

fn numbers<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let all: Vec<T> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    all.try_into().ok()
}
