//! The positions on which the laws are tried: a sample of seeded games.

use crate::{Effort, Law, Violation, apart, at, ensure, successors_of};
use runner_core::{Action, Agent, Game, Random, State, Successor, Turn};
use std::collections::HashSet;

/// What was met in some games.
pub struct Sample {
    /// Distinct positions.
    pub states: Vec<State>,
    /// How many games ended within the limit of moves.
    pub ended: u64,
    /// Whether all did, so that playouts can be expected to return.
    pub ends: bool,
    /// What broke the last game off, if something did.
    pub fault: Option<Violation>,
}

impl Sample {
    /// Plays, and keeps of each game its first and last positions and some of
    /// those between.
    pub fn take<G: Game>(game: &G, effort: &Effort, given: &[State]) -> Self {
        let mut seen = HashSet::new();
        let mut sample = Self { states: Vec::new(), ended: 0, ends: true, fault: None };
        let mut keep = |state| seen.insert(state).then(|| sample.states.push(state));
        given.iter().for_each(|&state| _ = keep(state));
        let share = (effort.positions as u64).div_ceil(effort.games.max(1)) as usize;
        for index in 0..effort.games {
            let mut random = Random::stream(effort.seed, index);
            let mut visited = Vec::new();
            let ended = visit(game, index, effort.moves, &mut random, &mut visited);
            pick(&visited, share, &mut random).for_each(|state| _ = keep(state));
            match ended {
                Ok(ended) => {
                    sample.ended += u64::from(ended);
                    sample.ends &= ended;
                }
                Err(violation) => {
                    sample.fault = Some(violation);
                    break;
                }
            }
        }
        sample.states.truncate(given.len() + effort.positions);
        sample
    }
}

/// Plays one game, and says whether it ended within the limit.
fn visit<G: Game>(
    game: &G,
    index: u64,
    limit: u64,
    random: &mut Random,
    visited: &mut Vec<State>,
) -> Result<bool, Violation> {
    let manner = Manner::number(index);
    let mut state = apart(Law::Spawn, || usable(game.start(random.word())))?;
    for _ in 0..limit {
        visited.push(state);
        let list = at(Law::Successors, game, state, || Ok(successors_of(game, state)))?;
        let Some(chosen) = manner.choose(&list, random.word()) else { return Ok(true) };
        let word = random.word();
        state = at(Law::Spawn, game, state, || usable(game.spawn(chosen.afterstate, word)))?;
    }
    visited.push(state);
    Ok(false)
}

/// The state, unless it is the one that no game may use.
pub fn usable(state: State) -> Result<State, String> {
    ensure(state != State::RESERVED, || "the state is the reserved one, all bits set".into())?;
    Ok(state)
}

/// About `share` of the visited positions: a quarter from the game's beginning,
/// a quarter from its end, the rest from anywhere.
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

/// How a player of no skill chooses. Several of them meet more of a game than
/// one: uniformly random play ends early.
#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// Uniformly.
    Uniform,
    /// The greatest reward, or any one time in eight.
    Rewards,
    /// The first legal action of the list, or any one time in eight.
    Order,
}

impl Manner {
    /// The manners by turns.
    pub fn number(index: u64) -> Self {
        [Manner::Uniform, Manner::Rewards, Manner::Order][(index % 3) as usize]
    }

    fn choose(self, list: &[Successor], word: u64) -> Option<Successor> {
        let mut random = Random::from_word(word);
        let any = list.get(random.below(list.len().max(1) as u32) as usize)?;
        let by_rule = match self {
            Manner::Uniform => None,
            Manner::Rewards => list.iter().max_by(|a, b| a.reward.total_cmp(&b.reward)),
            Manner::Order => list.first(),
        };
        Some(*by_rule.filter(|_| random.below(8) != 0).unwrap_or(any))
    }
}

impl Agent for Manner {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        self.choose(turn.successors, turn.random).map(|chosen| chosen.action)
    }
}
