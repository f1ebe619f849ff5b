//! Drawing as defined in `docs/neural.md`, by sorting, in f64.

use myriad::compiler::stage::execute::mix;
use myriad::network::assembler::AssemblerState;
use myriad::network::sampling::Sampling;
use myriad::network::source::Tables;
use myriad::network::vocabulary::TARGETS;

/// Returns the words that are allowed after `before`.
fn allowed(tables: &Tables, before: &[u16]) -> Vec<usize> {
    let mut state = AssemblerState::new(tables);
    before.iter().for_each(|&word| assert!(state.step(tables, word)));
    (0..TARGETS).filter(|&word| state.allowed(tables, word as u16)).collect()
}

/// Returns ln of a word's probability after `before`, at temperature 1.
pub fn log_p(logits: &[f64], tables: &Tables, before: &[u16], word: u16) -> f64 {
    let total: f64 = allowed(tables, before).into_iter().map(|word| logits[word].exp()).sum();
    logits[word as usize] - total.ln()
}

/// Returns the word that a candidate writes after `before`.
pub fn draw(logits: &[f64], tables: &Tables, before: &[u16], sampling: &Sampling, candidate: u32) -> u16 {
    let allowed = allowed(tables, before);
    let greatest = allowed.iter().map(|&word| logits[word]).fold(f64::MIN, f64::max);
    if candidate == 0 {
        return *allowed.iter().find(|&&word| logits[word] == greatest).expect("a word") as u16;
    }
    let weight = |word: usize| ((logits[word] - greatest) / f64::from(sampling.temperature)).exp();
    let total: f64 = allowed.iter().map(|&word| weight(word)).sum();
    let mut falling = allowed.clone();
    falling.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
    let mut sum = 0.0;
    let mut nucleus = Vec::new();
    for word in falling {
        if sum >= f64::from(sampling.top_p) * total {
            break;
        }
        sum += weight(word);
        nucleus.push(word);
    }
    nucleus.sort_unstable();
    let hash = mix(mix(mix(sampling.seed).wrapping_add(candidate)).wrapping_add(before.len() as u32));
    let goal = f64::from(hash >> 8) / f64::from(1 << 24) * sum;
    let mut cumulated = 0.0;
    for &word in &nucleus {
        cumulated += weight(word);
        if cumulated > goal {
            return word as u16;
        }
    }
    *nucleus.last().expect("a word") as u16
}
