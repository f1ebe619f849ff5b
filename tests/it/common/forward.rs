//! Wrappers of engines in tests.

/// The methods of `Engine` that a wrapper passes on unchanged to the engine in its field; `run` among them if it is named.
/// The caller imports `Watch` and `EngineError`.
macro_rules! forward_engine {
    ($field:ident) => {
        fn memory(&self) -> (myriad::engine::memory::Memory, Option<myriad::engine::memory::NeuralMemory>) {
            self.$field.memory()
        }
        fn set_group(&mut self, group: myriad::lang::mutation::Group) {
            self.$field.set_group(group);
        }
        fn set_level(&mut self, level: myriad::lang::level::OptLevel) {
            self.$field.set_level(level);
        }
        fn variants(&self) -> myriad::engine::MutantCounts {
            self.$field.variants()
        }
        fn prepare(&mut self, end: u32) -> Result<myriad::engine::Seen, myriad::engine::EngineError> {
            self.$field.prepare(end)
        }
        fn forget(&mut self) -> Result<(), myriad::engine::EngineError> {
            self.$field.forget()
        }
    };
    ($field:ident, run) => {
        forward_engine!($field);
        fn run(
            &mut self,
            function: myriad::lang::index::RoutineId,
            arguments: &[u32],
            watch: &dyn Watch,
        ) -> Result<myriad::engine::RunResult, EngineError> {
            self.$field.run(function, arguments, watch)
        }
    };
}
pub(crate) use forward_engine;
