//! `staged`: one value for each stage of a game. The networks of the stages may differ in their
//! tuples, their alphabet and their learner, and are trained separately.
//!
//! ```text
//! staged(stages: "16384", values: [tc-ntuple(model: "a.model"), td-ntuple(model: "b.model")])
//! ```

use crate::{BATCH, build};
use runner_board::Stages;
use runner_core::geometry::{Geometry, MAX_CELLS};
use runner_core::{
    Afterstate, BuildContext, BuildError, Facts, Plugin, Spec, Value, ValuePlugin, ValueScale,
    parameters,
};
use std::sync::Arc;

parameters! {
    /// The parameters of [`Staged`].
    pub struct Config {
        /// Tiles with which a position enters each stage
        pub stages: String = String::new(),
            text(
                "a condition for each stage after the first (`16384 16384+8192`, `2x4096 3x4096`), \
                 or `2^4`",
            )
            .unset("required");
        /// Value of each stage
        pub values: Vec<Spec> = Vec::new(), list(value()).unset("required");
    }
}

pub struct Staged {
    board: Geometry,
    /// The bits of a position that hold the cells.
    cells: u128,
    stages: Stages,
    values: Vec<Arc<dyn Value>>,
    scale: ValueScale,
}

impl Staged {
    fn stage(&self, afterstate: Afterstate) -> usize {
        let cells = afterstate.bits() & self.cells;
        match u64::try_from(cells) {
            // All tiles are in the first 16 cells with four bits each: faster.
            Ok(board) => self.stages.of_board(board).0,
            Err(_) => self.stage_by_ranks(cells),
        }
    }

    fn stage_by_ranks(&self, bits: u128) -> usize {
        let mut ranks = [0; MAX_CELLS];
        let ranks = &mut ranks[..self.board.cells()];
        for (cell, rank) in ranks.iter_mut().enumerate() {
            *rank = self.board.rank(bits, cell).into();
        }
        self.stages.of_ranks(ranks)
    }

    fn by_stage(
        &self,
        afterstates: &[Afterstate],
        out: &mut [f32],
        evaluate: impl Fn(&dyn Value, &[Afterstate], &mut [f32]),
    ) {
        for (afterstates, out) in afterstates.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let mut stages = [0; BATCH];
            let stages = &mut stages[..afterstates.len()];
            for (stage, &afterstate) in stages.iter_mut().zip(afterstates) {
                *stage = self.stage(afterstate);
            }
            let first = stages[0];
            if stages.iter().all(|&stage| stage == first) {
                evaluate(&*self.values[first], afterstates, out);
                continue;
            }
            for (stage, value) in self.values.iter().enumerate() {
                let mut places = [0; BATCH];
                let mut chosen = [Afterstate::default(); BATCH];
                let mut count = 0;
                for place in (0..stages.len()).filter(|&place| stages[place] == stage) {
                    (places[count], chosen[count]) = (place, afterstates[place]);
                    count += 1;
                }
                if count > 0 {
                    let mut values = [0.0; BATCH];
                    evaluate(&**value, &chosen[..count], &mut values[..count]);
                    for (&place, &value) in places.iter().zip(&values).take(count) {
                        out[place] = value;
                    }
                }
            }
        }
    }
}

impl Value for Staged {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.by_stage(afterstates, values, |value, afterstates, out| {
            value.evaluate(afterstates, out);
        });
    }

    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.by_stage(afterstates, values, |value, afterstates, out| {
            value.exact_values(afterstates, out);
        });
    }

    fn scale(&self) -> ValueScale {
        self.scale
    }

    fn facts(&self, afterstate: Afterstate) -> Facts {
        self.values[self.stage(afterstate)].facts(afterstate)
    }
}

