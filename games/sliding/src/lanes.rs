//! Random games, several interleaved, for kernels that play a move without branches.
//!
//! The steps of a move depend on one another, but not on those of another game, so the
//! processor executes several games in parallel. An action that turns out to be illegal
//! should leave the game unchanged without a branch that could be mispredicted.

use runner_core::Random;

/// Number of games that are interleaved. More would not fit the registers.
const LANES: usize = 4;

#[derive(Clone, Copy, Debug)]
pub struct RandomGame<P> {
    pub position: P,
    /// A bit for each action that was tried in this position.
    pub tried: u32,
    pub moves: u64,
    pub score: f64,
    /// The place of the game's start among all starts.
    number: usize,
}

/// Plays a game from each start. `attempt` tries a random action and returns true if the
/// game is over; `done` receives the place of the start and the finished game.
#[inline(always)]
pub fn play<P: Copy>(
    starts: impl Iterator<Item = P>,
    random: u64,
    attempt: impl Fn(&mut RandomGame<P>, &mut Random) -> bool,
    mut done: impl FnMut(usize, &RandomGame<P>),
) {
    let mut random = Random::from_word(random);
    let begin =
        |(number, position)| RandomGame { position, tried: 0, moves: 0, score: 0.0, number };
    let mut next = starts.enumerate().map(begin);
    let Some(first) = next.next() else { return };
    let (mut lanes, mut count) = ([first; LANES], 1);
    for lane in &mut lanes[1..] {
        let Some(begun) = next.next() else { break };
        *lane = begun;
        count += 1;
    }
    let mut next = || next.next();
    if count == 4 {
        lanes = together::<4, P>(lanes, &mut random, &mut next, &attempt, &mut done);
        count = 3;
    }
    // The last games, in fewer and fewer lanes.
    let [a, b, c, _] = lanes;
    let mut three = [a, b, c];
    if count == 3 {
        three = together::<3, P>(three, &mut random, &mut next, &attempt, &mut done);
        count = 2;
    }
    let [a, b, _] = three;
    let mut two = [a, b];
    if count == 2 {
        two = together::<2, P>(two, &mut random, &mut next, &attempt, &mut done);
    }
    together::<1, P>([two[0]], &mut random, &mut next, &attempt, &mut done);
}

/// Plays in all lanes in turn, until a game ends and there is no next one. Returns the lanes
/// with that game in the last place.
#[inline(always)]
fn together<const N: usize, P: Copy>(
    mut lanes: [RandomGame<P>; N],
    random: &mut Random,
    next: &mut impl FnMut() -> Option<RandomGame<P>>,
    attempt: &impl Fn(&mut RandomGame<P>, &mut Random) -> bool,
    done: &mut impl FnMut(usize, &RandomGame<P>),
) -> [RandomGame<P>; N] {
    loop {
        for lane in 0..N {
            if attempt(&mut lanes[lane], random) {
                done(lanes[lane].number, &lanes[lane]);
                let Some(begun) = next() else {
                    lanes.swap(lane, N - 1);
                    return lanes;
                };
                lanes[lane] = begun;
            }
        }
    }
}
