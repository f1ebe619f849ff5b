//! The call graph.

use myriad::compiler::stage::flow::{self, Flow};
use myriad::compiler::stage::{compile, optimize};
use myriad::lang::samples;
use myriad::report::calls::{CallRow, TreeMark, dot, page, rows, tree};

use crate::common::command::{call, call_with};

fn graph(text: &str) -> Vec<CallRow> {
    let program = compile(text);
    let mut flow = Flow::default();
    let routines = optimize::lowered_routines(&program);
    flow::run(&program.lowered, &routines, &mut flow, &mut flow::FlowScratch::default());
    rows(&program, &flow)
}

const PROGRAM: &str = "\
fn leaf(a: int) -> int { return a & 1; }
fn even(n: int) -> bool { if n == 0 { return true; } return odd(n - 1); }
fn odd(n: int) -> bool { if n == 0 { return false; } return even(n - 1); }
fn fact(n: int) -> int { if n < 2 { return 1; } return n * fact(n - 1); }
fn top(n: int) -> int { return leaf(n) / leaf(n + 1) + fact(n) + leaf(2); }
test \"small\": top(1) == 2 && even(2);
test \"other\": leaf(3) == 1;
";

#[test]
fn the_tree_has_effects_and_marks_recursion() {
    let page = page(&graph(PROGRAM));
    let wanted = "\
fn top            may trap, reaches recursion
  fn leaf ×3      traps only at limits, calls nothing
  fn fact         traps only at limits, recursive
    fn fact       ↺ recursive call
fn even           traps only at limits, recursive
  fn odd          traps only at limits, recursive
    fn even       ↺ recursive call
test \"small\"      may trap, reaches recursion
  fn top          ↑ listed above
  fn even         ↑ listed above
test \"other\"      traps only at limits, 1 deep
  fn leaf         traps only at limits, calls nothing
";
    let squeezed = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| {
                line.trim_end().split("  ").filter(|part| !part.is_empty()).collect::<Vec<_>>().join("|")
            })
            .collect()
    };
    assert_eq!(squeezed(&page), squeezed(wanted), "{page}");
}

/// The tree of every sample has each routine, each edge once below the first line of its caller, and ends.
#[test]
fn trees_of_all_samples_have_every_edge_once() {
    for sample in samples::all() {
        let rows = graph(sample.text);
        let lines = tree(&rows);
        let edges: usize = rows.iter().map(|row| row.calls.len()).sum();
        assert_eq!(lines.iter().filter(|line| line.depth > 0).count(), edges, "{}", sample.name);
        for (number, row) in rows.iter().enumerate() {
            assert!(lines.iter().any(|line| line.row == number), "{}: {}", sample.name, row.routine);
            for callee in &row.calls {
                let caller = &rows[callee.row].called_by;
                assert!(caller.contains(&row.routine), "{}: {}", sample.name, callee.routine);
            }
        }
        let marked = lines.iter().any(|line| line.mark == TreeMark::Recursive);
        assert_eq!(marked, rows.iter().any(|row| row.effects.recursive), "{}", sample.name);
    }
}

#[test]
fn long_chains_and_large_cycles_are_listed() {
    let many = |last: usize| -> String {
        let line = |n: usize| format!("fn f{n}(a: int) -> int {{ return f{}(a); }}\n", (n + 1) % last);
        (0..last).map(line).collect()
    };
    let rows = graph(&many(250));
    assert!(rows.iter().all(|row| row.effects.recursive && row.calls.iter().all(|callee| callee.recursive)));
    let lines = tree(&rows);
    assert_eq!((lines.len(), lines.last().map(|line| line.depth)), (251, Some(250)));
}

#[test]
fn stages_prints_the_graph_as_text_json_and_dot() {
    let text = call_with("stages - --stage calls --engine cpu", PROGRAM).stdout;
    assert!(text.contains("calls\nfn top"), "{text}");
    let file = call_with("stages - --stage calls --engine cpu --format json", PROGRAM).file();
    let top = &file["calls"][4];
    assert_eq!((top["routine"].as_str(), top["traps"].as_bool()), (Some("fn top"), Some(true)));
    assert_eq!(top["calls"][0]["routine"], "fn leaf");
    assert_eq!(top["calls"][0]["sites"].as_array().map(Vec::len), Some(3));
    assert_eq!(top["called_by"], serde_json::json!(["test \"small\""]));
    assert!(top.get("depth").is_none() && file["calls"][0]["depth"] == 0);
    let drawn = call_with("stages - --stage calls --dot --engine cpu", PROGRAM).stdout;
    assert_eq!(drawn, dot("standard input", &graph(PROGRAM)).replace("standard input", first_name(&drawn)));
    assert!(
        drawn.contains("style=dashed") && drawn.contains("3×") && drawn.contains("test \\\"small\\\""),
        "{drawn}"
    );
    // Only these two are graphs.
    let wrong = call("stages samples/gcd.myr --stage ast --dot");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("--stage calls --dot"), "{}", wrong.stderr);
    let same = call("stages samples/gcd.myr --stage cfg --dot --engine cpu").stdout;
    assert_eq!(same, call("stages samples/gcd.myr --dot --engine cpu").stdout);
}

/// Returns the name of the graph.
fn first_name(drawn: &str) -> &str {
    drawn.split('"').nth(1).expect("a name")
}
