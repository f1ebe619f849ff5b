//! The buffers of a batch: one ragged arena for each kind of data.
//!
//! A [`Shape`] assigns each program of a batch its rows in each index space, by prefix sums over upper
//! bounds. An [`Arena`] holds the buffers of a shape and their bind group. `shaders/shared/arena.wgsl`
//! declares the same layout.

use crate::compiler::layout::scratch::{IR_SCRATCH, TOKEN_SCRATCH};
use crate::compiler::layout::{Params, Program};
use crate::compiler::program::{Binders, Bytecode, Checked, Compiled, Ir, Routines, Tokens, Tree};
use crate::compiler::stage::Stage;
use crate::compiler::stage::optimize::expand::SPARE;
use crate::engine::memory::Memory;
use crate::engine::{DeviceFailure, EngineError};
use crate::lang::level::OptLevel;
use crate::lang::limits;

use super::device::{Gpu, Part};
use super::kernel::Kernel;

/// Upper bounds of one program's rows in each index space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub tokens: u32,
    pub ir: u32,
    pub code: u32,
}

impl Room {
    /// Returns the bounds for a program with `tokens` tokens and `codes` character codes in strings.
    pub fn new(tokens: u32, codes: u32) -> Room {
        // A program has at most one instruction for each token and code, and an instruction has at most two
        // words.
        let ir = tokens + codes + 1;
        Room { tokens: tokens + 1, ir, code: 2 * ir }
    }
    /// Returns the room for the program at a level, if this is its room as lowered.
    pub fn at(self, level: OptLevel) -> Room {
        match level {
            OptLevel::Lowered | OptLevel::Local => self,
            OptLevel::Whole | OptLevel::Learned => {
                let ir = 2 * self.ir + SPARE;
                Room { ir, code: 2 * ir, ..self }
            }
        }
    }
    /// Returns the room for both programs.
    pub fn with(self, other: Room) -> Room {
        let Room { tokens, ir, code } = other;
        Room { tokens: self.tokens + tokens, ir: self.ir + ir, code: self.code + code }
    }
    /// Returns the bytes of a program with this room, including its descriptor but not its text.
    pub fn bytes(self) -> u64 {
        let Room { tokens, ir, code } = self;
        let params =
            Params { token_capacity: tokens, ir_capacity: ir, code_capacity: code, ..Default::default() };
        arena_words(&params, 0).iter().sum::<u64>() * 4 + size_of::<Program>() as u64
    }
    /// Returns the bounds for a text that has not been lexed.
    pub fn of_text(text: &str) -> Room {
        let bytes = text.len().min(limits::SOURCE_BYTES);
        Room::new(bytes.min(limits::TOKENS + 1) as u32, bytes as u32)
    }
}

/// The layout of the programs of a batch.
#[derive(Clone, Debug)]
pub struct Shape {
    pub params: Params,
    pub programs: Vec<Program>,
    /// The texts. Each begins at a multiple of 4 and is followed by at least four zero bytes.
    pub text: Vec<u8>,
    /// Words after the scratch, for the rounds that shaders report.
    pub behind: u64,
}

impl Default for Shape {
    fn default() -> Shape {
        let params = Params { level: OptLevel::default().number(), ..Params::default() };
        Shape { params, programs: Vec::new(), text: Vec::new(), behind: 0 }
    }
}

impl Shape {
    /// Appends a program. Its text is added by [`Shape::push_text`] or shared.
    pub fn push(&mut self, room: Room, text_base: u32, text_len: u32) -> &mut Program {
        let program = Program {
            text_base,
            text_len,
            token_base: self.params.token_capacity,
            token_room: room.tokens,
            ir_base: self.params.ir_capacity,
            ir_room: room.ir,
            code_base: self.params.code_capacity,
            code_room: room.code,
            variant: crate::lang::NONE,
            ..Default::default()
        };
        self.params.programs += 1;
        self.params.token_capacity += room.tokens;
        self.params.ir_capacity += room.ir;
        self.params.code_capacity += room.code;
        self.programs.push(program);
        let last = self.programs.len() - 1;
        &mut self.programs[last]
    }

