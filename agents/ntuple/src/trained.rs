//! `trained`: the trained networks that come with the program, one for a game.

use crate::network_cache::NetworkCache;
use agent_ntuple_files::{Definition, Model, Purpose, State};
use agent_ntuple_network::{Lookup, Shape, StepNetwork};
use runner_core::{Afterstate, BuildContext, BuildError, Plugin, Value, ValuePlugin, above_end};
use runner_files::Header;
use runner_files::container::Container;
use std::sync::Arc;

/// A game, and the network that plays it.
struct Entry {
    game: &'static str,
    /// A model file in a format with steps: each weight is a whole number of steps.
    network: &'static [u8],
    /// The game that the network was trained on. It has the rules of `game`; its tiles and rewards
    /// are those of `game` times `scale`.
    trained_on: &'static str,
    scale: u8,
}

/// Share of zeros among the weights of a position above which the position is unknown: it is unlike
/// the positions of the training.
const UNKNOWN: f32 = 0.5;

const NETWORK_2048: &[u8] = include_bytes!("../trained/2048.model");
const GAME_2048: &str = "2048(rows: 4, cols: 4, four: 0.1, goal: 2048, start_tiles: 2)";

const GAME_THREES: &str = "threes(rows: 4, cols: 4, bag: 4, bonus: true, bonus_odds: 21, top: 6144, \
                           entry: moved_lines, start_tiles: None)";

const ENTRIES: [Entry; 3] = [
    Entry { game: GAME_2048, network: NETWORK_2048, trained_on: GAME_2048, scale: 1 },
    Entry {
        game: "1024(rows: 4, cols: 4, two: 0.1, goal: 1024, start_tiles: 2, blocked: [])",
        network: NETWORK_2048,
        trained_on: GAME_2048,
        scale: 2,
    },
    Entry {
        game: GAME_THREES,
        network: include_bytes!("../trained/threes.model"),
        trained_on: GAME_THREES,
        scale: 1,
    },
];

/// The networks in use, by [`Entry::game`].
static NETWORKS: NetworkCache<&str, StepNetwork> = NetworkCache::new();

/// The trained network of a game.
pub struct Trained {
    network: Arc<StepNetwork>,
    /// 1 / [`Entry::scale`]: converts values of the network to points of this game.
    factor: f32,
}

impl Trained {
    /// Returns the complete specs of the games that have a network.
    pub fn games() -> impl Iterator<Item = &'static str> {
        ENTRIES.iter().map(|entry| entry.game)
    }

    /// Returns each game that plays with the network of another game, and that other game.
    pub fn borrowing_games() -> Vec<[&'static str; 2]> {
        let borrowing = ENTRIES.iter().filter(|entry| entry.game != entry.trained_on);
        borrowing.map(|entry| [entry.game, entry.trained_on]).collect()
    }

    pub fn headers() -> Vec<Header> {
        let mut headers = Vec::new();
        for entry in ENTRIES.iter().filter(|entry| entry.game == entry.trained_on) {
            let container = Container::new(entry.network, "the trained network");
            headers.push(container.expect("the file is complete").header().clone());
        }
        headers
    }
}

impl Value for Trained {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.network.evaluate(afterstates, values);
        // No reward of these games is negative.
        values.iter_mut().for_each(|value| *value = above_end(*value * self.factor));
    }

    /// The network's value of a position is wrong if it is below zero, because no reward is
    /// negative. The values are guesses if all of them are below zero, or if all positions are
    /// unknown and one value is below zero. In games of 2048, fewer than 1 position in 1,000 is a
    /// guess.
    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        if afterstates.is_empty() {
            return Some(false);
        }
        let is_unknown = |&position| self.network.share_of_zeros(position) > UNKNOWN;
        let is_below_zero = |&position: &Afterstate| {
            let mut value = [0.0];
            self.network.evaluate(&[position], &mut value);
            value[0] < 0.0
        };
        Some(if afterstates.iter().all(is_unknown) {
            afterstates.iter().any(is_below_zero)
        } else {
            afterstates.iter().all(is_below_zero)
        })
    }
}

impl Plugin for Trained {
    const NAME: &'static str = "trained";
    const ABOUT: &'static str = "the trained network that comes with the program, for some games";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl ValuePlugin for Trained {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let game = context.game_spec;
        let Some(entry) = ENTRIES.iter().find(|entry| entry.game == game) else {
            let games: Vec<_> = Self::games().map(|game| format!("`{game}`")).collect();
            return Err(BuildError::new(format!(
                "no trained network comes with the program for `{game}`, but for {}; train one \
                 with `runner train`, and play it by tc-ntuple(model: \"FILE\")",
                games.join(", ")
            )));
        };
        let network = NETWORKS.get_or_load(entry.game, || load(entry, context))?;
        let factor = 1.0 / f32::from(entry.scale);
        Ok(Self { network, factor })
    }
}

