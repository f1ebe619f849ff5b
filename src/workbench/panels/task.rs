//! The tasks that panels and keys serve.

/// A task; the help and `docs/keys.md` group keys by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PanelTask {
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

impl PanelTask {
    pub const ALL: [PanelTask; 11] = [
        PanelTask::Write,
        PanelTask::Find,
        PanelTask::Files,
        PanelTask::Test,
        PanelTask::Inside,
        PanelTask::Run,
        PanelTask::Measure,
        PanelTask::Learn,
        PanelTask::Screen,
        PanelTask::Laboratory,
        PanelTask::Program,
    ];

    pub fn title(self) -> &'static str {
        match self {
            PanelTask::Write => "Write",
            PanelTask::Find => "Move and find",
            PanelTask::Files => "Open and save",
            PanelTask::Test => "Test your tests",
            PanelTask::Inside => "Look inside",
            PanelTask::Run => "Run step by step",
            PanelTask::Measure => "Measure",
            PanelTask::Learn => "Learn and show",
            PanelTask::Screen => "Panels and the screen",
            PanelTask::Laboratory => "The paper's laboratory",
            PanelTask::Program => "This program",
        }
    }
}