    /// Removes all programs, keeping the level and their allocations.
    pub fn clear(&mut self) {
        self.params = Params { level: self.params.level, ..Params::default() };
        self.programs.clear();
        self.text.clear();
        self.behind = 0;
    }

    /// Adds a text and returns the index of its first byte.
    pub fn push_text(&mut self, text: &str) -> u32 {
        let base = self.text.len();
        self.text.extend_from_slice(text.as_bytes());
        self.text.resize((self.text.len() + 4).next_multiple_of(4), 0);
        base as u32
    }

    /// Whether one more program fits the limits of a binding and a dispatch.
    pub fn fits_with(&self, room: Room, text: usize, limits: &wgpu::Limits) -> bool {
        let mut params = self.params;
        params.token_capacity += room.tokens;
        params.ir_capacity += room.ir;
        params.code_capacity += room.code;
        let bytes = arena_words(&params, self.text.len() + text + 8).into_iter().max().unwrap_or(0) * 4;
        bytes <= limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
            && params.programs < limits.max_compute_workgroups_per_dimension
    }

    /// Returns the words of each arena: text, tokens, tree, checked, ir, code, scratch.
    pub fn words(&self) -> [u64; 7] {
        let mut words = arena_words(&self.params, self.text.len());
        words[binding::SCRATCH - binding::TEXT] += self.behind;
        words
    }

    /// Returns the words of the descriptors and of each arena.
    fn needs(&self) -> impl Iterator<Item = u64> {
        std::iter::once(program_words(self)).chain(self.words())
    }
}

fn arena_words(params: &Params, text_bytes: usize) -> [u64; 7] {
    let Params { token_capacity, ir_capacity, code_capacity, .. } = *params;
    let (tokens, ir, code) = (token_capacity as u64, ir_capacity as u64, code_capacity as u64);
    let columns = |columns: &[&str]| columns.len() as u64;
    [
        text_bytes as u64 / 4,
        columns(Tokens::COLUMNS) * tokens,
        columns(Tree::COLUMNS) * tokens,
        columns(Checked::COLUMNS) * tokens,
        2 * columns(Ir::COLUMNS) * ir,
        columns(Bytecode::COLUMNS) * code + (columns(Routines::COLUMNS) + columns(Binders::COLUMNS)) * tokens,
        TOKEN_SCRATCH as u64 * tokens + IR_SCRATCH as u64 * ir,
    ]
}

/// Names of the buffers of an [`Arena`], as declared by the compile stages' shaders.
const NAMES: [&str; 9] = ["params", "programs", "text", "tokens", "tree", "checked", "ir", "code", "scratch"];

/// Indices into [`Arena::buffers`].
pub mod binding {
    pub const PARAMS: usize = 0;
    pub const PROGRAMS: usize = 1;
    pub const TEXT: usize = 2;
    pub const TOKENS: usize = 3;
    pub const TREE: usize = 4;
    pub const CHECKED: usize = 5;
    pub const IR: usize = 6;
    pub const CODE: usize = 7;
    pub const SCRATCH: usize = 8;
}

/// The buffers of a batch. They are reused for the next batch and grow if it does not fit.
pub struct Arena {
    pub shape: Shape,
    pub buffers: Vec<wgpu::Buffer>,
    pub group: wgpu::BindGroup,
}

/// Creates a buffer for shaders, copies and indirect dispatches.
pub fn storage(gpu: &Gpu, label: &str, words: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: words.max(4) * 4,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::INDIRECT,
        mapped_at_creation: false,
    })
}

/// Creates a uniform buffer that holds a record.
pub fn uniform<T: bytemuck::Pod>(gpu: &Gpu, record: &T) -> wgpu::Buffer {
    let words: &[u32] = bytemuck::cast_slice(bytemuck::bytes_of(record));
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("params"),
        size: size_of_val(words) as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
    buffer
}

