//! The two players of a comparison, and its result as data.

use super::{Compared, Terms};
use crate::arena::{Cell, Limits};
use crate::failure::Failure;
use crate::kept::Job;
use crate::learners;
use crate::luck::Luck;
use crate::player::NamedPlayer;
use crate::registry::{LoadedGame, Registry};
use crate::threads::Threads;
use runner_core::{Game, Random, Seed, Spec, State};
use runner_spec::quantity::brief_percent;
use runner_stats::Verdict;
use serde::Serialize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// A share such as `2%` or `0.02`, from 0.001% to 99%.
#[derive(Clone, Copy, Debug)]
pub struct Margin(f64);

impl Margin {
    pub const DEFAULT: Self = Self(0.02);
    /// A smaller margin would take billions of games.
    const LEAST: f64 = 1e-5;
    const MOST: f64 = 0.99;

    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Margin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = match text.trim().strip_suffix('%') {
            Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
            None => text.trim().parse(),
        };
        match share {
            Ok(share) if (Self::LEAST..=Self::MOST).contains(&share) => Ok(Self(share)),
            _ => {
                let [least, most] = [Self::LEAST, Self::MOST].map(brief_percent);
                Err(format!("must be a share of {least} to {most}, like 2% or 0.02"))
            }
        }
    }
}

/// Refuses a tile that the game does not have.
pub fn check_tile(tile: u64, game: &LoadedGame) -> Result<(), Failure> {
    let tiles = &game.rules.description().tiles;
    if tiles.contains(&tile) {
        return Ok(());
    }
    let texts: Vec<_> = tiles.iter().map(u64::to_string).collect();
    let known = if texts.is_empty() { "none".into() } else { texts.join(", ") };
    Err(Failure::usage(format!("{} has no tile {tile}; its tiles: {known}", game.name)))
}

/// Refuses A and B, each with its name in messages, if one of them is no player or names a model
/// that cannot be read. It does not load them, which may take long.
pub fn check_players(specs: [(&str, &Spec); 2], registry: &Registry) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for (name, spec) in specs {
        if let Err(failure) = learners::check(spec, registry) {
            wrong.push((name.to_owned(), failure));
        }
    }
    Failure::refuse(wrong)
}

/// Loads A and B, each with its name in messages, or says what is wrong with each.
pub fn load_players(
    specs: [(&str, &Spec); 2],
    load: impl Fn(&Spec) -> Result<NamedPlayer, Failure>,
) -> Result<[NamedPlayer; 2], Failure> {
    let (mut players, mut wrong) = (Vec::new(), Vec::new());
    for (name, spec) in specs {
        match load(spec) {
            Ok(player) => players.push(player),
            Err(failure) => wrong.push((name.to_owned(), failure)),
        }
    }
    Failure::refuse(wrong)?;
    Ok(players.try_into().ok().expect("two players"))
}

/// Two players of a game, ready to be compared.
pub struct Opponents {
    pub game: LoadedGame,
    /// Specs of A and B, defaults included.
    pub specs: [Spec; 2],
    pub luck: Option<Arc<Luck>>,
    pub seed: Seed,
    pub(super) cells: [Cell; 2],
}

impl Opponents {
    /// Each game begins at one of `starts`, or as the rules say if there are none. `luck` is the
    /// spec of the value that measures the luck of games. `seed` seeds all random numbers.
    pub fn new(
        game: &LoadedGame,
        players: [NamedPlayer; 2],
        starts: &[State],
        luck: Option<&Spec>,
        seed: Seed,
        threads: &Threads,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let both = players.each_ref();
        let luck = match luck {
            Some(spec) => Some(Luck::new(registry, spec, game, starts, &both, threads)?),
            None => None,
        };
        let specs = both.map(|player| player.spec.clone());
        let new_cell = |player, stream| {
            // The players draw different random numbers: the same ones would not reduce the
            // variance of the difference. 53 bits are exact in the numbers of every JSON reader.
            let own_seed = Seed(Random::stream(seed, stream).word() >> 11);
            Cell::new(game, player, own_seed, Limits::default(), starts, luck.clone())
        };
        let [a, b] = players;
        let cells = [new_cell(a, 0), new_cell(b, 1)];
        Ok(Self { game: game.clone(), specs, luck, seed, cells })
    }

    /// Returns what the games depend on. `starts` is the file of first positions.
    pub fn job<'a>(
        &'a self,
        margin: f64,
        tile: Option<u64>,
        starts: Option<&'a PathBuf>,
    ) -> Job<'a> {
        Job {
            command: "compare",
            game: &self.game.spec,
            players: vec![("a", &self.specs[0]), ("b", &self.specs[1])],
            seed: self.seed,
            luck: self.luck.as_ref().map(|luck| &luck.spec),
            starts,
            settings: vec![
                ("margin", Some(margin.to_string())),
                ("tile", tile.map(|tile| tile.to_string())),
            ],
        }
    }

    pub fn result(&self, compared: &Compared, terms: &Terms<'_>) -> ComparisonResult {
        let comparison = &compared.comparison;
        let (difference, mean_of_b) = (comparison.difference(), comparison.mean_of_b());
        let [a, b] = self.specs.each_ref().map(Spec::to_string);
        let savings = compared.results.iter().filter_map(|results| results.less_luck()?.saving);
        ComparisonResult {
            a,
            b,
            game: self.game.spec.to_string(),
            seed: self.seed,
            games: compared.results[0].games().len() as u64,
            mean_of_a: mean_of_b + difference,
            mean_of_b,
            margin: terms.margin,
            difference: Difference { mean: difference, ci95: comparison.interval() },
            verdict: comparison.verdict(),
            tile: terms.tile,
            luck: self.luck.as_ref().map(|luck| LuckTaken {
                value: luck.spec.to_string(),
                saving: savings.reduce(f64::min),
            }),
        }
    }
}

/// The result of a comparison. Serialized, it is the document of `runner compare`.
#[derive(Serialize)]
pub struct ComparisonResult {
    pub a: String,
    pub b: String,
    pub game: String,
    pub seed: Seed,
    /// Number of games of each player.
    pub games: u64,
    /// Mean score, or the rate of the tile.
    pub mean_of_a: f64,
    pub mean_of_b: f64,
    pub margin: f64,
    pub difference: Difference,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<LuckTaken>,
}

/// The mean score of A less that of B, or the rate with a tile.
#[derive(Serialize)]
pub struct Difference {
    pub mean: f64,
    pub ci95: Option<[f64; 2]>,
}

/// The luck that was taken off the scores.
#[derive(Serialize)]
pub struct LuckTaken {
    pub value: String,
    /// How many uncorrected games one corrected game is worth: the lower factor of both players.
    pub saving: Option<f64>,
}
