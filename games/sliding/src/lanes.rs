//! Random games, several at once, for kernels that play a move without a branch.
//!
//! A push, its check and the entry of a tile hang on one another, but those of
//! another game do not: the processor works on all of them at the same time. An
//! action that turns out not to be legal should leave everything as it is, with
//! no branch that could be mispredicted.

use runner_core::{Playouts, Random};

/// How many games are played at once. More would not fit the registers.
const LANES: usize = 4;

/// One game in progress, and the sum of those before it in the same lane.
#[derive(Clone, Copy, Debug)]
pub struct Lane<P> {
    /// Where the game has come to.
    pub position: P,
    /// The actions that were tried in this position, a bit each.
    pub tried: u32,
    /// Moves made, in all games of this lane.
    pub moves: u64,
    /// Points made, in all games of this lane.
    pub score: f64,
}

/// Plays `games` games from `start`. `attempt` tries a random action and returns
/// whether the game is over.
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

    // All lanes together, as long as each has a game to play.
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
    // Then those that are left, to their ends.
    for (lane, _) in lanes.iter_mut().zip(ended).filter(|(_, ended)| !ended) {
        while !attempt(lane, &mut random) {}
    }
    Playouts {
        games,
        moves: lanes.iter().map(|lane| lane.moves).sum(),
        score: lanes.iter().map(|lane| lane.score).sum(),
    }
}
