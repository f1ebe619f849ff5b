//! Export of a program as standalone C99 that runs its own tests and properties.
//!
//! The code is generated from the checked tree, and traps where the language does. Resources are counted
//! differently, as C
//! has no bytecode: a *turn* (a loop iteration or a call) counts instead of a step, and only variables count
//! as memory, not
//! operands. Both counts are at most the machine's. So `StepLimit` and `OutOfMemory` occur later than in the
//! machine or not at
//! all, and never in a run without that trap in the machine. `RecursionTooDeep` is exact.

mod expression;
mod nodes;
mod statement;
mod writer;

use std::fmt::Write;

use crate::compiler::program::Compiled;
use crate::compiler::stage::execute::most_tried;
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use expression::int;
use nodes::Nodes;
use writer::Writer;

/// The C runtime that exported code calls. An operation is computed by the function named `m_` and the
/// operation's name.
const RUNTIME: &str = include_str!("runtime.c");

/// A test or property to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its index among all tests and properties of the program.
    pub index: u32,
    /// Turns that each of its inputs may take.
    pub fuel: u32,
}

/// A program to export.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The program. Nothing is exported if it has errors.
    pub program: &'a Compiled,
    pub entries: &'a [Entry],
    /// Whether to stop after the first entry with an input that does not hold.
    pub first_failure_ends: bool,
}

/// Returns all tests and properties of a program, with as many turns as a test may execute steps.
pub fn all_entries(program: &Compiled) -> Vec<Entry> {
    let count = program.entries();
    (0..count).map(|index| Entry { index, fuel: limits::STEPS }).collect()
}

/// Returns a C file that prints a line for each entry: `INDEX line LINE` and then `pass`, `fail`, `trap KIND`
/// or `discarded`.
/// It exits with 0 if all entries pass, else with 1. If there are several units, a line `unit NUMBER`
/// precedes the lines of each.
pub fn source(units: &[Unit]) -> String {
    let mut out = String::from(
        "/* Made by myriad: a program with its tests. C99, and nothing but the standard library. */\n",
    );
    out += "#include <setjmp.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\n";
    let _ = writeln!(
        out,
        "enum {{ CAPACITY = {}, CALL_DEPTH = {}, STACK_WORDS = {} }};\n\
         enum {{ SAMPLES = {}, MOST_TRIED = {}, INPUTS = {} }};",
        limits::CAPACITY,
        limits::CALL_DEPTH,
        limits::STACK_WORDS,
        limits::SAMPLES,
        most_tried(limits::SAMPLES),
        limits::INPUTS,
    );
    let traps: Vec<&str> = Trap::ALL.iter().skip(1).map(|trap| trap.ident()).collect();
    let _ = writeln!(out, "enum {{ NoTrap, {} }};", traps.join(", "));
    let _ = writeln!(out, "static const char *const m_traps[] = {{\"\", \"{}\"}};\n", traps.join("\", \""));
    out += RUNTIME;
    let several = units.len() > 1;
    let mut calls = String::new();
    for (number, unit) in units.iter().enumerate().filter(|(_, unit)| unit.program.facts.errors == 0) {
        let prefix = if several { format!("u{number}_") } else { String::new() };
        write_unit(&mut out, unit, &prefix);
        if several {
            let _ = writeln!(calls, "    puts(\"unit {number}\");");
        }
        let _ = writeln!(calls, "    good &= {prefix}run();");
    }
    let _ = write!(out, "\nint main(void) {{\n    int good = 1;\n{calls}    return !good;\n}}\n");
    out
}

fn write_unit(out: &mut String, unit: &Unit, prefix: &str) {
    let nodes = Nodes::new(unit.program);
    let items =
        |wanted: fn(Role) -> bool| (0..nodes.len()).filter(|t| wanted(nodes.role(*t))).collect::<Vec<_>>();
    let functions = items(|role| role == Role::Fn);
    for head in &functions {
        let _ = writeln!(out, "{};", signature(&nodes, *head, prefix));
    }
    functions.iter().for_each(|head| function(out, &nodes, *head, prefix));
    let tests = items(|role| matches!(role, Role::Test | Role::Prop));
    let mut calls = String::new();
    for entry in unit.entries {
        let Some(&head) = tests.get(entry.index as usize) else { continue };
        let binders: Vec<u32> = nodes.parameters(head).collect();
        test(out, &nodes, head, entry.index, &binders, prefix);
        let table = if binders.is_empty() { "NULL".into() } else { format!("{prefix}b_{}", entry.index) };
        let call = format!(
            "m_entry({0}, {1}, {prefix}e_{0}, {table}, {2}, {3}u)",
            entry.index,
            nodes.line(head),
            binders.len(),
            entry.fuel
        );
        let _ = match unit.first_failure_ends {
            true => writeln!(calls, "    if (!{call}) return 0;"),
            false => writeln!(calls, "    good &= {call} == 1;"),
        };
    }
    let _ = write!(out, "\nint {prefix}run(void) {{\n    int good = 1;\n{calls}    return good;\n}}\n");
}