impl Plugin for Staged {
    const NAME: &'static str = "staged";
    const ABOUT: &'static str = "one value for each stage of a game";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Staged {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new(
                "stages depend on the tiles of a board; the game has none",
            ));
        };
        if let Some(word) = config.stages.split_whitespace().find(|word| word.contains('@')) {
            let message =
                format!("`{word}` changes how a network reads tiles; give it to the network");
            return Err(BuildError::of("stages", message));
        }
        let stages = Stages::read(&config.stages, board)?;
        let (count, wanted) = (config.values.len(), stages.count());
        if count != wanted {
            let message = format!("{wanted} stages need {wanted} values; {count} are given");
            return Err(BuildError::of("values", message));
        }
        let values = build(&config.values, context)?;
        if let Some(place) = values.iter().position(|value| value.estimates_actions()) {
            let message = format!("`{}` estimates actions, not afterstates", config.values[place]);
            return Err(BuildError::of("values", message));
        }
        let scale = values[0].scale();
        if let Some(place) = values.iter().position(|value| value.scale() != scale) {
            let (first, other) = (&config.values[0], &config.values[place]);
            let message = format!(
                "`{first}` and `{other}` have different scales: all values must be in points, as \
                 learned ones are, or be ratings with equal bounds"
            );
            return Err(BuildError::of("values", message));
        }
        Ok(Self { board: board.clone(), cells: board.cell_bits(), stages, values, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{build, refused};
    use game_2048::Game2048;
    use proptest::prelude::*;
    use runner_core::Game;

    /// An afterstate with these tiles, and the number of its stage in `8 8+4 16`.
    const POSITIONS: [(&str, usize); 6] = [
        ("2,4,4,2", 0),
        ("8,2,2,2", 1),
        ("8,2,4,0", 2),
        ("8,8,0,0", 2),
        ("16,2,0,0", 3),
        ("131072,0,0,0", 3),
    ];

    #[test]
    fn each_position_has_the_value_of_its_stage() {
        let spec = "staged(stages: \"8 8+4 16\", values: [three, one, zero, two])";
        let constants = [3.0, 1.0, 0.0, 2.0];
        let staged: Staged = build(spec).unwrap();
        let game = Game2048::new(Default::default()).unwrap();
        let afterstates = POSITIONS.map(|(row, _)| {
            let text = format!("{row}/0,0,0,0/0,0,0,0/0,0,0,0");
            Afterstate::from_bits(game.parse(&text).unwrap().bits())
        });
        for count in [0, 1, 6, 255, 256, 257, 1000] {
            // All in one stage, and of all stages in turn.
            for step in [0, 1] {
                let places = (0..count).map(|k| k * step % POSITIONS.len());
                let given: Vec<_> = places.clone().map(|place| afterstates[place]).collect();
                let mut values = vec![f32::NAN; count];
                staged.evaluate(&given, &mut values);
                for (place, value) in places.zip(values) {
                    let constant = constants[POSITIONS[place].1];
                    assert_eq!(value, constant + afterstates[place].lo as f32, "{count} {place}");
                }
                let mut exact = vec![0.0; count];
                staged.exact_values(&given, &mut exact);
                assert!(exact.iter().all(|value| value.is_nan()));
            }
        }
    }

    proptest! {
        #[test]
        fn stages_of_boards_and_of_ranks_are_equal(
            lo: u64,
            large in prop::option::of(0usize..16),
            stages in prop::sample::select(vec![
                "2 4 8", "256 256+64", "8192 65536", "2x16 5x16 16x16", "2x65536", "2^5",
            ]),
        ) {
            let game = Game2048::new(Default::default()).unwrap();
            let count = Stages::read(stages, game.description().geometry.as_ref().unwrap());
            let values = vec!["one"; count.unwrap().count()].join(", ");
            let spec = format!("staged(stages: \"{stages}\", values: [{values}])");
            let staged: Staged = build(&spec).unwrap();
            let bits = large.map_or(lo.into(), |cell| staged.board.with_rank(lo.into(), cell, 16));
            let stage = staged.stage(Afterstate::from_bits(bits));
            prop_assert_eq!(stage, staged.stage_by_ranks(bits));
        }
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let refused = refused::<Staged>;
        refused("staged", "stages", "at least a second stage");
        refused("staged(stages: \"16384\")", "values", "2 stages need 2 values; 0 are given");
        refused("staged(stages: \"16384\", values: [one])", "values", "1 are given");
        refused("staged(stages: \"16384\", values: [one, four])", "values", "no value `four`");
        refused("staged(stages: \"3000\", values: [one, two])", "stages", "not a tile");
        for word in ["16384@8192", "1@8192 16384", "downgrade@4096 16384"] {
            let spec = format!("staged(stages: \"{word}\", values: [one, two])");
            refused(&spec, "stages", "how a network reads tiles");
        }
    }
}
