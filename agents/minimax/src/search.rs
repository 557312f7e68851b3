//! The search: alpha-beta, the opponent's answers in the order of how bad they look.

use runner_core::{
    Afterstate, Game, Outcomes, Successor, Successors, Value, ValueScale, order_by_value,
};

/// What one level of the search works on.
pub struct Level {
    outcomes: Outcomes,
    buffer: Successors,
    /// All that can be done after all outcomes.
    successors: Vec<Successor>,
    afterstates: Vec<Afterstate>,
    worths: Vec<f32>,
    answers: Vec<Answer>,
}

/// One of the things that chance can do.
#[derive(Clone, Copy)]
struct Answer {
    /// Where what can be done then begins and ends in the list.
    start: usize,
    end: usize,
    /// What chance gave.
    given: f32,
    /// What it is worth by the value of the next afterstates.
    worth: f32,
}

impl Level {
    pub fn new(outcomes: usize) -> Self {
        Self {
            outcomes: Outcomes::with_capacity(outcomes),
            buffer: Successors::new(),
            successors: Vec::new(),
            afterstates: Vec::new(),
            worths: Vec::new(),
            answers: Vec::new(),
        }
    }
}

/// A search.
pub struct Search<'a, G, V> {
    game: &'a G,
    value: &'a V,
    /// So many answers are looked into.
    most: usize,
    scale: ValueScale,
    chance_rewards: bool,
}

impl<'a, G: Game, V: Value> Search<'a, G, V> {
    pub fn new(game: &'a G, value: &'a V, most: usize) -> Self {
        let chance_rewards = game.has_chance_rewards();
        Self { game, value, most, scale: value.scale(), chance_rewards }
    }

    /// What an action earned, as far as that counts.
    pub fn earned(&self, successor: &Successor) -> f32 {
        self.scale.reward_weight() * successor.reward
    }

    /// What a position is worth, so many plies deep, if chance does its worst: exactly
    /// if that is between `alpha` and `beta`; else no more than `alpha`, or no less
    /// than `beta`, is said.
    pub fn worst(
        &self,
        levels: &mut [Level],
        from: Afterstate,
        plies: u8,
        alpha: f32,
        mut beta: f32,
    ) -> f32 {
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.list_answers(level, from);
        let worst = level.answers.iter().map(|answer| answer.worth).fold(f32::INFINITY, f32::min);
        if plies == 1 {
            return worst;
        }
        level.answers.sort_by(|a, b| a.worth.total_cmp(&b.worth));
        let mut worst = f32::INFINITY;
        for &Answer { start, end, given, worth } in level.answers.iter().take(self.most) {
            let all = start..end;
            let found = match all.is_empty() {
                true => worth,
                false => {
                    let part = &mut level.successors[all.clone()];
                    let estimates = &level.worths[all];
                    given
                        + self.best(deeper, part, estimates, plies - 1, alpha - given, beta - given)
                }
            };
            worst = worst.min(found);
            beta = beta.min(found);
            if beta <= alpha {
                break;
            }
        }
        worst
    }

    /// What the best of these is worth, so many plies behind it, between the bounds as
    /// [`worst`](Search::worst) says.
    fn best(
        &self,
        levels: &mut [Level],
        successors: &[Successor],
        estimates: &[f32],
        plies: u8,
        mut alpha: f32,
        beta: f32,
    ) -> f32 {
        let looks = |k: usize| self.earned(&successors[k]) + estimates[k];
        let mut best = f32::NEG_INFINITY;
        for k in order_by_value(successors.len(), &looks) {
            let successor = &successors[k];
            let earned = self.earned(successor);
            let from = successor.afterstate;
            let found = earned + self.worst(levels, from, plies, alpha - earned, beta - earned);
            best = best.max(found);
            alpha = alpha.max(found);
            if beta <= alpha {
                break;
            }
        }
        best
    }

    /// Lists what chance can do, and what that is worth one ply deep.
    fn list_answers(&self, level: &mut Level, from: Afterstate) {
        self.game.outcomes(from, &mut level.outcomes);
        level.successors.clear();
        level.answers.clear();
        let rewards = self.scale.reward_weight();
        for outcome in level.outcomes.iter() {
            self.game.successors(outcome.state, &mut level.buffer);
            let given = match self.chance_rewards {
                true => rewards * self.game.chance_reward(Some(from), outcome.state),
                false => 0.0,
            };
            let start = level.successors.len();
            level.successors.extend(level.buffer.iter().copied());
            let end = level.successors.len();
            level.answers.push(Answer { start, end, given, worth: 0.0 });
        }
        level.afterstates.clear();
        level.afterstates.extend(level.successors.iter().map(|s| s.afterstate));
        level.worths.resize(level.afterstates.len(), 0.0);
        self.value.evaluate(&level.afterstates, &mut level.worths);
        for answer in &mut level.answers {
            let all = answer.start..answer.end;
            let ways = level.successors[all.clone()].iter().zip(&level.worths[all]);
            let best = ways.map(|(s, worth)| self.earned(s) + worth).reduce(f32::max);
            answer.worth = answer.given + best.unwrap_or(self.scale.terminal_value());
        }
    }
}