impl Arena {
    /// Creates the buffers for `shape`, writes its descriptors and texts, and binds them. One bind group
    /// serves the kernels of all compile stages.
    pub fn new(gpu: &Gpu, kernel: &Kernel, shape: Shape) -> Result<Arena, EngineError> {
        gpu.attempt(|| {
            let mut buffers = vec![uniform(gpu, &shape.params)];
            for (name, words) in NAMES[1..].iter().zip(shape.needs()) {
                buffers.push(storage(gpu, name, words));
            }
            let group = bind(gpu, kernel, &buffers)?;
            let arena = Arena { shape, buffers, group };
            arena.write(gpu);
            Ok(arena)
        })
    }

    /// Replaces the shape: writes its descriptors and texts, enlarging buffers if necessary.
    pub fn reuse(&mut self, gpu: &Gpu, kernel: &Kernel, shape: Shape) -> Result<(), EngineError> {
        self.shape = shape;
        gpu.attempt(|| {
            let mut grown = false;
            for (buffer, words) in self.buffers[1..].iter_mut().zip(self.shape.needs()) {
                if buffer.size() < words * 4 {
                    // Leave room to grow, within the limit of a binding.
                    let limit = gpu.device.limits().max_storage_buffer_binding_size / 4;
                    *buffer = storage(gpu, "arena", (words + words / 4).min(limit).max(words));
                    grown = true;
                }
            }
            if grown {
                self.group = bind(gpu, kernel, &self.buffers)?;
            }
            self.write(gpu);
            Ok(())
        })
    }

    /// Adds the allocated sizes of its buffers.
    pub fn add_to(&self, memory: &mut Memory) {
        let size = |binding: usize| self.buffers.get(binding).map_or(0, wgpu::Buffer::size);
        memory.source += size(binding::TEXT);
        memory.tree += size(binding::TOKENS) + size(binding::TREE);
        memory.symbols += size(binding::CHECKED);
        memory.bytecode += size(binding::CODE);
        memory.scratch += size(binding::IR) + size(binding::SCRATCH);
        memory.execution += size(binding::PROGRAMS);
    }

    fn write(&self, gpu: &Gpu) {
        let Shape { params, programs, text, .. } = &self.shape;
        gpu.write(&self.buffers[binding::PARAMS], 0, bytemuck::bytes_of(params));
        gpu.write(&self.buffers[binding::PROGRAMS], 0, bytemuck::cast_slice(programs));
        gpu.write(&self.buffers[binding::TEXT], 0, text);
    }

    /// Writes the columns of program `index` as earlier stages would have left them.
    pub fn upload(&mut self, gpu: &Gpu, index: usize, compiled: &Compiled) {
        let Params { token_capacity, ir_capacity, code_capacity, .. } = self.shape.params;
        let program = &mut self.shape.programs[index];
        program.set_facts(&compiled.facts);
        program.tokens = compiled.tokens.kind.len() as u32;
        program.lowered = compiled.lowered.op.len() as u32;
        program.ir = compiled.ir.op.len() as u32;
        program.code = compiled.executable.code.word.len() as u32;
        program.routines = compiled.executable.routines.token.len() as u32;
        program.binders = compiled.binders.token.len() as u32;
        let program = *program;
        gpu.write(
            &self.buffers[binding::PROGRAMS],
            (index * size_of::<Program>()) as u64,
            bytemuck::bytes_of(&program),
        );
        let put = |binding: usize, first: u64, stride: u32, base: u32, columns: Vec<&[u32]>| {
            for (c, column) in columns.into_iter().enumerate() {
                let at = (first + c as u64 * stride as u64 + base as u64) * 4;
                gpu.write(&self.buffers[binding], at, bytemuck::cast_slice(column));
            }
        };
        let base = program.token_base;
        put(binding::TOKENS, 0, token_capacity, base, compiled.tokens.columns());
        put(binding::TREE, 0, token_capacity, base, compiled.tree.columns());
        put(binding::CHECKED, 0, token_capacity, base, compiled.checked.columns());
        put(binding::IR, 0, ir_capacity, program.ir_base, compiled.lowered.columns());
        let optimized = Ir::COLUMNS.len() as u64 * ir_capacity as u64;
        put(binding::IR, optimized, ir_capacity, program.ir_base, compiled.ir.columns());
        put(binding::CODE, 0, code_capacity, program.code_base, compiled.executable.code.columns());
        let routines = Bytecode::COLUMNS.len() as u64 * code_capacity as u64;
        put(binding::CODE, routines, token_capacity, base, compiled.executable.routines.columns());
        let binders = routines + Routines::COLUMNS.len() as u64 * token_capacity as u64;
        put(binding::CODE, binders, token_capacity, base, compiled.binders.columns());
    }

