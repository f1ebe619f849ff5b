//! An index of the tree: the children of each node, and the nodes that have instructions at each token.

use crate::compiler::program::{STMT_UNCLOSED, View};
use crate::lang::NONE;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::ty::Type;

/// Lists by token, rebuilt for each program.
#[derive(Default)]
pub struct Nodes {
    /// The children of each node with slots 0 to 3; `NONE` if absent.
    child: Vec<[u32; 4]>,
    pub children: Vec<u32>,
    /// For each token, the expression node with the last head among those that end there; the others follow
    /// in `outer`.
    pub ends: Vec<u32>,
    /// For each expression, the next outer one that ends at the same token.
    pub outer: Vec<u32>,
    /// For each token, the statement whose own instruction is emitted there: the token follows the statement's
    /// value, is the last of a value that no `;` follows, or ends the statement's block.
    pub statement: Vec<u32>,
    /// For each token, one past the end of the constant expression that begins there; 0 if none does.
    pub silent: Vec<u32>,
}

impl Nodes {
    /// Child `slot` (0 to 3) of a node.
    pub fn child(&self, node: TokenId, slot: usize) -> Option<TokenId> {
        TokenId::from_word(self.child[node.position()][slot])
    }

    /// Child `slot` of a node that has one.
    pub fn own_child(&self, node: TokenId, slot: usize) -> TokenId {
        TokenId::new(self.child[node.position()][slot])
    }

    pub fn build(&mut self, input: View) {
        let len = input.rows().len() as usize;
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
            } else if is_last_value(parent_role, slot, input.ty(TokenId::at(node))) {
                let lacks_end = tree.stmt.get(hi) != Some(&tree.stmt[node]);
                self.statement[hi - usize::from(lacks_end)] = parent as u32;
            } else if role == Role::Block as u32
                && matches!(parent_role, Role::Fn | Role::If | Role::While | Role::For)
                && !(parent_role == Role::If && slot == 2)
                && tree.stmt[node] & STMT_UNCLOSED == 0
            {
                self.statement[hi - 1] = parent as u32;
            }
        }
    }
}

/// Returns whether child `slot` of a node with role `parent` is a constant expression, which has no code.
fn is_constant_part(parent: Role, slot: u32) -> bool {
    match parent {
        Role::Const | Role::Repeat => slot == 1,
        Role::TypeList => slot == 0,
        Role::Binder => true,
        _ => false,
    }
}

/// Returns whether the parent, a statement or item, has an instruction right after this child.
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

/// Resizes a vector to `len` elements and fills it with `fill`; keeps the capacity.
fn reset<T: Clone>(column: &mut Vec<T>, len: usize, fill: T) {
    column.clear();
    column.resize(len, fill);
}
