//! Sums of products in normal form: `+`, `-` and `*` are regrouped, modulo 2³².

use super::{Head, Node, Product, Term, Terms};
use crate::lang::opcode::Op;

/// Limits of sums, beyond which operations are not expanded.
const PRODUCTS: usize = 16;
const DEGREE: usize = 4;

/// A sum that is being computed.
type Polynomial = (i32, Vec<(Product, i32)>);

impl Terms {
    fn as_polynomial(&self, term: Term) -> Polynomial {
        match self.node(term) {
            Node::Constant(value) => (*value, Vec::new()),
            Node::Sum(constant, products) => (*constant, products.to_vec()),
            _ => (0, vec![([term].into(), 1)]),
        }
    }

    /// Returns the term of a sum whose products are sorted, each once.
    pub(super) fn polynomial(&mut self, (constant, mut products): Polynomial) -> Term {
        products.retain(|(_, factor)| *factor != 0);
        match &products[..] {
            [] => self.constant(constant),
            [(product, 1)] if constant == 0 && product.len() == 1 => product[0],
            _ => self.intern(Node::Sum(constant, products.into())),
        }
    }

    /// `term * factor + constant`
    pub(super) fn scaled(&mut self, term: Term, factor: i32, constant: i32) -> Term {
        let (own, mut products) = self.as_polynomial(term);
        products.iter_mut().for_each(|(_, own)| *own = own.wrapping_mul(factor));
        self.polynomial((own.wrapping_mul(factor).wrapping_add(constant), products))
    }

    /// `a + b * factor`
    pub(super) fn sum(&mut self, a: Term, b: Term, factor: i32) -> Term {
        let ((one, left), (other, right)) = (self.as_polynomial(a), self.as_polynomial(b));
        let constant = one.wrapping_add(other.wrapping_mul(factor));
        let right = right.into_iter().map(|(product, own)| (product, own.wrapping_mul(factor)));
        let products = added(left.into_iter().chain(right));
        if products.len() > PRODUCTS {
            let op = if factor == 1 { Op::Add } else { Op::Sub };
            return self.apply(Head::Op(op), &[a, b]);
        }
        self.polynomial((constant, products))
    }

    pub(super) fn product(&mut self, a: Term, b: Term) -> Term {
        let (left, right) = (self.as_polynomial(a), self.as_polynomial(b));
        let parts = |(constant, products): Polynomial| -> Vec<(Product, i32)> {
            let constant = (constant != 0).then(|| (Product::default(), constant));
            constant.into_iter().chain(products).collect()
        };
        let (left, right) = (parts(left), parts(right));
        let mut all = Vec::new();
        for ((one, x), (other, y)) in left.iter().flat_map(|l| right.iter().map(move |r| (l, r))) {
            let mut product = [&one[..], &other[..]].concat();
            product.sort_unstable();
            all.push((product.into_boxed_slice(), x.wrapping_mul(*y)));
        }
        let products = added(all);
        if products.len() > PRODUCTS || products.iter().any(|(product, _)| product.len() > DEGREE) {
            return self.commutative(Op::Mul, vec![a, b]);
        }
        let (constants, products): (Vec<_>, Vec<_>) = products.into_iter().partition(|(p, _)| p.is_empty());
        let constant = constants.first().map_or(0, |(_, constant)| *constant);
        self.polynomial((constant, products))
    }
}

/// Sorts products and adds the factors of equal ones.
fn added(products: impl IntoIterator<Item = (Product, i32)>) -> Vec<(Product, i32)> {
    let mut products: Vec<(Product, i32)> = products.into_iter().collect();
    products.sort_by(|(one, _), (other, _)| one.cmp(other));
    products.dedup_by(|(product, factor), (kept, sum)| {
        let same = product == kept;
        if same {
            *sum = sum.wrapping_add(*factor);
        }
        same
    });
    products.retain(|(_, factor)| *factor != 0);
    products
}