    /// Returns all parts that [`Arena::unpack`] needs, for [`Gpu::read`].
    pub fn readable(&self) -> Vec<Part<'_>> {
        let words = self.shape.words();
        let mut parts = vec![(&self.buffers[binding::PROGRAMS], 0, program_words(&self.shape))];
        for arena in [binding::TOKENS, binding::TREE, binding::CHECKED, binding::IR, binding::CODE] {
            parts.push((&self.buffers[arena], 0, words[arena - binding::TEXT]));
        }
        parts
    }

    /// Extracts program `index` from the words read, as left by the stages up to `last`. The text of `into`
    /// is kept.
    pub fn unpack(
        &self,
        read: &[Vec<u32>],
        index: usize,
        last: Stage,
        into: &mut Compiled,
    ) -> Result<Program, EngineError> {
        let fault = || DeviceFailure::Results.because("results are incomplete");
        let [programs, tokens, tree, checked, ir, code] = read else { return Err(fault()) };
        let program: &Program = bytemuck::cast_slice::<u32, Program>(programs).get(index).ok_or_else(fault)?;
        let Params { token_capacity, ir_capacity, code_capacity, .. } = self.shape.params;
        // A count beyond its room is a fault of the device, not of a program.
        let get =
            |words: &[u32], first: usize, stride: u32, base: u32, count: u32, columns: Vec<&mut Vec<u32>>| {
                for (c, column) in columns.into_iter().enumerate() {
                    let at = first + c * stride as usize + base as usize;
                    let rows = words.get(at..at + count as usize).ok_or_else(fault)?;
                    column.clear();
                    column.extend_from_slice(rows);
                }
                Ok(())
            };
        into.facts = program.facts();
        let (base, n) = (program.token_base, program.tokens);
        get(tokens, 0, token_capacity, base, n, into.tokens.columns_mut())?;
        let parsed = if program.stopped_before_tree() || last == Stage::Lex { 0 } else { n };
        get(tree, 0, token_capacity, base, parsed, into.tree.columns_mut())?;
        let checks = program.fatal == 0 && !matches!(last, Stage::Lex | Stage::Parse);
        let checked_rows = if checks { n } else { 0 };
        get(checked, 0, token_capacity, base, checked_rows, into.checked.columns_mut())?;
        get(ir, 0, ir_capacity, program.ir_base, program.lowered, into.lowered.columns_mut())?;
        let optimized = Ir::COLUMNS.len() * ir_capacity as usize;
        get(ir, optimized, ir_capacity, program.ir_base, program.ir, into.ir.columns_mut())?;
        get(code, 0, code_capacity, program.code_base, program.code, into.executable.code.columns_mut())?;
        let routines = Bytecode::COLUMNS.len() * code_capacity as usize;
        get(code, routines, token_capacity, base, program.routines, into.executable.routines.columns_mut())?;
        let binders = routines + Routines::COLUMNS.len() * token_capacity as usize;
        get(code, binders, token_capacity, base, program.binders, into.binders.columns_mut())?;
        Ok(*program)
    }
}

fn program_words(shape: &Shape) -> u64 {
    (shape.programs.len() * size_of::<Program>() / 4) as u64
}

fn bind(gpu: &Gpu, kernel: &Kernel, buffers: &[wgpu::Buffer]) -> Result<wgpu::BindGroup, EngineError> {
    let named: Vec<_> = NAMES.into_iter().zip(buffers).collect();
    kernel.bind(gpu, &named)
}
