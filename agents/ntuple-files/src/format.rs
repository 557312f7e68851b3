//! The formats in which a network can be saved.

use crate::precision::Precision;
use crate::steps::FEWEST_DOUBLINGS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Checkpoint,
    Player,
    /// Weights alone, those of redundant tuples added to others. The file is like that of a
    /// [`Player`](Format::Player).
    Folded,
    Compact(Precision),
    /// Changes of weights as multiples of a step that is doubled at most this number of times, see
    /// the module `steps`.
    Steps(u32),
    Exchange,
    /// Tensors for other programs, which this one does not read.
    Tensors,
}

impl Format {
    /// All formats, each with its name and its use. The first is the complete one.
    pub const ALL: [(Self, &str, &str); 11] = [
        (Self::Checkpoint, "checkpoint", "weights and learning state; training resumes from it"),
        (Self::Player, "player", "weights only, for play; loads fastest"),
        (
            Self::Compact(Precision::Exact),
            "compact",
            "weights only, compressed; plays the same games",
        ),
        (
            Self::Compact(Precision::Rounded(2)),
            "compact16",
            "weights only, 16 bits each; no loss in 50,000 games",
        ),
        (
            Self::Compact(Precision::Rounded(1)),
            "compact8",
            "weights only, 8 bits each; no loss in 50,000 games",
        ),
        (
            Self::Steps(FEWEST_DOUBLINGS),
            "small",
            "weights only, rounded the more the less training used them; no clear loss in 5,000 games",
        ),
        (
            Self::Steps(FEWEST_DOUBLINGS + 1),
            "tiny",
            "weights only, rounded further; two thirds of the size of `small` for large networks",
        ),
        (
            Self::Steps(FEWEST_DOUBLINGS + 2),
            "micro",
            "weights only, rounded so far that strength is lost; half of the size of `tiny` for large networks",
        ),
        (
            Self::Folded,
            "folded",
            "weights only, those of tuples within larger ones added to these; plays fastest",
        ),
        (Self::Exchange, "w", "the format of TDL2048+, for networks of 2048 on 4 x 4"),
        (Self::Tensors, "safetensors", "weights only, for NumPy or PyTorch; cannot be loaded"),
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

    pub fn is_container(self) -> bool {
        matches!(self, Self::Checkpoint | Self::Player | Self::Compact(_) | Self::Steps(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_found_by_its_name() {
        for (format, name, _) in Format::ALL {
            assert_eq!((Format::named(name), format.name()), (Some(format), name));
        }
        assert_eq!(Format::named("compact4"), None);
        assert!(Format::names(Format::is_container).ends_with("`small`, `tiny`, `micro`"));
    }
}
