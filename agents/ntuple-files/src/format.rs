//! The formats in which a network can be saved.

/// See [`Format::ALL`] for the use of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Checkpoint,
    Player,
    /// Changes of weights as multiples of a step that is doubled at most this number of times, see
    /// the module `steps`.
    Steps(u32),
    Exchange,
}

impl Format {
    /// All formats, each with its name and its use. The first is the complete one.
    pub const ALL: [(Self, &str, &str); 5] = [
        (Self::Checkpoint, "checkpoint", "weights and learning state; training resumes from it"),
        (Self::Player, "player", "weights only, for play; loads fastest"),
        (Self::Steps(7), "tiny", "weights only, rounded the more the less training used them"),
        (
            Self::Steps(8),
            "micro",
            "weights only, rounded so far that strength is lost; half of the size of `tiny` for large networks",
        ),
        (Self::Exchange, "w", "the format of TDL2048+, for networks of 2048 on 4 x 4"),
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(format, ..)| format)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(format, ..)| *format == self).expect("one of all").1
    }

    pub fn names(condition: impl Fn(Self) -> bool) -> String {
        let names = Self::ALL.into_iter().filter(|(format, ..)| condition(*format));
        names.map(|(_, name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// Returns true if files of this format are those of this program.
    pub fn is_container(self) -> bool {
        self != Self::Exchange
    }
}
