//! The kinds of plugins that `runner plugins new` creates, and the sources of each.

/// The kind of a new plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// A variant of 2048
    Sliding,
    /// The rules of a game
    Game,
    /// A value that learns
    Value,
    Agent,
    /// An agent in Python, asked through standard input and output
    Process,
}

/// A file of the crate: its path, and its text with blanks to fill in.
pub type TemplateFile = (&'static str, &'static str);

/// The files of every crate in Rust.
const CRATE: &[TemplateFile] = &[
    ("Cargo.toml", include_str!("../../templates/Cargo.toml.txt")),
    (".cargo/config.toml", include_str!("../../templates/config.toml")),
    (".gitignore", "/target/\n"),
    ("rustfmt.toml", "use_small_heuristics = \"Max\"\n"),
    ("README.md", include_str!("../../templates/README.md")),
];

impl Template {
    pub fn is_crate(self) -> bool {
        self != Self::Process
    }

    /// Returns the word for the plugin: `game`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sliding | Self::Game => "game",
            Self::Value => "value",
            Self::Agent | Self::Process => "agent",
        }
    }

    /// Returns the files of the plugin: those of every crate, if it is one, and its own.
    pub fn files(self) -> impl Iterator<Item = &'static TemplateFile> {
        let common: &[TemplateFile] = if self.is_crate() { CRATE } else { &[] };
        let own: &[TemplateFile] = match self {
            Self::Sliding => &[
                ("src/lib.rs", include_str!("../../templates/sliding/lib.rs")),
                ("src/edges.rs", include_str!("../../templates/sliding/edges.rs")),
                ("tests/game.rs", include_str!("../../templates/sliding/tests.rs")),
                (
                    "tests/transcripts/small.txt",
                    include_str!("../../templates/sliding/transcript.txt"),
                ),
            ],
            Self::Game => &[
                ("src/lib.rs", include_str!("../../templates/game/lib.rs")),
                ("src/text.rs", include_str!("../../templates/game/text.rs")),
                ("tests/game.rs", include_str!("../../templates/game/tests.rs")),
            ],
            Self::Value => &[
                ("src/lib.rs", include_str!("../../templates/value/lib.rs")),
                ("src/training.rs", include_str!("../../templates/value/training.rs")),
                ("src/model.rs", include_str!("../../templates/value/model.rs")),
                ("tests/value.rs", include_str!("../../templates/value/tests.rs")),
                ("tests/walk/mod.rs", include_str!("../../templates/tests/walk.rs")),
            ],
            Self::Agent => &[
                ("src/lib.rs", include_str!("../../templates/agent/lib.rs")),
                ("tests/agent.rs", include_str!("../../templates/agent/tests.rs")),
                ("tests/walk/mod.rs", include_str!("../../templates/tests/walk.rs")),
            ],
            Self::Process => &[
                ("agent.py", include_str!("../../templates/process/agent.py")),
                ("test_agent.py", include_str!("../../templates/process/test_agent.py")),
                ("README.md", include_str!("../../templates/process/README.md")),
            ],
        };
        common.iter().chain(own)
    }

    /// Returns what the README says the plugin is, and its guide.
    pub fn description(self) -> (&'static str, &'static str) {
        match self {
            Self::Sliding => {
                ("a variant of 2048", include_str!("../../templates/sliding/guide.md"))
            }
            Self::Game => ("a game", include_str!("../../templates/game/guide.md")),
            Self::Value => ("a value that learns", include_str!("../../templates/value/guide.md")),
            Self::Agent => ("an agent", include_str!("../../templates/agent/guide.md")),
            Self::Process => ("an agent", ""),
        }
    }
}
