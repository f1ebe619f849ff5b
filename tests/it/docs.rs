//! The documentation is correct: its programs behave as described, its tables match those in the code.

mod commands;
mod worked;

use crate::common::command::{call_with, codes};
use myriad::lang::diagnostic::Code;
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::opcode;
use myriad::report::explain;

/// Returns the fenced blocks of a page whose info begins with `myr`: the rest of the info, the line, the
/// program.
fn examples(page: &str) -> Vec<(String, usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let wanted = info.split_once(',').unwrap_or((info, ""));
                open = Some((info.to_string(), number + 1, String::new()));
                if wanted.0 != "myr" {
                    open = Some((String::new(), number + 1, String::new()));
                }
            }
            (Some(_), Some(_)) => found.extend(open.take().filter(|(info, ..)| !info.is_empty())),
            (Some((.., program)), None) => {
                program.push_str(line);
                program.push('\n');
            }
            (None, None) => {}
        }
    }
    found.into_iter().map(|(info, line, program)| (info.replacen("myr", "", 1), line, program)).collect()
}

fn page(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn language_reference_examples_behave_as_labelled() {
    let examples = examples(&page("docs/language.md"));
    assert!(examples.len() >= 15, "the page has lost its examples");
    for (kind, line, program) in examples {
        let called = call_with("test - --engine cpu --format json", &program);
        let found: Vec<String> =
            codes(&called.file()).into_iter().filter(|code| code.starts_with('E')).collect();
        let said = called.stdout;
        match kind.trim_start_matches(',') {
            "" => assert!(found.is_empty() && called.code == 0, "docs/language.md:{line} is wrong: {said}"),
            "fail" => {
                assert!(found.is_empty() && called.code == 1, "docs/language.md:{line} does not fail: {said}")
            }
            code => assert_eq!(found, [code], "docs/language.md:{line} says {said}"),
        }
    }
}

#[test]
fn explanation_examples_behave_as_labelled() {
    for &code in Code::ALL.iter().filter(|code| **code != Code::None) {
        let wrong = call_with("check - --engine cpu --format json", &explain::wrong(code));
        assert_eq!(
            codes(&wrong.file()),
            [code.code()],
            "the wrong example of {}: {}",
            code.code(),
            wrong.stdout
        );
        let mended = call_with("test - --engine cpu --format json", &explain::mended(code));
        assert!(codes(&mended.file()).is_empty(), "the mended example of {}: {}", code.code(), mended.stdout);
        assert_eq!(mended.code, 0, "the mended example of {}: {}", code.code(), mended.stdout);
    }
}

#[test]
fn language_reference_lists_every_error_code() {
    let page = page("docs/language.md");
    for &code in Code::ALL.iter().filter(|code| **code != Code::None) {
        let row = format!("| {} | {} |", code.code(), code.title());
        assert!(page.contains(&row), "docs/language.md lacks the row {row}");
    }
}

#[test]
fn links_in_pages_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in crate::common::page::all() {
        let text = page(&name);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, _) = link.split_once('#').unwrap_or((link, ""));
            let from = root.join(&name);
            let folder = from.parent().unwrap_or(root);
            let outside = link.contains("://");
            assert!(outside || path.is_empty() || folder.join(path).exists(), "{name} links to {link}");
        }
    }
}

#[test]
fn bytecode_page_names_the_instruction_set_version() {
    let page = page("docs/bytecode.md");
    assert!(page.contains(&format!("version {} of the instruction set", opcode::ISA_VERSION)));
}

#[test]
fn cli_page_lists_the_exit_codes() {
    let page = page("docs/cli.md");
    let section = page.split("## Exit codes\n").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let wanted: Vec<String> =
        myriad::cli::exit_codes().map(|(code, meaning)| format!("| {code} | {meaning} |")).collect();
    assert_eq!(rows, wanted);
}

#[test]
fn mutate_page_lists_every_operator() {
    let page = page("docs/stages/mutate.md");
    for (number, operator) in myriad::lang::mutation::Operator::ALL.iter().enumerate() {
        let row = format!("\n| {number} | {} | ", operator.name().replace('-', " "));
        assert!(page.contains(&row), "docs/stages/mutate.md has no row{row}");
    }
}

#[test]
fn workbench_page_contains_the_panels() {
    let page = page("docs/workbench.md");
    let panels = myriad::workbench::panels::markdown();
    assert!(
        page.contains(&panels),
        "run MYRIAD_BLESS=1 cargo test --lib panels; docs/workbench.md has other panels than\n{panels}"
    );
}

