//! The language's cases and the samples, with the outcomes that their comments expect.

use std::path::Path;

use myriad::compiler::program::Compiled;
use myriad::lang::trap::Trap;
use myriad::lang::verdict::Outcome;

/// Returns paths and texts of the programs in some folders of the project, sorted by path.
pub fn programs(folders: &[&str]) -> Vec<(String, String)> {
    let mut programs = vec![];
    for folder in folders {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in folder.read_dir().expect("a folder of programs") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "myr") {
                let text = std::fs::read_to_string(&path).expect("a readable program");
                programs.push((path.display().to_string(), text));
            }
        }
    }
    programs.sort();
    programs
}

/// Returns the expected outcome of each test or property: a pass unless its line says otherwise.
pub fn expected_outcomes(program: &Compiled) -> Vec<Outcome> {
    let lines: Vec<&str> = program.text.lines().collect();
    let first = program.facts.functions as usize;
    let entries = program.executable.routines.token.get(first..).unwrap_or(&[]);
    let line = |token: &u32| lines[program.tokens.line[*token as usize] as usize];
    entries.iter().map(|token| expected_outcome(line(token))).collect()
}

fn expected_outcome(line: &str) -> Outcome {
    let comment = line.split_once("//~").map_or("", |(_, comment)| comment).trim();
    match comment.split_once(' ') {
        Some(("trap", name)) => {
            let trap = Trap::ALL.iter().find(|trap| trap.ident() == name.trim());
            Outcome::Trap(*trap.expect("the name of a trap"))
        }
        _ if comment == "fail" => Outcome::Fail,
        _ if comment == "discarded" => Outcome::Discarded,
        _ => Outcome::Pass,
    }
}
