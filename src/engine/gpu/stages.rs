//! Runs single stages on the device, so that tests can compare them with the CPU's.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::compiler::program::Compiled;
use crate::compiler::stage::Stage;
use crate::engine::EngineError;

use super::adapter::AdapterQuery;
use super::arena::{Arena, Room, Shape};
use super::compiler::CompileStage;
use super::device::Gpu;

/// A device with the stages that have been used so far.
pub struct StageRunner {
    pub gpu: Gpu,
    compilers: HashMap<Stage, CompileStage>,
}

impl StageRunner {
    /// Opens any adapter, software ones included.
    pub fn new() -> Result<StageRunner, EngineError> {
        let gpu = Gpu::open(&AdapterQuery::Any)?;
        Ok(StageRunner { gpu, compilers: HashMap::new() })
    }

    /// Runs one stage on a batch with the outputs of earlier stages. Returns the batch with the stage's own
    /// output.
    pub fn run(&mut self, stage: Stage, batch: &[Compiled]) -> Result<Vec<Compiled>, EngineError> {
        let compiler = match self.compilers.entry(stage) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => place.insert(CompileStage::new(&self.gpu, stage)?),
        };
        let mut results = Vec::with_capacity(batch.len());
        let mut rest = batch;
        while !rest.is_empty() {
            let mut shape = Shape::default();
            shape.params.level = rest[0].level.number();
            let mut count = 0;
            for program in rest.iter().take_while(|program| program.level == rest[0].level) {
                let room = Room::of_text(&program.text).at(program.level);
                if count > 0 && !shape.fits_with(room, program.text.len(), &self.gpu.device.limits()) {
                    break;
                }
                let base = shape.push_text(&program.text);
                shape.push(room, base, program.text.len() as u32);
                count += 1;
            }
            let (chunk, behind) = rest.split_at(count);
            run_chunk(&self.gpu, compiler, chunk, shape, &mut results)?;
            rest = behind;
        }
        Ok(results)
    }
}

fn run_chunk(
    gpu: &Gpu,
    compiler: &CompileStage,
    batch: &[Compiled],
    shape: Shape,
    results: &mut Vec<Compiled>,
) -> Result<(), EngineError> {
    let mut arena = Arena::new(gpu, &compiler.kernel, shape)?;
    for (index, program) in batch.iter().enumerate() {
        arena.upload(gpu, index, program);
    }
    let mut encoder = gpu.encoder();
    compiler.encode(&mut encoder.begin_compute_pass(&Default::default()), &arena);
    let read = gpu.read(encoder, &arena.readable())?;
    for (index, program) in batch.iter().enumerate() {
        let mut program = program.clone();
        arena.unpack(&read, index, compiler.stage, &mut program)?;
        results.push(program);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gpu::arena::binding;
    use crate::engine::gpu::kernel::Kernel;
    use crate::engine::gpu::{shaders, wgsl};

    /// Creates a stage whose threads take items in ascending or descending order.
    fn stage_of(gpu: &Gpu, stage: Stage, reversed: bool) -> CompileStage {
        let shader = shaders::COMPILE.iter().find(|(own, _)| *own == stage).map(|(_, shader)| shader);
        let shader = shader.unwrap_or_else(|| panic!("{} has no shader", stage.name()));
        let mut text = wgsl::assemble(shader.file, shader.variant(gpu.adapter.software, false))
            .unwrap_or_else(|error| panic!("{error}"));
        if reversed {
            let turned = text.replace(" = lane; ", " = WORKGROUP - 1u - lane; ");
            assert_ne!(turned, text);
            text = turned;
        }
        let kernel = Kernel::of_text(gpu, shader, text).unwrap_or_else(|error| panic!("{error}"));
        CompileStage { stage, kernel, expand: None }
    }

    /// Runs a stage on a batch. Returns its output and a column of its scratch.
    fn left(gpu: &Gpu, compiler: &CompileStage, batch: &[Compiled], column: u64) -> (Vec<Compiled>, Vec<u32>) {
        let mut shape = Shape::default();
        for program in batch {
            let base = shape.push_text(&program.text);
            shape.push(Room::of_text(&program.text), base, program.text.len() as u32);
        }
        let mut arena = Arena::new(gpu, &compiler.kernel, shape).unwrap_or_else(|error| panic!("{error}"));
        (0..).zip(batch).for_each(|(index, program)| arena.upload(gpu, index, program));
        let mut encoder = gpu.encoder();
        compiler.encode(&mut encoder.begin_compute_pass(&Default::default()), &arena);
        let rows = u64::from(arena.shape.params.token_capacity);
        let mut parts = vec![(&arena.buffers[binding::SCRATCH], column * rows, rows)];
        parts.extend(arena.readable());
        let read = gpu.read(encoder, &parts).unwrap_or_else(|error| panic!("{error}"));
        let unpacked = (0..).zip(batch).map(|(index, program)| {
            let mut program = program.clone();
            let unpacked = arena.unpack(&read[1..], index, compiler.stage, &mut program);
            unpacked.unwrap_or_else(|error| panic!("{error}"));
            program
        });
        // The rows of existing tokens.
        let counts = (0..batch.len()).flat_map(|index| {
            let base = arena.shape.programs[index].token_base as usize;
            read[0][base..base + batch[index].tokens.kind.len()].to_vec()
        });
        (unpacked.collect(), counts.collect())
    }

    #[test]
    fn results_do_not_depend_on_the_order_of_threads() {
        let gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
        let texts = [
            include_str!("../../../samples/sorting.myr"),
            include_str!("../../../samples/broken.myr"),
            // If commas are missing, several children may be taken for the last one.
            "fn f(a: int b: int, c: int d: int) -> int { return f(1 2, 3 4, 5 6); } test f([1 2 3, 4 5]) == [7 8, 9];",
            "fn f(a: int) -> int { while a > 0 { a -= 1; if a == 3 { return 7; } } return f(a - 1, 2) + \"x\"; }",
        ];
        let read = |text: &&str| Compiled { text: (*text).into(), ..Compiled::default() };
        let mut batch: Vec<Compiled> = texts.iter().map(read).collect();
        for (stage, shader) in &shaders::COMPILE {
            // The numbers of children that check counts: a column of scratch, and the only one that could
            // differ if threads raced.
            let text = wgsl::assemble(shader.file, shader.variant(true, false)).unwrap_or_default();
            let count = text.lines().find_map(|line| line.strip_prefix("const COUNT = ")?.strip_suffix("u;"));
            let column = count.and_then(|count| count.parse().ok()).filter(|_| *stage == Stage::Check);
            let [one, other] = [false, true]
                .map(|reversed| left(&gpu, &stage_of(&gpu, *stage, reversed), &batch, column.unwrap_or(0)));
            assert_eq!(one.0, other.0, "{}", stage.name());
            if column.is_some() {
                assert_eq!(one.1, other.1, "the counts of children");
            }
            assert!(column.is_some() || *stage != Stage::Check);
            batch = one.0;
        }
    }
}
