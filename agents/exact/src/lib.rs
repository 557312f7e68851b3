//! The exact worth of every afterstate of a solved game: who takes the best sum of
//! reward and worth plays as well as the game can be played.
//!
//! The worths come from a file that `runner solve --save FILE` writes, and serve
//! the game for which they were found and no other.
#![forbid(unsafe_code)]

use runner_core::board::{Geometry, SymmetryGroup};
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Parameter, Plugin, Value, ValuePlugin,
};
use runner_solver::PackedValues;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The file of worths.
    pub model: Option<PathBuf>,
}

/// The exact worths of a game.
pub struct Exact {
    worths: PackedValues,
    /// The images among which the least is looked up, if one stands for all.
    images: Option<SymmetryGroup>,
    geometry: Option<Geometry>,
    file: String,
}

impl Exact {
    fn find(&self, afterstate: Afterstate) -> Option<f32> {
        let bits = afterstate.bits();
        self.worths.find(self.images.as_ref().map_or(bits, |images| images.least(bits)))
    }

    #[cold]
    fn unknown(&self, afterstate: Afterstate) -> ! {
        let shown = match &self.geometry {
            Some(board) => shown(board, afterstate.bits()),
            None => format!("{:#x}", afterstate.bits()),
        };
        Fault::new(format!(
            "{} has no worth of the position {shown} (after a move): the game cannot come to it \
             from its start",
            self.file
        ))
        .raise()
    }
}

/// What the cells of a board show, as positions are written.
fn shown(board: &Geometry, bits: u128) -> String {
    let cell = |cell: usize| match board.values.get(usize::from(board.rank(bits, cell))) {
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    };
    let row = |row: usize| {
        let cells = (0..board.cols).map(|col| cell(row * board.cols + col));
        cells.collect::<Vec<_>>().join(",")
    };
    (0..board.rows).map(row).collect::<Vec<_>>().join("/")
}

impl Value for Exact {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.find(afterstate).unwrap_or_else(|| self.unknown(afterstate));
        }
    }

    fn exact_values(&self, afterstates: &[Afterstate], worths: &mut [f32]) {
        for (worth, &afterstate) in worths.iter_mut().zip(afterstates) {
            *worth = self.find(afterstate).unwrap_or(f32::NAN);
        }
    }
}

impl Plugin for Exact {
    const NAME: &'static str = "exact";
    const ABOUT: &'static str = "the exact worth of every position of a solved game";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        let about = "the file that `runner solve --save FILE` wrote; it is needed";
        vec![Parameter::new("model", "a file in quotes", "None", about)]
    }
}

impl ValuePlugin for Exact {
    fn new(config: Config, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(model) = config.model else {
            return Err(BuildError::new(
                "it plays what was solved: name the file, as in `exact(model: \"FILE\")`; \
                 `runner solve --game SPEC --save FILE` writes it",
            ));
        };
        let worths = PackedValues::open(&model, site.game_spec)
            .map_err(|error| BuildError::of("model", error))?;
        let geometry = site.game.geometry.clone();
        let images = geometry.as_ref().filter(|_| worths.canonical()).map(SymmetryGroup::new);
        Ok(Self { worths, images, geometry, file: model.display().to_string() })
    }
}
