//! The positions at which the laws are checked: a sample of seeded games.

use crate::effort::Effort;
use crate::law::{Law, Violation, check_game, check_state, ensure};
use crate::lists::successors_of;
use runner_core::{Game, Random, State, Successor};
use std::collections::HashSet;

pub struct PositionSample {
    /// Distinct positions.
    pub states: Vec<State>,
    /// Number of games that ended within the limit of moves.
    pub ended: u64,
    /// True if all games ended, so that playouts can be expected to end.
    pub ends: bool,
    /// The failure that stopped the last game, if any.
    pub failure: Option<Violation>,
}

impl PositionSample {
    /// Plays games and keeps the first and last positions of each and some of the others.
    pub fn take<G: Game>(game: &G, effort: &Effort) -> Self {
        let mut seen = HashSet::new();
        let mut sample = Self { states: Vec::new(), ended: 0, ends: true, failure: None };
        let mut keep = |state| seen.insert(state).then(|| sample.states.push(state));
        let share = (effort.positions as u64).div_ceil(effort.games.max(1)) as usize;
        for index in 0..effort.games {
            let mut random = Random::stream(effort.seed, index);
            let mut visited = Vec::new();
            let ended = play_one(game, index, effort.moves, &mut random, &mut visited);
            pick(&visited, share, &mut random).for_each(|state| _ = keep(state));
            match ended {
                Ok(ended) => {
                    sample.ended += u64::from(ended);
                    sample.ends &= ended;
                }
                Err(violation) => {
                    sample.failure = Some(violation);
                    break;
                }
            }
        }
        sample.states.truncate(effort.positions);
        sample
    }
}

/// Plays one game. Returns true if it ended within the limit.
fn play_one<G: Game>(
    game: &G,
    index: u64,
    limit: u64,
    random: &mut Random,
    visited: &mut Vec<State>,
) -> Result<bool, Violation> {
    let mut state = check_game(Law::Spawn, || not_reserved(game.start(random.word())))?;
    for _ in 0..limit {
        visited.push(state);
        let list = check_state(Law::Successors, game, state, || Ok(successors_of(game, state)))?;
        let Some(chosen) = choose(index % 3, &list, random.word()) else { return Ok(true) };
        let word = random.word();
        state = check_state(Law::Spawn, game, state, || {
            not_reserved(game.spawn(chosen.afterstate, word))
        })?;
    }
    visited.push(state);
    Ok(false)
}

/// Returns the state, or an error if it is the reserved state.
pub fn not_reserved(state: State) -> Result<State, String> {
    ensure(state != State::RESERVED, || "the state is the reserved one, all bits set".into())?;
    Ok(state)
}

/// Returns about `share` of the visited positions: a quarter from the beginning of the
/// game, a quarter from its end, the rest at random.
fn pick<'a>(
    visited: &'a [State],
    share: usize,
    random: &'a mut Random,
) -> impl Iterator<Item = State> + 'a {
    let edge = share.div_ceil(4).min(visited.len());
    let anywhere = if visited.is_empty() { 0 } else { share.saturating_sub(2 * edge) };
    let last = visited.iter().rev().take(edge);
    let ends = last.chain(visited.iter().take(edge)).copied();
    ends.chain((0..anywhere).map(|_| visited[random.below(visited.len() as u32) as usize]))
}

/// Chooses an action by one of three policies: a uniformly random action, the highest reward, or
/// the first action, the latter two with a random action in one of eight moves. Several policies
/// reach more kinds of positions than one; games of uniformly random play end early.
fn choose(policy: u64, list: &[Successor], word: u64) -> Option<Successor> {
    let mut random = Random::from_word(word);
    let any = list.get(random.below(list.len().max(1) as u32) as usize)?;
    let by_rule = match policy {
        0 => None,
        1 => list.iter().max_by(|a, b| a.reward.total_cmp(&b.reward)),
        _ => list.first(),
    };
    Some(*by_rule.filter(|_| random.below(8) != 0).unwrap_or(any))
}
