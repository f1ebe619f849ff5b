//! The tree turned around: children of a node, and the nodes that have an instruction at a token.

use crate::compiler::program::View;
use crate::lang::NONE;
use crate::lang::role::Role;
use crate::lang::ty::Type;

/// Lists per token, rebuilt for each program.
#[derive(Default)]
pub struct Nodes {
    /// The first four children of each node, by slot; `NONE` where there is none.
    child: Vec<[u32; 4]>,
    /// Number of children of each node.
    pub children: Vec<u32>,
    /// Of the expression nodes that end at a token the one with the last head; the others through `outer`.
    pub ends: Vec<u32>,
    /// The next expression that ends where this one does, further out.
    pub outer: Vec<u32>,
    /// The statement that has an instruction at this token: one behind its value, or at the end of its block.
    pub statement: Vec<u32>,
    /// One past the constant expression that begins at a token; 0 if none does.
    pub silent: Vec<u32>,
}

impl Nodes {
    /// Child `slot` (0 to 3) of a node, or `NONE`.
    pub fn child(&self, node: u32, slot: usize) -> u32 {
        self.child[node as usize][slot]
    }

    pub fn build(&mut self, input: View) {
        let len = input.rows() as usize;
        reset(&mut self.child, len, [NONE; 4]);
        reset(&mut self.children, len, 0);
        reset(&mut self.ends, len, NONE);
        reset(&mut self.outer, len, NONE);
        reset(&mut self.statement, len + 1, NONE);
        reset(&mut self.silent, len, 0);
        let tree = input.tree;
        for node in 0..len {
            let role = tree.role[node];
            let parent = tree.parent[node] as usize;
            if role == Role::None as u32 {
                continue;
            }
            let hi = tree.hi[node] as usize;
            if role >= Role::Int as u32 {
                self.outer[node] = self.ends[hi - 1];
                self.ends[hi - 1] = node as u32;
            }
            if parent >= len {
                continue;
            }
            let slot = tree.slot[node];
            self.children[parent] += 1;
            if slot < 4 {
                self.child[parent][slot as usize] = node as u32;
            }
            let Some(parent_role) = Role::from_u32(tree.role[parent]) else { continue };
            if is_constant_part(parent_role, slot) {
                self.silent[tree.lo[node] as usize] = hi as u32;
            } else if is_last_value(parent_role, slot, input.ty(node as u32)) {
                self.statement[hi] = parent as u32;
            } else if role == Role::Block as u32
                && matches!(parent_role, Role::Fn | Role::If | Role::While | Role::For)
                && !(parent_role == Role::If && slot == 2)
            {
                self.statement[hi - 1] = parent as u32;
            }
        }
    }
}

/// Whether child `slot` of such a node is a constant expression, which has no code.
fn is_constant_part(parent: Role, slot: u32) -> bool {
    match parent {
        Role::Const | Role::Repeat => slot == 1,
        Role::TypeList => slot == 0,
        Role::Binder => true,
        _ => false,
    }
}

/// Whether the parent, a statement or item, acts on the stack right behind this child.
fn is_last_value(parent: Role, slot: u32, ty: Type) -> bool {
    match parent {
        Role::Let => slot == 2,
        Role::Assign | Role::Test => slot == 1,
        Role::Prop => slot == 1 || slot == 2,
        Role::If | Role::While | Role::Return => slot == 0,
        Role::For => slot == 2 || slot == 1 && ty.is_list(),
        _ => false,
    }
}

/// Makes a vector `len` long, all `fill`; keeps capacity.
fn reset<T: Clone>(column: &mut Vec<T>, len: usize, fill: T) {
    column.clear();
    column.resize(len, fill);
}
