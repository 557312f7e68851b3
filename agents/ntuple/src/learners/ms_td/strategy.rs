//! The strategies of Yeh and others (2017), which are lists of stages: Sections III and IV.D for
//! 2048, Section V for Threes.

use runner_core::BuildError;
use runner_core::geometry::Geometry;
use serde::{Deserialize, Serialize};

/// A strategy as a parameter: its number or its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected 1, 2, 3, 4 or \"3-stage\"")]
pub enum Strategy {
    /// A number, 1 to 4.
    Number(u8),
    Name(String),
}

/// A list of stages, and the default network for them.
#[derive(Debug, PartialEq)]
pub struct StageList {
    /// The list in the form of the parameter `stages`.
    pub text: String,
    /// The smallest tile that the feature `large` of the default network counts.
    pub large: u64,
}

struct Strategies {
    /// A tile that the other game does not have.
    tile: u64,
    /// The name of each strategy and its list of stages.
    lists: &'static [(&'static str, &'static str)],
    default: &'static str,
    /// See [`StageList`]. All strategies of a game have an equal one.
    large: u64,
}

const STRATEGIES: [Strategies; 2] = [
    Strategies {
        tile: 16384,
        lists: &[
            ("3-stage", "16384 16384+8192"),
            ("1", "8192 16384 16384+8192"),
            ("2", "16384 16384+8192 16384+8192+4096"),
            ("3", "16384 16384+8192 16384+8192+4096 16384+8192+4096+2048"),
            (
                "4",
                "16384 16384+8192 16384+8192+4096 16384+8192+4096+2048 16384+8192+4096+2048+1024",
            ),
        ],
        default: "3",
        large: 2048,
    },
    Strategies {
        tile: 3072,
        lists: &[("3-stage", "1536 3072"), ("1", "768 1536 3072"), ("2", "1536 3072 3072+1536")],
        default: "3-stage",
        large: 192,
    },
];

/// Returns the stages of a strategy, or of the default one, for the game of a board.
pub fn stages(strategy: Option<&Strategy>, board: &Geometry) -> Result<StageList, BuildError> {
    let Some(game) = STRATEGIES.iter().find(|game| board.values.contains(&game.tile)) else {
        return Err(BuildError::of(
            "stages",
            "the strategies are for the tiles of 2048 and Threes, which this game \
             has not; give `stages`, the condition of each stage after the first",
        ));
    };
    let name = match strategy {
        None => game.default.to_owned(),
        Some(Strategy::Number(number)) => number.to_string(),
        Some(Strategy::Name(name)) => name.clone(),
    };
    let Some((_, stages)) = game.lists.iter().find(|(known, _)| *known == name) else {
        let known: Vec<_> = game.lists.iter().map(|(known, _)| format!("`{known}`")).collect();
        let message = format!("unknown: `{name}`; this game has {}", known.join(", "));
        return Err(BuildError::of("strategy", message));
    };
    Ok(StageList { text: (*stages).to_owned(), large: game.large })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::Stages;
    use runner_core::Game;

    fn board(game: &impl Game) -> Geometry {
        game.description().geometry.clone().unwrap()
    }

    #[test]
    fn every_strategy_is_a_list_of_stages_of_its_game() {
        let two = board(&game_2048::Game2048::new(Default::default()).unwrap());
        let threes = board(&game_threes::Threes::new(Default::default()).unwrap());
        for (board, counts) in [(&two, &[3, 4, 4, 5, 6][..]), (&threes, &[3, 4, 4])] {
            let game = STRATEGIES.iter().find(|game| board.values.contains(&game.tile)).unwrap();
            for ((name, list), &count) in game.lists.iter().zip(counts) {
                let name = Strategy::Name((*name).to_owned());
                let found = stages(Some(&name), board).unwrap();
                let read = Stages::read(&found.text, board).unwrap();
                assert_eq!((&*found.text, read.count()), (*list, count));
                assert!(read.only_advance());
            }
        }
        assert_eq!(stages(None, &two).unwrap(), stages(Some(&Strategy::Number(3)), &two).unwrap());
        assert_eq!(stages(None, &threes).unwrap().text, "1536 3072");
        let error = stages(Some(&Strategy::Number(4)), &threes).unwrap_err();
        assert!(error.message.contains("`3-stage`, `1`, `2`"), "{error}");
        let other = Geometry { values: (0..12).collect(), ..two };
        let error = stages(None, &other).unwrap_err();
        assert_eq!(error.parameter.as_deref(), Some("stages"));
        assert!(error.message.contains("give `stages`"), "{error}");
    }
}
