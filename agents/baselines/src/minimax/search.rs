//! The recursion: alpha-beta over the player's actions and the chance outcomes, which a
//! minimizing opponent chooses. Both are ordered by static evaluation.

use runner_core::{
    Afterstate, Game, Outcomes, Successor, Successors, Value, ValueScale, order_by_value,
};

pub struct Level {
    outcomes: Box<Outcomes>,
    buffer: Successors,
    successors: Vec<Successor>,
    afterstates: Vec<Afterstate>,
    estimates: Vec<f32>,
    replies: Vec<Reply>,
}

/// A chance outcome, as a reply of the opponent.
#[derive(Clone, Copy)]
struct Reply {
    /// The range of its successors in the level's list.
    start: usize,
    end: usize,
    /// The weighted reward of the outcome.
    chance_reward: f32,
    /// The value of the outcome at a depth of one ply.
    estimate: f32,
}

impl Level {
    /// Buffers for a game with at most this many outcomes.
    pub fn new(max_outcomes: usize) -> Self {
        Self {
            outcomes: Outcomes::with_capacity(max_outcomes),
            buffer: Successors::new(),
            successors: Vec::new(),
            afterstates: Vec::new(),
            estimates: Vec::new(),
            replies: Vec::new(),
        }
    }
}

pub struct AlphaBeta<'a, G, V> {
    game: &'a G,
    value: &'a V,
    /// Number of outcomes that are searched below each afterstate.
    max_replies: usize,
    scale: ValueScale,
    chance_rewards: bool,
}

impl<'a, G: Game, V: Value> AlphaBeta<'a, G, V> {
    /// A search of at most `max_replies` outcomes below each afterstate: those with the
    /// lowest static values.
    pub fn new(game: &'a G, value: &'a V, max_replies: usize) -> Self {
        let chance_rewards = game.has_chance_rewards();
        Self { game, value, max_replies, scale: value.scale(), chance_rewards }
    }

    /// Returns the reward of an action, weighted for the value's scale.
    pub fn reward(&self, successor: &Successor) -> f32 {
        self.scale.reward_weight() * successor.reward
    }

    /// Returns the value of an afterstate at this depth if the opponent chooses the outcome.
    /// It is exact between `alpha` and `beta`, an upper bound if it is at most `alpha`, and a
    /// lower bound if it is at least `beta`.
    pub fn min_node(
        &self,
        levels: &mut [Level],
        from: Afterstate,
        plies: u8,
        alpha: f32,
        mut beta: f32,
    ) -> f32 {
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.list_replies(level, from);
        if plies == 1 {
            return level.replies.iter().map(|reply| reply.estimate).fold(f32::INFINITY, f32::min);
        }
        level.replies.sort_by(|a, b| a.estimate.total_cmp(&b.estimate));
        let mut worst = f32::INFINITY;
        for reply in level.replies.iter().take(self.max_replies) {
            let &Reply { start, end, chance_reward, estimate } = reply;
            let value = if start == end {
                estimate
            } else {
                let (successors, estimates) =
                    (&level.successors[start..end], &level.estimates[start..end]);
                let (alpha, beta) = (alpha - chance_reward, beta - chance_reward);
                chance_reward + self.max_node(deeper, successors, estimates, plies - 1, alpha, beta)
            };
            worst = worst.min(value);
            beta = beta.min(value);
            if beta <= alpha {
                break;
            }
        }
        worst
    }

    /// Returns the value of the best successor, with the bounds of
    /// [`min_node`](Search::min_node). `estimates` orders the moves.
    fn max_node(
        &self,
        levels: &mut [Level],
        successors: &[Successor],
        estimates: &[f32],
        plies: u8,
        mut alpha: f32,
        beta: f32,
    ) -> f32 {
        let estimate = |k: usize| self.reward(&successors[k]) + estimates[k];
        let mut best = f32::NEG_INFINITY;
        for k in order_by_value(successors.len(), &estimate) {
            let reward = self.reward(&successors[k]);
            let (low, high) = (alpha - reward, beta - reward);
            let value = reward + self.min_node(levels, successors[k].afterstate, plies, low, high);
            best = best.max(value);
            alpha = alpha.max(value);
            if beta <= alpha {
                break;
            }
        }
        best
    }

    /// Lists the chance outcomes of an afterstate with their values at a depth of one ply.
    fn list_replies(&self, level: &mut Level, from: Afterstate) {
        self.game.outcomes(from, &mut level.outcomes);
        level.successors.clear();
        level.replies.clear();
        let reward_weight = self.scale.reward_weight();
        for outcome in level.outcomes.iter() {
            self.game.successors(outcome.state, &mut level.buffer);
            let chance_reward = if self.chance_rewards {
                reward_weight * self.game.chance_reward(Some(from), outcome.state)
            } else {
                0.0
            };
            let start = level.successors.len();
            level.successors.extend(level.buffer.iter().copied());
            let end = level.successors.len();
            level.replies.push(Reply { start, end, chance_reward, estimate: 0.0 });
        }
        level.afterstates.clear();
        level.afterstates.extend(level.successors.iter().map(|s| s.afterstate));
        level.estimates.resize(level.afterstates.len(), 0.0);
        self.value.evaluate(&level.afterstates, &mut level.estimates);
        for reply in &mut level.replies {
            let range = reply.start..reply.end;
            let values = level.successors[range.clone()].iter().zip(&level.estimates[range]);
            let best = values.map(|(s, estimate)| self.reward(s) + estimate).reduce(f32::max);
            reply.estimate = reply.chance_reward + best.unwrap_or(self.scale.terminal_value());
        }
    }
}
