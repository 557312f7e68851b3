//! Everything that is unsafe, in so few moves that Miri can go through it.

#[allow(dead_code)] // Other tests use what this one does not.
mod pupil;

use agent_ntuple::credit::{Backward, Credit, Delayed, Forward, MeanReturn, NStep};
use agent_ntuple::rule::{Accumulate, Autostep, Rule, Tc, TcWide, Td};
use agent_ntuple::schedule::Schedule;
use game_2048::{Config, Game2048};
use pupil::{Pupil, SEED, Threads, episodes, moves};
use runner_core::{Control, TrainingBudget, TrainingProgress, TrainingSession};

/// Trains on two threads: some moves, and then some games to their end.
fn learns<R: Rule>(game: &Game2048, rule: impl Fn(usize) -> R, credits: &[&dyn Credit<R>]) {
    for credit in credits {
        let mut pupil = Pupil::new(game, "01 0!", &rule);
        let report = |_: &TrainingProgress| Control::Continue;
        let (host, plan) = (Threads(2), TrainingBudget::default());
        for budget in [moves(8), episodes(2)] {
            let session = TrainingSession {
                budget,
                plan,
                seed: SEED,
                ..TrainingSession::new(&host, &report)
            };
            pupil.attend(game, *credit, &session).unwrap();
        }
        assert_eq!(pupil.life.progress().episodes, 2);
        assert!(pupil.weights.iter().any(|weight| weight.get() != 0.0));
    }
}

#[test]
fn every_rule_learns_and_every_way_of_learning() {
    let game = Game2048::new(Config { rows: 2, cols: 2, ..Config::default() }).unwrap();
    let forward = Forward { lambda: 0.5, horizon: 3 };
    let delayed = Delayed { lambda: 0.5, horizon: 3 };
    let td = |lookups| Td::new(Schedule::Constant(0.1), lookups);
    learns(&game, td, &[&forward, &delayed, &NStep { steps: 2 }, &MeanReturn, &Backward]);
    learns(
        &game,
        |lookups| Tc::new(Schedule::Constant(1.0), Accumulate::Error, None, lookups),
        &[&forward],
    );
    learns(
        &game,
        |lookups| TcWide::new(Schedule::Constant(1.0), Accumulate::Error, lookups),
        &[&forward],
    );
    learns(&game, |lookups| Autostep::new(0.1, 0.0001, 1.0, lookups), &[&forward]);
}
