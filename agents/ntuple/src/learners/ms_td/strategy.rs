//! The lists of stages of Yeh and others (2017), by the game's tiles: Sections III and IV.D for
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

struct Strategies {
    tile: u64,
    lists: &'static [(&'static str, &'static str)],
    default: &'static str,
    /// The smallest tile that the network counts: for 2048 it is 2048 in all strategies.
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

/// Returns the stages of a strategy, or of the default one, for the game of a board, and the
/// smallest tile that the network counts.
pub fn stages(
    strategy: Option<&Strategy>,
    board: &Geometry,
) -> Result<(&'static str, u64), BuildError> {
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
    let found = game.lists.iter().find(|(known, _)| *known == name);
    found.map(|(_, stages)| (*stages, game.large)).ok_or_else(|| {
        let known: Vec<_> = game.lists.iter().map(|(known, _)| format!("`{known}`")).collect();
        let message = format!("unknown: `{name}`; this game has {}", known.join(", "));
        BuildError::of("strategy", message)
    })
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
                let (found, _) = stages(Some(&name), board).unwrap();
                let read = Stages::read(found, board).unwrap();
                assert_eq!((found, read.count()), (*list, count));
                assert!(read.only_advance());
            }
        }
        assert_eq!(stages(None, &two).unwrap(), stages(Some(&Strategy::Number(3)), &two).unwrap());
        assert_eq!(stages(None, &threes).unwrap().0, "1536 3072");
        let error = stages(Some(&Strategy::Number(4)), &threes).unwrap_err();
        assert!(error.message.contains("`3-stage`, `1`, `2`"), "{error}");
        let other = Geometry { values: (0..12).collect(), ..two };
        let error = stages(None, &other).unwrap_err();
        assert_eq!(error.parameter.as_deref(), Some("stages"));
        assert!(error.message.contains("give `stages`"), "{error}");
    }
}
