//! Finds words that one thread writes after others have read them, with only a workgroup barrier in between:
//! that does not order accesses to storage.
//!
//! Each entry point is analyzed with its calls. For each buffer the analysis tracks whether it was read since
//! the last storage barrier, and whether a workgroup barrier has followed.

use std::collections::BTreeSet;

use myriad::engine::gpu::shaders;
use naga::{Barrier, Block, Expression, Function, GlobalVariable, Handle, Module, Statement};

use super::{WAYS, parsed};

/// Buffers whose words all threads read and one thread writes. In other buffers each thread has its own words,
/// which this test cannot distinguish.
const SHARED: [&str; 2] = ["programs", "control"];

type Globals = BTreeSet<Handle<GlobalVariable>>;

/// Buffers read since the last storage barrier, and the subset of them that a workgroup barrier has followed.
#[derive(Clone, Default, PartialEq)]
struct Seen {
    read: Globals,
    crossed: Globals,
}

impl Seen {
    fn join(&mut self, other: &Seen) {
        self.read.extend(&other.read);
        self.crossed.extend(&other.crossed);
    }
}

/// The states at the exits of a block: its end, breaks out of its loop or switch, and returns.
#[derive(Default)]
struct Ends {
    next: Option<Seen>,
    breaks: Option<Seen>,
    returns: Option<Seen>,
}

fn joined(a: Option<Seen>, b: Option<Seen>) -> Option<Seen> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.join(&b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

struct Walk<'a> {
    module: &'a Module,
    /// Buffers that are written after only a workgroup barrier.
    found: Globals,
}

impl Walk<'_> {
    fn global(&self, function: &Function, mut pointer: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
        loop {
            match function.expressions[pointer] {
                Expression::GlobalVariable(global) => {
                    let name = self.module.global_variables[global].name.as_deref();
                    return SHARED.iter().any(|shared| name == Some(shared)).then_some(global);
                }
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
                _ => return None,
            }
        }
    }

    fn write(&mut self, function: &Function, pointer: Handle<Expression>, seen: &Seen) {
        self.found.extend(self.global(function, pointer).filter(|global| seen.crossed.contains(global)));
    }

    fn call(&mut self, function: &Function, seen: Seen) -> Option<Seen> {
        let ends = self.block(function, &function.body, seen);
        joined(ends.next, ends.returns)
    }

    fn block(&mut self, function: &Function, block: &Block, seen: Seen) -> Ends {
        let mut ends = Ends { next: Some(seen), ..Ends::default() };
        for statement in block.iter() {
            let Some(mut seen) = ends.next.take() else { break };
            match statement {
                Statement::Emit(range) => {
                    for handle in range.clone() {
                        if let Expression::Load { pointer } = function.expressions[handle] {
                            seen.read.extend(self.global(function, pointer));
                        }
                    }
                }
                Statement::ControlBarrier(barrier) if barrier.contains(Barrier::STORAGE) => {
                    seen = Seen::default()
                }
                Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => {
                    seen.crossed.extend(&seen.read);
                }
                Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => {
                    self.write(function, *pointer, &seen);
                }
                Statement::Call { function: callee, .. } => {
                    let module = self.module;
                    ends.next = self.call(&module.functions[*callee], seen);
                    continue;
                }
                Statement::Return { .. } => {
                    ends.returns = joined(ends.returns.take(), Some(seen));
                    break;
                }
                Statement::Break => {
                    ends.breaks = joined(ends.breaks.take(), Some(seen));
                    break;
                }
                Statement::Continue => break,
                Statement::Block(inner) => {
                    self.take(&mut ends, function, &[inner], seen);
                    continue;
                }
                Statement::If { accept, reject, .. } => {
                    self.take(&mut ends, function, &[accept, reject], seen);
                    continue;
                }
                Statement::Switch { cases, .. } => {
                    let mut inner = Ends::default();
                    for case in cases {
                        self.take(&mut inner, function, &[&case.body], seen.clone());
                    }
                    ends.next = joined(inner.next, inner.breaks);
                    ends.returns = joined(ends.returns.take(), inner.returns);
                    continue;
                }
                Statement::Loop { body, continuing, .. } => {
                    let mut inner = Ends::default();
                    // The state at the end of an iteration is the state at the start of the next.
                    loop {
                        let mut turn = self.block(function, body, seen.clone());
                        let after = turn.next.take().map(|next| self.block(function, continuing, next));
                        inner.breaks = joined(inner.breaks.take(), turn.breaks);
                        inner.returns = joined(inner.returns.take(), turn.returns);
                        let before = seen.clone();
                        if let Some(again) = after.and_then(|after| joined(after.next, after.breaks)) {
                            inner.breaks = joined(inner.breaks.take(), Some(again.clone()));
                            seen.join(&again);
                        }
                        if seen == before {
                            break;
                        }
                    }
                    ends.next = inner.breaks;
                    ends.returns = joined(ends.returns.take(), inner.returns);
                    continue;
                }
                _ => {}
            }
            ends.next = Some(seen);
        }
        ends
    }

    /// Analyzes alternative blocks and joins their exits.
    fn take(&mut self, ends: &mut Ends, function: &Function, blocks: &[&Block], seen: Seen) {
        for block in blocks {
            let inner = self.block(function, block, seen.clone());
            ends.next = joined(ends.next.take(), inner.next);
            ends.breaks = joined(ends.breaks.take(), inner.breaks);
            ends.returns = joined(ends.returns.take(), inner.returns);
        }
    }
}

/// Returns the buffers of each entry point that are written after only a workgroup barrier.
fn unordered(module: &Module) -> Vec<String> {
    let mut all = Vec::new();
    for point in &module.entry_points {
        let mut walk = Walk { module, found: Globals::new() };
        walk.call(&point.function, Seen::default());
        let name =
            |global: Handle<GlobalVariable>| module.global_variables[global].name.clone().unwrap_or_default();
        all.extend(walk.found.into_iter().map(|global| format!("{} writes {}", point.name, name(global))));
    }
    all
}

#[test]
fn storage_writes_after_reads_follow_a_storage_barrier() {
    for shader in shaders::all() {
        for (software, subgroups) in WAYS {
            let (module, _) = parsed(shader.file, shader.variant(software, subgroups));
            assert_eq!(unordered(&module), [""; 0], "{}", shader.file);
        }
    }
}

#[test]
fn write_after_only_a_workgroup_barrier_is_detected() {
    let text = |barriers: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> control: array<u32>; var<private> p: u32;
             fn look() -> u32 {{ if control[0] == 7u {{ return 1u; }} return control[1]; }}
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_id) local: vec3<u32>) {{
                 for (var i = 0u; i < 4u; i++) {{ p = look(); {barriers} }}
                 if local.x == 0u {{ control[0] = p; }}
             }}"
        )
    };
    for (barriers, expected) in [
        ("workgroupBarrier();", vec!["main writes control".to_string()]),
        ("storageBarrier(); p = control[0]; workgroupBarrier();", vec!["main writes control".to_string()]),
        ("storageBarrier(); workgroupBarrier();", vec![]),
        ("workgroupBarrier(); storageBarrier();", vec![]),
    ] {
        let text = text(barriers);
        let module = naga::front::wgsl::parse_str(&text)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
        assert_eq!(unordered(&module), expected, "{barriers}");
    }
}
