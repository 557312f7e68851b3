//! The parameter `restarts`: training games that do not begin as whole ones.

use super::carousel::{CAROUSEL, Carousel};
use super::middle::{ENTRANCES, MIDDLE, Middle};
use runner_core::{BuildError, Spec, SpecError};

/// Where training games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Restarts {
    /// Every game begins as the rules say.
    #[default]
    None,
    /// After a long game, the next one begins at a position of that game.
    Middle(Middle),
    /// After a game from stage n, the next one begins at a recent entrance of the next stage
    /// that has one.
    Carousel(Carousel),
}

impl Restarts {
    pub fn allowed() -> String {
        format!("`none`, {MIDDLE}, or {CAROUSEL}; {ENTRANCES}")
    }

    /// Returns the values of the parameter of a learner that trains one stage at a time.
    pub fn allowed_within_phases() -> String {
        format!("`none`, or {MIDDLE}, without `entrances`")
    }

    pub fn read(parameter: Option<&Spec>, stages: usize) -> Result<Self, BuildError> {
        let Some(spec) = parameter else { return Ok(Self::None) };
        let refuse = |message: String| BuildError::of("restarts", message);
        let misread = |error: SpecError, allowed: &str| {
            refuse(format!("{}; expected {allowed}", error.message))
        };
        let of_kind = |message: String| refuse(format!("`{}`: {message}", spec.name()));
        match spec.name() {
            "none" if !spec.has_fields() => Ok(Self::None),
            "none" => Err(refuse("`none` has no parameters".to_owned())),
            "middle" => {
                let allowed = format!("{MIDDLE}; {ENTRANCES}");
                let middle: Middle = spec.read().map_err(|error| misread(error, &allowed))?;
                middle.check(stages).map(Self::Middle).map_err(of_kind)
            }
            "carousel" => {
                let carousel: Carousel = spec.read().map_err(|error| misread(error, CAROUSEL))?;
                carousel.check(stages).map(Self::Carousel).map_err(of_kind)
            }
            other => Err(refuse(format!("unknown: `{other}`; expected {}", Self::allowed()))),
        }
    }

    pub fn kept_entrances(&self) -> usize {
        match self {
            Self::Carousel(carousel) => carousel.keep,
            Self::Middle(middle) if middle.entrances.is_ever_above(0.0) => Carousel::default().keep,
            Self::None | Self::Middle(_) => 0,
        }
    }

    /// Returns true if restarts depend on the share of the training that is done.
    pub fn are_planned(&self) -> bool {
        matches!(self, Self::Middle(middle) if !middle.entrances.is_constant())
    }

    /// Returns true if games that began at the entrance of a stage end when they leave it.
    pub fn cut_games(&self) -> bool {
        matches!(self, Self::Carousel(carousel) if carousel.cut)
    }

    /// Returns true if restarts use the positions of a game.
    pub fn need_positions(&self) -> bool {
        matches!(self, Self::Middle(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, stages: usize) -> Result<Restarts, BuildError> {
        Restarts::read(Some(&text.parse().unwrap()), stages)
    }

    #[test]
    fn each_kind_is_read_with_its_defaults() {
        assert_eq!(Restarts::read(None, 1), Ok(Restarts::None));
        assert_eq!(read("none", 1), Ok(Restarts::None));
        assert_eq!(read("middle", 1), Ok(Restarts::Middle(Middle::default())));
        let middle = Middle { longer_than_mean: Some(0.5), at: 0.25, ..Middle::default() };
        assert_eq!(
            read("middle(longer_than_mean: 0.5, at: 0.25)", 1),
            Ok(Restarts::Middle(middle))
        );
        assert_eq!(middle.length(1, None), None);
        assert_eq!(middle.length(1, Some(3000.0)), Some(1500.0));
        assert_eq!(Middle::default().length(1, None), Some(2500.0));
        let later = Middle { longer_than_later: Some(10), ..middle };
        assert_eq!(
            read("middle(longer_than_mean: 0.5, longer_than_later: 10, at: 0.25)", 2),
            Ok(Restarts::Middle(later))
        );
        assert_eq!(
            [0, 1, 2].map(|stage| later.length(stage, None)),
            [None, Some(10.0), Some(10.0)]
        );
        assert_eq!(later.length(0, Some(3000.0)), Some(1500.0));
        assert_eq!(read("carousel", 2), Ok(Restarts::Carousel(Carousel::default())));
        let carousel = Carousel { keep: 20, cut: true, fresh: 0.25 };
        assert_eq!(
            read("carousel(keep: 20, cut: true, fresh: 0.25)", 2),
            Ok(Restarts::Carousel(carousel))
        );
    }
}
