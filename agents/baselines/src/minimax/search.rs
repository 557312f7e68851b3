//! The recursion: alpha-beta over the player's actions and the chance outcomes, which a
//! minimizing opponent chooses. Both are ordered by static evaluation.

use runner_core::{
    Afterstate, Game, MAX_ACTIONS, Outcomes, State, Successor, Successors, Value, ValueScale,
    afterstate_action_values, order_by_value,
};

pub struct Level {
    outcomes: Box<Outcomes>,
    buffer: Successors,
    successors: Vec<Successor>,
    afterstates: Vec<Afterstate>,
    estimates: Vec<f32>,
    replies: Vec<Reply>,
    /// The chance outcome with the lowest value of the last search at this level.
    worst: Option<State>,
}

/// A chance outcome, as a reply of the opponent.
#[derive(Clone, Copy)]
struct Reply {
    /// The range of its successors in the level's list.
    start: usize,
    end: usize,
    state: State,
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
            worst: None,
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
    fn reward(&self, successor: &Successor) -> f32 {
        self.scale.reward_weight() * successor.reward
    }

    /// Replaces `values` by the values of the successors at this depth and returns the index of
    /// the best one. The value of the best one is exact, and those of the others are upper bounds.
    pub fn search_root(
        &self,
        levels: &mut [Level],
        successors: &Successors,
        plies: u8,
        values: &mut [f32],
    ) -> Option<usize> {
        afterstate_action_values(self.value, successors, values);
        // The action with the best static value first: alpha is then high from the start.
        let mut order = order_by_value(values.len(), &|k| values[k]);
        if plies == 1 {
            return order.next();
        }
        let (mut alpha, mut best) = (f32::NEG_INFINITY, None);
        for k in order {
            let reward = self.reward(&successors[k]);
            let (low, high) = (alpha - reward, f32::INFINITY);
            values[k] =
                reward + self.min_node(levels, successors[k].afterstate, plies - 1, low, high);
            // A value that equals alpha is an upper bound, not a better action.
            if best.is_none() || values[k] > alpha {
                (alpha, best) = (values[k], Some(k));
            }
        }
        best
    }

    /// Returns the line of a search to this depth: the best moves after the first one, and the
    /// worst chance outcome after each.
    pub fn line(&self, levels: &mut [Level], first: Successor, plies: u8) -> String {
        let description = self.game.description();
        let (mut made, mut steps) = (first, Vec::new());
        let mut successors = Successors::new();
        for rest in (1..plies).rev() {
            self.min_node(levels, made.afterstate, rest, f32::NEG_INFINITY, f32::INFINITY);
            let Some(state) = levels[0].worst else { break };
            steps.push(description.step(made.action, Some((made.afterstate, state))));
            self.game.successors(state, &mut successors);
            let values = &mut [0.0; MAX_ACTIONS][..successors.len()];
            let Some(best) = self.search_root(levels, &successors, rest, values) else {
                return steps.join("; ");
            };
            made = successors[best];
        }
        steps.push(description.step(made.action, None));
        steps.join("; ")
    }

    /// Returns the value of an afterstate at this depth if the opponent chooses the outcome.
    /// It is exact between `alpha` and `beta`, an upper bound if it is at most `alpha`, and a
    /// lower bound if it is at least `beta`.
    fn min_node(
        &self,
        levels: &mut [Level],
        from: Afterstate,
        plies: u8,
        alpha: f32,
        mut beta: f32,
    ) -> f32 {
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.list_replies(level, from);
        level.worst = None;
        let mut worst = f32::INFINITY;
        if plies == 1 {
            for reply in &level.replies {
                if reply.estimate < worst {
                    (worst, level.worst) = (reply.estimate, Some(reply.state));
                }
            }
            return worst;
        }
        level.replies.sort_by(|a, b| a.estimate.total_cmp(&b.estimate));
        for reply in level.replies.iter().take(self.max_replies) {
            let &Reply { start, end, state, chance_reward, estimate } = reply;
            let value = if start == end {
                estimate
            } else {
                let (successors, estimates) =
                    (&level.successors[start..end], &level.estimates[start..end]);
                let (alpha, beta) = (alpha - chance_reward, beta - chance_reward);
                chance_reward + self.max_node(deeper, successors, estimates, plies - 1, alpha, beta)
            };
            if value < worst {
                (worst, level.worst) = (value, Some(state));
            }
            beta = beta.min(value);
            if beta <= alpha {
                break;
            }
        }
        worst
    }

    /// Returns the value of the best successor, with the bounds of
    /// [`min_node`](Self::min_node). `estimates` orders the moves.
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
            let state = outcome.state;
            level.replies.push(Reply { start, end, state, chance_reward, estimate: 0.0 });
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