/// Loads a network. Its untouched weights are zero.
fn load(entry: &Entry, context: &BuildContext<'_>) -> Result<StepNetwork, BuildError> {
    let game = entry.trained_on;
    let mut board = context.game.geometry.clone().expect("these games have a board");
    // The names of the network's stages are tiles of the game that it was trained on.
    board.values.iter_mut().for_each(|tile| *tile *= u64::from(entry.scale));
    let model = Model::new(entry.network, "the trained network").map_err(BuildError::new)?;
    let step = model.step(0.0).expect("the format has steps");
    let (network, inheritance, learns) = Definition::default().read(Some(&model), &board, game)?;
    let loaded = StepNetwork::new(Lookup::new(&network, &board)?, step)
        .map_err(|error| BuildError::new(format!("no memory for the trained network: {error}")))?;
    let shape = Shape {
        network: &network,
        learns,
        lookup: &loaded.lookup,
        inheritance,
        board: &board,
        game,
        host: &**context.host,
    };
    model.check(&shape, Purpose::Evaluation).map_err(BuildError::new)?;
    let set_weight = |place: usize, weight: f32| loaded.set(place, (weight / step).round() as i16);
    model.read(&shape, &State::<()>::Ignored, &set_weight, &|_, _| ()).map_err(BuildError::new)?;
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::{Config, Game2048};
    use runner_core::{Game, Host, Random, Seed, SingleThread, Spec, Successors, best_action};
    use runner_files::Container;

    fn trained_of(game: &impl Game, spec: Spec) -> Result<Trained, BuildError> {
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        let spec = &spec.to_string();
        Trained::new((), &BuildContext { game: game.description(), game_spec: spec, host: &host })
    }

    fn trained_of_2048(config: Config) -> Result<Trained, BuildError> {
        let spec = Spec::resolved("2048", &config).unwrap();
        trained_of(&Game2048::new(config).unwrap(), spec)
    }

    #[test]
    fn each_network_is_of_its_game() {
        for entry in ENTRIES {
            let model = Container::new(entry.network, entry.game).unwrap();
            assert_eq!(model.header().game, entry.trained_on);
            let moves: u64 = model.header().fact("moves").unwrap().parse().unwrap();
            assert!(moves >= 100_000_000, "{}: {moves}", entry.game);
            // Loaded networks read an untouched weight as zero.
            let [promotion, initial] =
                ["promotion", "initial"].map(|name| model.header().fact(name));
            assert_eq!((promotion, initial), (Some("none"), Some("0")), "{}", entry.game);
        }
    }

    /// Every weight is a number of steps that 16 bits hold.
    #[test]
    fn the_weights_are_small_multiples_of_a_step() {
        for entry in ENTRIES.iter().filter(|entry| entry.scale == 1) {
            let model = Model::new(entry.network, entry.game).unwrap();
            let step = model.step(0.0).unwrap();
            let game: Box<dyn Game> = if entry.game == GAME_2048 {
                Box::new(Game2048::new(Config::default()).unwrap())
            } else {
                Box::new(game_threes::Threes::new(Default::default()).unwrap())
            };
            let board = game.description().geometry.as_ref().unwrap();
            let definition = Definition::default();
            let (network, inheritance, learns) =
                definition.read(Some(&model), board, entry.game).unwrap();
            let (network, host) = (&network, &SingleThread);
            let lookup = &Lookup::new(network, board).unwrap();
            let game = entry.game;
            let shape = Shape { network, learns, lookup, inheritance, board, game, host };
            let check = |_, weight: f32| {
                let steps = (weight / step).round() as i16;
                assert_eq!(f32::from(steps) * step, weight);
            };
            model.read(&shape, &State::<()>::Ignored, &check, &|_, _| ()).unwrap();
        }
    }

    #[test]
    fn the_network_of_threes_has_its_values() {
        let spec = Spec::resolved("threes", &game_threes::Config::default()).unwrap();
        let game = game_threes::Threes::new(game_threes::Config::default()).unwrap();
        let trained = trained_of(&game, spec).unwrap();
        let text = "1536,384,96,3/192,48,12,2/6,3,1,0/2,0,0,0 next=2 bag=1,2,3";
        let mut moves = Successors::new();
        game.successors(game.parse(text).unwrap(), &mut moves);
        let after: Vec<_> = moves.iter().map(|next| next.afterstate).collect();
        let mut values = vec![0.0; after.len()];
        trained.evaluate(&after, &mut values);
        for (value, next) in values.iter_mut().zip(moves.iter()) {
            *value += next.reward;
        }
        // The values in the program that wrote the file. It added the weights in another order.
        for (value, expected) in values.into_iter().zip([60_869.312f32, 24_168.695]) {
            assert!((value - expected).abs() <= 1e-6 * expected, "{value}, not {expected}");
        }
    }

    #[test]
    fn a_position_of_1024_is_worth_half_of_one_of_2048_with_twice_its_tiles() {
        let spec = Spec::resolved("1024", &game_1024::Config::default()).unwrap();
        let game = game_1024::Game1024::new(Default::default()).unwrap();
        let half = trained_of(&game, spec).unwrap();
        let whole = trained_of_2048(Config::default()).unwrap();
        // With 8192 and 4096, or their doubles: the second stage.
        let boards = [0x1234_0000_2100_0001, 0xedc1_2345_0112_2100];
        let boards = boards.map(Afterstate::from_bits);
        let [mut small, mut large] = [[0.0; 2]; 2];
        half.evaluate(&boards, &mut small);
        whole.evaluate(&boards, &mut large);
        assert_eq!(small.map(|value| 2.0 * value), large);
        assert!(large.iter().all(|&value| value > 0.0));
    }

    fn afterstates(game: &impl Game, state: runner_core::State) -> Vec<Afterstate> {
        let mut moves = Successors::new();
        game.successors(state, &mut moves);
        moves.iter().map(|next| next.afterstate).collect()
    }

    /// Returns the share of guesses among the positions of greedy games.
    fn guesses_in_games(game: &impl Game, trained: &Trained, games: u64) -> f64 {
        let (mut positions, mut guesses) = (0, 0);
        let mut moves = Successors::new();
        for number in 0..games {
            let mut random = Random::stream(Seed(77), number);
            let mut state = game.start(random.word());
            loop {
                game.successors(state, &mut moves);
                let mut values = vec![0.0; moves.len()];
                if moves.is_empty() {
                    break;
                }
                trained.action_values(game, state, &moves, &mut values);
                let actions = moves.iter().map(|next| next.action).zip(values);
                let best = moves.of(best_action(actions).unwrap()).unwrap().afterstate;
                positions += 1;
                guesses += u64::from(trained.is_guess(&afterstates(game, state)) == Some(true));
                state = game.spawn(best, random.word());
            }
        }
        guesses as f64 / positions as f64
    }

    #[test]
    fn positions_of_games_are_known_and_blocks_of_large_tiles_are_guesses() {
        let game = Game2048::new(Config::default()).unwrap();
        let trained = trained_of_2048(Config::default()).unwrap();
        for text in [
            "16384,8192,4096,2/2048,1024,512,2/256,128,64,2/2,2,2,2",
            "16384,8192,4096,0/2048,1024,512,0/256,128,64,0/0,2,0,2",
        ] {
            let state = game.parse(text).unwrap();
            assert_eq!(trained.is_guess(&afterstates(&game, state)), Some(true), "{text}");
        }
        let guesses = guesses_in_games(&game, &trained, 4);
        assert!(guesses < 0.001, "{guesses}");
        let spec = Spec::resolved("threes", &game_threes::Config::default()).unwrap();
        let game = game_threes::Threes::new(game_threes::Config::default()).unwrap();
        let trained = trained_of(&game, spec).unwrap();
        let guesses = guesses_in_games(&game, &trained, 4);
        assert!(guesses < 0.004, "{guesses}");
    }

    /// The network's own values of these positions are below zero: no game of its training had such
    /// positions.
    #[test]
    fn a_position_that_is_alive_is_worth_more_than_the_end() {
        let game = Game2048::new(Config::default()).unwrap();
        let trained = trained_of_2048(Config::default()).unwrap();
        let text = "16384,8192,4096,2/2048,1024,512,2/256,128,64,2/2,2,2,2";
        let after = afterstates(&game, game.parse(text).unwrap());
        let mut values = vec![0.0; after.len()];
        let mut predictions = values.clone();
        trained.network.evaluate(&after, &mut predictions);
        trained.evaluate(&after, &mut values);
        for (value, prediction) in values.iter().zip(&predictions) {
            assert!(*prediction < -1000.0 && *value > 0.0, "{prediction}: {value}");
        }
        let ascending = [-1e5, -20.0, 0.0, 0.5, 1.0, 1.5, 1e5].map(above_end);
        assert!(ascending.is_sorted_by(|a, b| a < b) && ascending[0] > 0.0, "{ascending:?}");
    }

    #[test]
    fn other_boards_have_none() {
        let error = trained_of_2048(Config { rows: 3, ..Config::default() }).err().unwrap();
        assert!(error.message.contains("no trained network"), "{}", error.message);
        assert!(error.message.contains("2048(rows: 4, cols: 4"), "{}", error.message);
    }
}
