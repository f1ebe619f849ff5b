//! Functions written by people: the samples, the language reference, and a set made for evaluation.
//!
//! They are embedded in the program, so that every build measures the same set. Training never uses them.

use include_dir::{Dir, include_dir};

use crate::lang::samples;

static WRITTEN: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../assets/neural/written");
const LANGUAGE: &str = include_str!("../../../../docs/language.md");

/// A program of the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The origin: a file, or the reference and the line of an example.
    pub name: String,
    pub text: String,
}

/// Returns all programs, ordered by name. Some contain intentional errors and do not compile.
pub fn programs() -> Vec<Text> {
    let mut programs = Vec::new();
    programs.extend(
        samples::all()
            .into_iter()
            .map(|sample| Text { name: format!("samples/{}", sample.name), text: sample.text.to_string() }),
    );
    let texts = WRITTEN.files().filter(|file| file.path().extension().is_some_and(|ext| ext == "myr"));
    programs.extend(texts.filter_map(|file| {
        let name = format!("assets/neural/written/{}", file.path().display());
        Some(Text { name, text: file.contents_utf8()?.to_string() })
    }));
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs.extend(examples(LANGUAGE, "docs/language.md"));
    programs
}

/// Returns the fenced examples of a page that begin with ```` ```myr ````.
fn examples(page: &str, name: &str) -> Vec<Text> {
    let mut found: Vec<Text> = Vec::new();
    let mut inside = None;
    for (number, line) in page.lines().enumerate() {
        match (inside, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let kept = info.split(',').next() == Some("myr");
                if kept {
                    found.push(Text { name: format!("{name}:{}", number + 2), text: String::new() });
                }
                inside = Some(kept);
            }
            (Some(_), Some(_)) => inside = None,
            (Some(true), None) => {
                if let Some(last) = found.last_mut() {
                    last.text.push_str(line);
                    last.text.push('\n');
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_set_contains_all_three_sources() {
        let programs = programs();
        let from = |prefix: &str| programs.iter().filter(|p| p.name.starts_with(prefix)).count();
        assert!(
            from("samples/") >= 10 && from("assets/neural/written/") >= 25 && from("docs/language.md:") >= 10
        );
        assert!(programs.iter().all(|p| p.text.ends_with('\n')));
    }

    #[test]
    fn page_examples_are_extracted_from_myr_blocks() {
        let page = "# x\n```myr\nfn f\n```\n```sh\nls\n```\n```myr,E0401\nfn g\n\n```\n";
        let found = examples(page, "p");
        let texts: Vec<&str> = found.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["fn f\n", "fn g\n\n"]);
        assert_eq!(found[0].name, "p:3");
    }
}
