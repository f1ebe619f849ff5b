//! A function with all that its code at level 2 depends on, as a program of its own.
//!
//! Mutants of the function are compiled as mutants of this program, which has no entries and no other functions.

use super::form::{Body, FormSubject};
use super::terms::Terms;
use super::{Form, FormPlace, closure, place_in_base, places_of};
use crate::compiler::program::{Compiled, Executable, PART, Tokens};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::flow::Endings;
use crate::compiler::stage::mutate::{self, Edit, Piece};
use crate::compiler::stage::splice::{code, part::constants};
use crate::lang::index::{Index, Indices, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::Op;
use crate::lang::ty::Type;

/// The maximum number of lowered instructions of a program whose functions are compiled apart. The code of larger ones
/// may depend on how much room the others leave for expansions.
const MOST_APART: usize = 1 << 10;

pub(super) struct EquivalencePart<'a> {
    base: &'a Compiled,
    tokens: Tokens,
    /// For each of its tokens, the base's.
    from: Vec<TokenId>,
    /// For each of its functions, the base's.
    functions: Vec<RoutineId>,
    /// The function, as the part numbers it.
    function: RoutineId,
    parameters: Vec<Type>,
    /// How far the function's tokens are from those of the base.
    shift: i64,
    executable: Executable,
    /// The function's own code.
    pub own: Option<Body>,
    /// [`Facts::holes`](crate::compiler::program::Facts) of the compiled part: 0 if it has no errors.
    holes: u32,
}

pub(super) struct PartCode {
    pub edit: Edit,
    body: Body,
    /// Whether its bytecode is the function's own.
    pub is_own: bool,
}

impl<'a> EquivalencePart<'a> {
    /// Returns the part for a function and edits of it. Compiles it.
    pub fn new(
        base: &'a Compiled,
        function: RoutineId,
        edits: &[Edit],
        compiler: &mut Compiler,
    ) -> Option<EquivalencePart<'a>> {
        let view = base.view();
        let extent = |function: &RoutineId| {
            let routine = base.executable.routine(*function)?;
            Some(view.extent(routine.head()))
        };
        let own = extent(&function)?;
        let copies_own = |piece: Piece| match piece {
            Piece::New(..) => true,
            Piece::Copy(tokens) => own.start() <= tokens.start() && tokens.end() <= own.end(),
        };
        let apart =
            base.lowered.op.len() <= MOST_APART && edits.iter().all(|edit| edit.pieces().all(copies_own));
        let mut functions = closure(base, function);
        functions.sort_unstable();
        let mut extents: Vec<Indices<TokenId>> = vec![view.all()];
        if apart {
            extents = functions.iter().filter_map(extent).chain(constants(base)).collect();
            extents.sort_unstable_by_key(|tokens| tokens.start());
        } else {
            functions = base.functions().iter().collect();
        }
        let from: Vec<TokenId> = extents.iter().flat_map(|tokens| tokens.iter()).collect();
        let mut tokens = Tokens::default();
        for (to, column) in tokens.columns_mut().into_iter().zip(base.tokens.columns()) {
            to.extend(from.iter().map(|token| column[token.position()]));
        }
        let shift =
            from.iter().position(|token| *token == own.start())? as i64 - i64::from(own.start().number());
        let place = functions.iter().position(|other| *other == function)?;
        let mut part = EquivalencePart {
            base,
            tokens,
            from,
            functions,
            function: RoutineId::at(place),
            parameters: base.program().parameters(function),
            shift,
            executable: Executable::default(),
            own: None,
            holes: 0,
        };
        if !base.facts.compiles() {
            part.holes = PART;
            part.run(None, compiler)?;
            part.holes = if compiler.facts.errors > 0 { PART + compiler.facts.errors } else { 0 };
        }
        part.compile(None, compiler)?;
        part.own = part.body(compiler);
        part.executable.clone_from(&compiler.back.executable);
        Some(part)
    }

    /// Compiles the part or a mutant of it at level 2. `None` if it has an error that the base has not, or a hole.
    fn compile(&self, edit: Option<Edit>, compiler: &mut Compiler) -> Option<()> {
        self.run(edit, compiler)?;
        let has_hole = || compiler.back.ir.op.contains(&(Op::Hole as u32));
        (compiler.compiles() && (self.holes == 0 || !has_hole())).then_some(())
    }

    fn run(&self, edit: Option<Edit>, compiler: &mut Compiler) -> Option<()> {
        match edit {
            Some(edit) => {
                let edit = edit.shifted(self.shift);
                mutate::apply(&self.tokens, edit.into(), &mut compiler.tokens).then_some(())?;
            }
            None => compiler.tokens.clone_from(&self.tokens),
        }
        compiler.back.leave_out_processors();
        compiler.part = self.holes;
        compiler.tokens_at(&self.base.text, self.base.facts.names, OptLevel::Whole);
        compiler.part = 0;
        Some(())
    }

    fn body(&self, compiler: &Compiler) -> Option<Body> {
        Body::new(&FormSubject {
            ir: &compiler.back.ir,
            program: &compiler.back.executable,
            function: self.function,
            parameters: &self.parameters,
            token: &|_| 0,
            callee: &|callee| callee,
            endings: &Endings::default(),
        })
    }

    /// Returns the code of a mutant, or `None` if it does not compile, changes a header, or is not understood.
    pub fn code(&self, edit: Edit, compiler: &mut Compiler) -> Option<PartCode> {
        self.compile(Some(edit), compiler)?;
        let [a, b] = [&self.executable, &compiler.back.executable];
        let (x, y) = (&a.routines, &b.routines);
        let same = (&x.params, &x.caps0, &x.caps1, &x.caps2, &x.caps3, &x.result)
            == (&y.params, &y.caps0, &y.caps1, &y.caps2, &y.caps3, &y.result);
        let words = |program: &Executable| program.routine(self.function).map(code);
        let is_own = same.then(|| words(a) == words(b))?;
        Some(PartCode { edit, body: self.body(compiler)?, is_own })
    }

    /// Returns the normal form of a mutant's code, or of the function's own.
    pub fn form(&self, code: Option<&PartCode>, terms: &mut Terms) -> Option<Form> {
        let placed = places_of(self.base);
        let at = |token: TokenId| {
            placed(self.from.get(token.position()).or(self.from.last()).copied().unwrap_or(token))
        };
        let edit = code.map(|code| code.edit.shifted(self.shift));
        let token =
            |token: TokenId| match edit.map_or(FormPlace::Base(token), |edit| place_in_base(edit, token)) {
                FormPlace::Base(token) => at(token),
                FormPlace::Inserted { before, nth } => super::inserted(at(before), nth),
            };
        let subject = FormSubject {
            ir: &Default::default(),
            program: &self.executable,
            function: self.function,
            parameters: &self.parameters,
            token: &token,
            endings: &Endings::default(),
            callee: &|callee| self.functions.get(callee.position()).copied().unwrap_or(callee),
        };
        code.map_or(self.own.as_ref(), |code| Some(&code.body))?.form(&subject, terms)
    }
}
