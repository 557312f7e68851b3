//! How much of a score its luck explains: the coefficient of a control variate.
//!
//! Luck has the mean 0, so a score less c times its luck has the mean of the score for every c
//! that does not depend on this game. Its variance is least for c = cov(score, luck) / var(luck),
//! which other games of the player estimate (S. Lavenberg and P. Welch, "A perspective on the use
//! of control variables to increase the efficiency of Monte Carlo simulations", 1981).

/// The regression of scores on their luck, over games that arrive one by one.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Regression {
    games: f64,
    mean_score: f64,
    mean_luck: f64,
    /// Sum of the products of both deviations from the means.
    products: f64,
    /// Sum of the squared deviations of luck from its mean.
    squares: f64,
}

/// Fewer games have no coefficient: that of two explains all.
const FEWEST: f64 = 8.0;

/// A smaller share of the squares is rounding.
const ROUNDING: f64 = 1e-9;

impl Regression {
    pub fn push(&mut self, score: f64, luck: f64) {
        self.games += 1.0;
        let before = luck - self.mean_luck;
        self.mean_score += (score - self.mean_score) / self.games;
        self.mean_luck += before / self.games;
        self.products += before * (score - self.mean_score);
        self.squares += before * (luck - self.mean_luck);
    }

    /// Returns the points that a point of luck is worth to this player; 0 for few games, or if all
    /// have the same luck.
    pub fn coefficient(&self) -> f64 {
        if self.games < FEWEST || self.squares <= 0.0 {
            return 0.0;
        }
        self.products / self.squares
    }

    /// Returns the coefficient that the other games estimate, without this one of them.
    pub fn coefficient_without(&self, score: f64, luck: f64) -> f64 {
        let (score, luck) = (score - self.mean_score, luck - self.mean_luck);
        let share = self.games / (self.games - 1.0);
        let squares = self.squares - share * luck * luck;
        if self.games <= FEWEST || squares <= ROUNDING * self.squares {
            return 0.0;
        }
        (self.products - share * score * luck) / squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::normal;
    use runner_core::Random;

    fn of(games: &[(f64, f64)]) -> Regression {
        let mut regression = Regression::default();
        games.iter().for_each(|&(score, luck)| regression.push(score, luck));
        regression
    }

    #[test]
    fn coefficient_is_that_of_least_squares() {
        let mut random = Random::from_word(3);
        let game = |_| {
            let luck = 50.0 * normal(&mut random) + 7.0;
            (9000.0 + 0.25 * luck + normal(&mut random), luck)
        };
        let games: Vec<_> = (0..200).map(game).collect();
        let whole = of(&games);
        assert!((whole.coefficient() - 0.25).abs() < 0.01, "{whole:?}");
        for number in [0, 1, 77, 199] {
            let others = [&games[..number], &games[number + 1..]].concat();
            let (score, luck) = games[number];
            let without = whole.coefficient_without(score, luck);
            assert!((without - of(&others).coefficient()).abs() < 1e-9, "{number}: {without}");
        }
    }

    #[test]
    fn few_games_and_equal_luck_have_no_coefficient() {
        let games: Vec<_> = (0..8).map(|k| (f64::from(k), f64::from(k * k))).collect();
        assert_eq!(of(&games[..7]).coefficient(), 0.0);
        assert!(of(&games).coefficient() > 0.0);
        assert_eq!(of(&games).coefficient_without(7.0, 49.0), 0.0);
        assert_eq!(of(&[(5.0, 3.0); 20]).coefficient(), 0.0);
        // The luck of one game differs: the others say nothing of it.
        let one = [&[(5.0, 0.1); 19][..], &[(6.0, 2.3)]].concat();
        assert_eq!(of(&one).coefficient_without(6.0, 2.3), 0.0);
    }
}
