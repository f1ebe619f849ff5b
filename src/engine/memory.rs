//! The memory that an engine has allocated, by purpose.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub source: u64,
    pub tree: u64,
    pub symbols: u64,
    pub bytecode: u64,
    /// Working memory of the stages, intermediate code included.
    pub scratch: u64,
    /// Stacks and records of runs.
    pub execution: u64,
}

impl Memory {
    pub fn total(&self) -> u64 {
        self.source + self.tree + self.symbols + self.bytecode + self.scratch + self.execution
    }
}

impl std::ops::AddAssign for Memory {
    fn add_assign(&mut self, other: Memory) {
        self.source += other.source;
        self.tree += other.tree;
        self.symbols += other.symbols;
        self.bytecode += other.bytecode;
        self.scratch += other.scratch;
        self.execution += other.execution;
    }
}

/// Memory of the neural path, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NeuralMemory {
    pub weights: u64,
    pub activations: u64,
    pub cache: u64,
    /// The bytecode of the candidates.
    pub candidates: u64,
    /// The memory that runs and compiles candidates.
    pub execution: u64,
}

impl NeuralMemory {
    pub fn total(&self) -> u64 {
        self.weights + self.activations + self.cache + self.candidates + self.execution
    }
}

/// Returns the allocated size of a list of words in bytes.
pub fn words(list: &Vec<u32>) -> u64 {
    list.capacity() as u64 * 4
}
