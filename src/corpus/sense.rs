//! Checks that a function is sensible: that it uses what it declares, as people's functions do.

use super::tree::{Block, Expr, Function, Name, Stmt};

/// Returns whether every parameter and variable is read somewhere.
pub fn all_variables_used(function: &Function) -> bool {
    let mut declared: Vec<&Name> = function.params.iter().map(|(name, _)| name).collect();
    let mut read = vec![];
    block(&function.body, &mut declared, &mut read);
    declared.iter().all(|name| read.contains(name))
}

fn block<'a>(of: &'a Block, declared: &mut Vec<&'a Name>, read: &mut Vec<&'a Name>) {
    for statement in of {
        match statement {
            Stmt::Let(name, ..) | Stmt::For(name, ..) => declared.push(name),
            _ => {}
        }
        match statement {
            Stmt::Assign(Expr::Var(own), _, value) => {
                let before = read.len();
                names(value, read);
                // A variable that is read only to update itself is unused.
                let mut at = before;
                while at < read.len() {
                    if read[at] == own {
                        read.swap_remove(at);
                    } else {
                        at += 1;
                    }
                }
            }
            Stmt::Assign(Expr::Index(_, at), _, value) => {
                names(at, read);
                names(value, read);
            }
            other => other.expressions().into_iter().for_each(|e| names(e, read)),
        }
        for inner in statement.blocks() {
            block(inner, declared, read);
        }
    }
}

fn names<'a>(e: &'a Expr, read: &mut Vec<&'a Name>) {
    if let Expr::Var(name) = e {
        read.push(name);
    }
    for child in e.children() {
        names(child, read);
    }
}