/// Returns the text between two parts of a text.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("the page lacks `{before}`"));
    rest.split_once(after).unwrap_or_else(|| panic!("the page lacks `{after}` after `{before}`")).0
}

/// Returns the number of survivors that `myriad mutate` and the workbench count.
fn survivors(text: &str) -> String {
    call_with("mutate - --engine cpu --format json", text).file()["counts"]["survived"].to_string()
}

/// Returns the test that is offered for the first survivor that has one.
fn offered(text: &str) -> Option<String> {
    use myriad::engine::{Engine, cpu::CpuEngine};
    use myriad::lang::verdict::MutantStatus;
    use myriad::testing::mutation::{Examiner, QuestionAnswer};
    let mut engine = CpuEngine::new();
    let base = engine.base(&text.into(), &|| false).expect("the CPU engine does not fail");
    let (count, mut verdicts) = (engine.variants().first_order, Vec::new());
    let add = &mut |part: myriad::engine::MutantResult| verdicts.extend(part.verdicts);
    engine.mutants(Indices::first(count), &|| false, add).expect("the CPU engine does not fail");
    let mut examiner = Examiner::new(base.compiled, &base.entries);
    let survivors =
        MutantId::all().zip(&verdicts).filter(|(_, verdict)| verdict.status == MutantStatus::Survived);
    { survivors }.find_map(|(id, _)| match examiner.question(id, &|| false) {
        Some(QuestionAnswer::Found(question)) => Some(question.test),
        _ => None,
    })
}

#[test]
fn readme_tour_yields_the_stated_counts() {
    let (readme, mut weak) = (page("README.md"), page("samples/weak.myr"));
    let counts = between(&readme, "Pressed repeatedly, `t` adds ", " survivors are left");
    let (tests, left) = counts.split_once(" tests, and ").expect("tests");
    let (after, before) = left.split_once(" of the ").expect("survivors");
    assert_eq!(survivors(&weak), before);
    let mut written = 0;
    while let Some(test) = offered(&weak) {
        weak.push_str(&format!("{test}\n"));
        written += 1;
    }
    assert_eq!((written.to_string().as_str(), survivors(&weak).as_str()), (tests, after));
}

#[test]
fn failing_samples_are_those_named_in_the_readme() {
    use myriad::engine::{Engine, cpu::CpuEngine};
    use myriad::lang::verdict::Outcome;
    let readme = page("README.md");
    let said = between(&readme, "ends with 1 on purpose: ", "\n");
    for entry in std::fs::read_dir("samples").expect("the samples") {
        let path = entry.expect("a sample").path();
        let text = std::fs::read_to_string(&path).expect("a sample");
        let base = CpuEngine::new().base(&text.into(), &|| false).expect("the CPU engine does not fail");
        let good = base.compiled.facts.errors == 0 && base.entries.iter().all(|e| e.outcome == Outcome::Pass);
        let name = path.file_name().expect("a name").to_string_lossy();
        assert_eq!(said.contains(&format!("`{name}`")), !good, "{name}");
    }
}

#[test]
fn validate_page_lists_every_repair_rule_by_cost() {
    let page = page("docs/stages/validate.md");
    for rule in myriad::testing::mutation::repair::Rule::ALL {
        let row = page.lines().find(|line| line.starts_with(&format!("| {} | `", rule.cost())));
        assert!(
            row.is_some_and(|row| row.contains(&format!("`{}`", rule.name()))),
            "{} in {row:?}",
            rule.name()
        );
    }
}

#[test]
fn batch_page_lists_every_status() {
    let page = page("docs/batch.md");
    for status in myriad::testing::batch::record::Status::ALL {
        let row = format!("- `{}`: {}\n", status.name(), status.about());
        assert!(page.contains(&row), "docs/batch.md has no row\n{row}");
    }
}

/// The stated time of a function on both paths is the same everywhere.
#[test]
fn hybrid_page_states_the_assumed_path_times() {
    let source = page("src/learned/hybrid/router.rs");
    let assumed = between(&source, "const ASSUMED: [f64; 3] = [", "]");
    let assumed: Vec<f64> = assumed.split(", ").map(|word| word.parse().expect("a number")).collect();
    let (neural, traditional) = (format!("{} ms", 1e3 * assumed[1]), format!("{} ms", 1e3 * assumed[2]));
    let text = page("docs/hybrid.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let count = |words: &str| text.matches(words).count();
    assert!(count("a search with 100 candidates") >= 1, "the page has lost its times");
    assert_eq!(count("a search with 100 candidates"), count(&format!("a search with 100 candidates {neural}")));
    assert!(text.contains(&format!("takes {traditional}")), "the page lacks {traditional}");
}
