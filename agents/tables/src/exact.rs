//! `exact`: the exact value of every afterstate of a solved game. A greedy policy on it
//! plays optimally.
//!
//! The values come from a file written by `runner solve --out FILE`, and are valid for the
//! game that was solved only.

use runner_board::SymmetryGroup;
use runner_core::geometry::Geometry;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Plugin, Value, ValuePlugin, parameters,
};
use runner_solver::PackedValues;
use std::path::PathBuf;

parameters! {
    /// The parameters of [`Exact`].
    pub struct ExactConfig {
        /// File written by `runner solve --out FILE`; required
        pub model: Option<PathBuf> = None, file();
    }
}

pub struct Exact {
    values: PackedValues,
    /// The symmetries, if the file has only the least image of each position.
    symmetries: Option<SymmetryGroup>,
    geometry: Option<Geometry>,
    file: String,
}

impl Exact {
    fn find(&self, afterstate: Afterstate) -> Option<f32> {
        let mut bits = afterstate.bits();
        if let Some(symmetries) = &self.symmetries {
            bits = symmetries.least(bits);
        }
        self.values.find(bits)
    }

    #[cold]
    fn raise_unknown(&self, afterstate: Afterstate) -> ! {
        let text = match &self.geometry {
            Some(board) => board_text(board, afterstate.bits()),
            None => format!("{:#x}", afterstate.bits()),
        };
        Fault::new(format!(
            "{}: no value for the afterstate {text}; it cannot be reached from the start of the \
             solved game",
            self.file
        ))
        .raise()
    }
}

/// Returns a board as text, such as `0,2/4,0`.
fn board_text(board: &Geometry, bits: u128) -> String {
    let cell_text = |cell: usize| match board.values.get(usize::from(board.rank(bits, cell))) {
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    };
    let row_text = |row: usize| {
        let cells = (0..board.cols).map(|col| cell_text(row * board.cols + col));
        cells.collect::<Vec<_>>().join(",")
    };
    (0..board.rows).map(row_text).collect::<Vec<_>>().join("/")
}

impl Value for Exact {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.find(afterstate).unwrap_or_else(|| self.raise_unknown(afterstate));
        }
    }

    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.find(afterstate).unwrap_or(f32::NAN);
        }
    }
}

impl Plugin for Exact {
    const NAME: &'static str = "exact";
    const ABOUT: &'static str = "the exact values of a solved game";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ExactConfig;
}

impl ValuePlugin for Exact {
    fn new(config: ExactConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(model) = config.model else {
            return Err(BuildError::new(
                "`exact` needs the file of a solved game, as in `exact(model: \"FILE\")`; \
                 `runner solve --game SPEC --out FILE` writes one",
            ));
        };
        let values = PackedValues::open(&model, context.game_spec)
            .map_err(|error| BuildError::of("model", error))?;
        let geometry = context.game.geometry.clone();
        let symmetries = match &geometry {
            Some(board) if values.canonical() => Some(SymmetryGroup::new(board)),
            _ => None,
        };
        Ok(Self { values, symmetries, geometry, file: model.display().to_string() })
    }
}
