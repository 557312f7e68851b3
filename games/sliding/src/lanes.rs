//! Random games, several interleaved, for kernels that play a move without branches.
//!
//! The steps of a move depend on one another, but not on those of another game, so the
//! processor executes several games in parallel. An action that turns out to be illegal
//! should leave the game unchanged without a branch that could be mispredicted.

use runner_core::{Playouts, Random};

/// Number of games that are interleaved. More would not fit the registers.
const LANES: usize = 4;

/// A game in progress, with the totals of all games of its lane.
#[derive(Clone, Copy, Debug)]
pub struct Lane<P> {
    /// The current position of the game.
    pub position: P,
    /// A bit for each action that was tried in this position.
    pub tried: u32,
    /// Moves made, in all games of this lane.
    pub moves: u64,
    /// Points scored, in all games of this lane.
    pub score: f64,
}

/// Plays `games` games from `start`. `attempt` tries a random action and returns true if the
/// game is over.
#[inline(always)]
pub fn play<P: Copy>(
    start: P,
    games: u64,
    random: u64,
    attempt: impl Fn(&mut Lane<P>, &mut Random) -> bool,
) -> Playouts {
    let mut random = Random::from_word(random);
    let mut lanes = [Lane { position: start, tried: 0, moves: 0, score: 0.0 }; LANES];
    let mut begun = games.min(LANES as u64);
    let mut ended = [false; LANES];
    ended[begun as usize..].fill(true);

    // All lanes in turn, as long as each has a game to play.
    'together: while begun >= LANES as u64 {
        for lane in 0..LANES {
            if attempt(&mut lanes[lane], &mut random) {
                if begun == games {
                    ended[lane] = true;
                    break 'together;
                }
                begun += 1;
                lanes[lane].position = start;
                lanes[lane].tried = 0;
            }
        }
    }
    // Then the remaining games, each to its end.
    for (lane, _) in lanes.iter_mut().zip(ended).filter(|(_, ended)| !ended) {
        while !attempt(lane, &mut random) {}
    }
    Playouts {
        games,
        moves: lanes.iter().map(|lane| lane.moves).sum(),
        score: lanes.iter().map(|lane| lane.score).sum(),
    }
}