/// Writes a function's C declaration. Lists are passed and returned by address; the function copies its list
/// parameters.
fn signature(nodes: &Nodes, head: u32, prefix: &str) -> String {
    let writer = Writer::new(nodes, prefix, None);
    let is_list = nodes.ty(head).is_list();
    let mut parameters: Vec<String> = vec![];
    parameters.extend(is_list.then(|| "List *out".to_string()));
    parameters.extend(nodes.parameters(head).map(|t| match nodes.ty(t).is_list() {
        true => format!("const List *{}", given(nodes, t)),
        false => format!("int32_t {}", writer.variable(t)),
    }));
    if parameters.is_empty() {
        parameters.push("void".into());
    }
    let name = nodes.child(head, 0).map_or(String::new(), |name| writer.function(name));
    format!("{} {name}({})", if is_list { "void" } else { "int32_t" }, parameters.join(", "))
}

/// Returns the name of a list parameter, which points to the caller's list.
fn given(nodes: &Nodes, parameter: u32) -> String {
    format!("p_{}_{parameter}", nodes.text(parameter))
}

fn function(out: &mut String, nodes: &Nodes, head: u32, prefix: &str) {
    let frame = nodes.frame(head);
    let mut writer = Writer::new(nodes, prefix, Some(frame));
    // A call first checks the depth, the capacities and the memory.
    writer.line("m_call();");
    let lists: Vec<u32> = nodes.parameters(head).filter(|t| nodes.ty(*t).is_list()).collect();
    for &t in &lists {
        writer.line(&format!("m_fit({}, {});", given(nodes, t), nodes.ty(t).capacity()));
    }
    writer.line(&format!("m_frame({frame});"));
    for &t in &lists {
        let variable = writer.variable(t);
        writer.line(&format!("List {variable};"));
        writer.line(&format!("m_copy(&{variable}, {});", given(nodes, t)));
    }
    let body = nodes.child(head, 2);
    if let Some(body) = body {
        writer.run(body);
    }
    let returns = body.and_then(|body| nodes.children(body).last()).map(|last| nodes.role(last));
    if returns != Some(Role::Return) && !nodes.ty(head).is_list() {
        writer.line("return 0; /* not reached */");
    }
    let _ = write!(
        out,
        "\n/* line {} */\n{} {{\n{}{}}}\n",
        nodes.line(head),
        signature(nodes, head, prefix),
        writer.temporaries(),
        writer.out
    );
}

/// Writes a test or property as a C function of the number of its input.
fn test(out: &mut String, nodes: &Nodes, head: u32, index: u32, binders: &[u32], prefix: &str) {
    let mut writer = Writer::new(nodes, prefix, None);
    let mut rows = vec![];
    if binders.is_empty() {
        writer.line("(void)b, (void)k;");
    }
    writer.line(&format!("m_frame({});", nodes.frame(head)));
    for (number, &t) in binders.iter().enumerate() {
        let constant = |slot| nodes.child(t, slot).map(|root| nodes.constant(root));
        let (lo, hi) = (int(constant(0).unwrap_or(0)), int(constant(1).unwrap_or(0)));
        let longest = constant(2);
        rows.push(format!(
            "{{{lo}, {hi}, {}, {}, 0, 0, 0}}",
            u32::from(longest.is_some()),
            longest.unwrap_or(0)
        ));
        let variable = writer.variable(t);
        if longest.is_some() {
            writer.line(&format!("List {variable};"));
            writer.line(&format!("m_ints(&{variable}, b, k, {number});"));
        } else {
            writer.line(&format!("int32_t {variable} = m_int(b, k, {number});"));
            if writer.is_unread(t) {
                writer.line(&format!("(void){variable};"));
            }
        }
    }
    if let Some(condition) = nodes.child(head, 2).filter(|_| nodes.role(head) == Role::Prop) {
        writer.run(condition);
        let value = writer.pop().text;
        writer.line(&format!("if (!({value})) return DISCARDED;"));
    }
    if let Some(expression) = nodes.child(head, 1) {
        writer.run(expression);
    }
    let value = writer.pop().text;
    writer.result(&value, None);
    out.push('\n');
    if !rows.is_empty() {
        let _ = writeln!(out, "static Binder {prefix}b_{index}[] = {{{}}};", rows.join(", "));
    }
    let _ = write!(
        out,
        "/* line {} */\nint32_t {prefix}e_{index}(const Binder *b, uint32_t k) {{\n{}{}}}\n",
        nodes.line(head),
        writer.temporaries(),
        writer.out
    );
}
