//! The tasks that panels and keys serve.

/// A task; the help and `docs/keys.md` group keys by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    Write,
    Find,
    Files,
    Test,
    Inside,
    Run,
    Measure,
    Learn,
    Screen,
    /// The panels have tabs, and the help has the keys, only while the user shows the laboratory.
    Laboratory,
    Program,
}

impl Task {
    pub const ALL: [Task; 11] = [
        Task::Write,
        Task::Find,
        Task::Files,
        Task::Test,
        Task::Inside,
        Task::Run,
        Task::Measure,
        Task::Learn,
        Task::Screen,
        Task::Laboratory,
        Task::Program,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Task::Write => "Write",
            Task::Find => "Move and find",
            Task::Files => "Open and save",
            Task::Test => "Test your tests",
            Task::Inside => "Look inside",
            Task::Run => "Run step by step",
            Task::Measure => "Measure",
            Task::Learn => "Learn and show",
            Task::Screen => "Panels and the screen",
            Task::Laboratory => "The paper's laboratory",
            Task::Program => "This program",
        }
    }
}
