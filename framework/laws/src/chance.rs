//! Law 1, chance as a distribution, and law 2, draws from it.

use crate::effort::{CheckSummary, Effort};
use crate::goodness_of_fit::{FALSE_ALARM_RATE, log_bound, log_bound_of_sum};
use crate::law::{Law, Violation, check_game, check_state, ensure};
use crate::lists::{
    ROUNDING, close, outcomes_of, same_distribution, sorted, successors_of, written,
};
use crate::positions::{PositionSample, not_reserved};
use runner_core::{Afterstate, Game, Outcome, Outcomes, Random, State, catch};
use std::collections::HashSet;

/// Number of afterstates whose draws are counted. More would leave too few draws for each.
const COUNTED: usize = 64;

/// Random words at which a draw by thresholds is most likely to be wrong.
const EDGES: [u64; 6] =
    [0, u64::MAX, u32::MAX as u64, (u32::MAX as u64) << 32, 1 << 63, u64::MAX >> 1];

/// Checks laws 1 and 2 at every afterstate of the positions.
pub fn check<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &PositionSample,
    summary: &mut CheckSummary,
) -> Result<(), Violation> {
    let afterstates = afterstates(game, effort, sample)?;
    summary.afterstates = afterstates.len() as u64;
    for &(state, afterstate) in &afterstates {
        check_state(Law::Outcomes, game, state, || {
            is_distribution(game, afterstate)
                .map_err(|what| format!("after {}, {what}", written(game, afterstate)))
        })?;
    }
    let starts = check_game(Law::Outcomes, || {
        let starts = game.starts().map(sorted);
        if let Some(starts) = &starts {
            valid_distribution(starts).map_err(|what| format!("starts: {what}"))?;
        }
        Ok(starts)
    })?;

    let mut random = Random::stream(effort.seed, u64::MAX - 1);
    for &(state, afterstate) in &afterstates {
        check_state(Law::Spawn, game, state, || {
            let outcomes = outcomes_of(game, afterstate);
            for word in EDGES.into_iter().chain((0..8).map(|_| random.word())) {
                draw_spawn(game, afterstate, &outcomes, word)?;
            }
            Ok(())
        })?;
    }
    let counted = afterstates.len().min(COUNTED);
    let each = effort.words * 3 / 4 / counted.max(1) as u64;
    // One test per afterstate, two for the sums over all, three for the starts.
    let alarm = (FALSE_ALARM_RATE / (counted + 5) as f64).ln();
    let mut pools = PooledCounts::both();
    for i in 0..counted {
        let (state, afterstate) = afterstates[i * afterstates.len() / counted];
        check_state(Law::Spawn, game, state, || {
            let outcomes = outcomes_of(game, afterstate);
            let spawn = |word| draw_spawn(game, afterstate, &outcomes, word);
            let counts = count(&outcomes, each, &mut random, spawn)?;
            PooledCounts::add(&mut pools, &outcomes, &counts);
            counts_fit(&outcomes, &counts, alarm, |state| game.write(state))
                .map_err(|what| format!("after {}, {what}", written(game, afterstate)))
        })?;
    }
    check_game(Law::Spawn, || {
        let fits = pools.iter().try_for_each(|pool| pool.fits(alarm));
        fits.map_err(|what| format!("`spawn` over all afterstates: {what}"))
    })?;
    summary.words = each * counted as u64;
    summary.words += check_starts(game, effort, starts.as_deref(), &mut random, alarm)?;
    Ok(())
}

/// Returns the afterstates of the positions, each with a position that leads to it.
fn afterstates<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &PositionSample,
) -> Result<Vec<(State, Afterstate)>, Violation> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for &state in &sample.states {
        let list = check_state(Law::Successors, game, state, || Ok(successors_of(game, state)))?;
        let new = list.iter().map(|s| s.afterstate).filter(|&a| seen.insert(a));
        all.extend(new.map(|a| (state, a)));
    }
    // A game with many actions has many afterstates; an even selection is sufficient.
    let most = 4 * effort.positions.max(1);
    let kept = all.len().min(most);
    Ok((0..kept).map(|i| all[i * all.len() / kept]).collect())
}

/// Checks law 1 for one afterstate.
fn is_distribution<G: Game>(game: &G, afterstate: Afterstate) -> Result<(), String> {
    let mut list = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(afterstate, &mut list);
    let first = list.to_vec();
    valid_distribution(&sorted(first.clone()))?;
    // A list that is not cleared may also overflow.
    let again = catch(|| game.outcomes(afterstate, &mut list));
    ensure(again.is_ok() && list[..] == first[..], || {
        "a second call with the same buffer gives another list: `outcomes` must clear the buffer \
         and depend on the afterstate alone"
            .into()
    })
}

/// Checks that sorted outcomes are a probability distribution.
fn valid_distribution(outcomes: &[Outcome]) -> Result<(), String> {
    ensure(!outcomes.is_empty(), || "there are no outcomes".into())?;
    for &Outcome { state, probability } in outcomes {
        not_reserved(state)?;
        ensure(probability > 0.0 && probability.is_finite(), || {
            format!("the probability of {state:?} is {probability}, not a positive finite number")
        })?;
    }
    let twice = outcomes.windows(2).find(|pair| pair[0].state == pair[1].state);
    ensure(twice.is_none(), || format!("{:?} is listed twice", twice.map(|pair| pair[0].state)))?;
    let sum: f64 = outcomes.iter().map(|o| o.probability).sum();
    ensure((sum - 1.0).abs() <= ROUNDING, || format!("the probabilities sum to {sum}, not 1"))
}

/// Returns the index of the drawn outcome. The draw is repeated, to check that it is
/// deterministic.
fn draw(outcomes: &[Outcome], once: impl Fn() -> State) -> Result<usize, String> {
    let (state, again) = (not_reserved(once())?, once());
    ensure(state == again, || format!("gives {state:?}, then {again:?}"))?;
    outcomes
        .binary_search_by_key(&state.bits(), |o| o.state.bits())
        .map_err(|_| format!("gives {state:?}, which is not among the outcomes"))
}

fn draw_spawn<G: Game>(
    game: &G,
    afterstate: Afterstate,
    outcomes: &[Outcome],
    word: u64,
) -> Result<usize, String> {
    draw(outcomes, || game.spawn(afterstate, word)).map_err(|what| {
        format!("`spawn` after {} with the word {word:#x} {what}", written(game, afterstate))
    })
}

fn count(
    outcomes: &[Outcome],
    n: u64,
    random: &mut Random,
    draw: impl Fn(u64) -> Result<usize, String>,
) -> Result<Vec<u64>, String> {
    let mut counts = vec![0; outcomes.len()];
    for _ in 0..n {
        counts[draw(random.word())?] += 1;
    }
    Ok(counts)
}

/// Checks that the counts fit the probabilities. The error names the outcome that deviates
/// most.
fn counts_fit(
    outcomes: &[Outcome],
    counts: &[u64],
    alarm: f64,
    write: impl Fn(State) -> String,
) -> Result<(), String> {
    let probabilities: Vec<f64> = outcomes.iter().map(|o| o.probability).collect();
    if log_bound(counts, &probabilities) >= alarm {
        return Ok(());
    }
    let n: u64 = counts.iter().sum();
    let deviation = |i: usize| {
        let expected = n as f64 * probabilities[i];
        (counts[i] as f64 - expected).abs() / expected.sqrt()
    };
    let worst =
        (0..counts.len()).max_by(|&a, &b| deviation(a).total_cmp(&deviation(b))).unwrap_or(0);
    Err(format!(
        "`{}` has probability {}, but was drawn {} times in {n} draws",
        write(outcomes[worst].state),
        probabilities[worst],
        counts[worst],
    ))
}

/// Counts of a class of outcomes, summed over many afterstates. A small bias that all
/// afterstates share, for instance towards the rarer tile or the first cell, is significant
/// in the sum before it is in any of them.
struct PooledCounts {
    class: &'static str,
    drawn: u64,
    expected: f64,
    draws: u64,
}

impl PooledCounts {
    /// Returns empty counts of two classes: outcomes rarer than the average, and the first
    /// half of the outcomes in the order of their bits.
    fn both() -> [Self; 2] {
        let names = ["outcomes rarer than the average", "lower half of the outcomes"];
        names.map(|class| Self { class, drawn: 0, expected: 0.0, draws: 0 })
    }

    fn add(pools: &mut [Self; 2], outcomes: &[Outcome], counts: &[u64]) {
        let n: u64 = counts.iter().sum();
        let average = (1.0 - ROUNDING) / outcomes.len() as f64;
        for (i, (outcome, count)) in outcomes.iter().zip(counts).enumerate() {
            let within = [outcome.probability < average, i < outcomes.len() / 2];
            for (pool, _) in pools.iter_mut().zip(within).filter(|(_, within)| *within) {
                pool.drawn += count;
                pool.expected += n as f64 * outcome.probability;
            }
        }
        pools.iter_mut().for_each(|pool| pool.draws += n);
    }

    fn fits(&self, alarm: f64) -> Result<(), String> {
        let Self { class, drawn, expected, draws } = *self;
        // A class without outcomes has an expected count of 0.
        let fits = expected == 0.0 || log_bound_of_sum(drawn, expected, draws) >= alarm;
        ensure(fits, || {
            format!(
                "the {class} were drawn {drawn} times in {draws} draws instead of about \
                 {expected:.0} times"
            )
        })
    }
}

/// Checks law 2 for the start. Returns the number of words used.
fn check_starts<G: Game>(
    game: &G,
    effort: &Effort,
    starts: Option<&[Outcome]>,
    random: &mut Random,
    alarm: f64,
) -> Result<u64, Violation> {
    check_game(Law::Spawn, || {
        let Some(starts) = starts else {
            for word in EDGES {
                let (state, again) = (not_reserved(game.start(word))?, game.start(word));
                ensure(state == again, || {
                    format!("`start` with the word {word:#x} gives {state:?}, then {again:?}")
                })?;
            }
            return Ok(EDGES.len() as u64);
        };
        let start = |word| {
            draw(starts, || game.start(word))
                .map_err(|what| format!("`start` with the word {word:#x} {what}"))
        };
        for word in EDGES {
            start(word)?;
        }
        let n = effort.words / 4;
        let counts = count(starts, n, random, start)?;
        let mut pools = PooledCounts::both();
        PooledCounts::add(&mut pools, starts, &counts);
        counts_fit(starts, &counts, alarm, |state| game.write(state))
            .and_then(|()| pools.iter().try_for_each(|pool| pool.fits(alarm)))
            .map_err(|what| format!("starts: {what}"))?;
        Ok(n)
    })
}

/// Compares the outcomes of two games for these afterstates.
pub fn same_outcomes<G: Game, R: Game>(
    game: &G,
    reference: &R,
    afterstates: &[Afterstate],
) -> Result<(), String> {
    for &afterstate in afterstates {
        let (ours, theirs) = (outcomes_of(game, afterstate), outcomes_of(reference, afterstate));
        ensure(same_distribution(&ours, &theirs), || {
            let after = written(game, afterstate);
            format!("after {after}, the outcomes are {ours:?}, those of the reference {theirs:?}")
        })?;
        for outcome in &ours {
            let ours = f64::from(game.chance_reward(Some(afterstate), outcome.state));
            let theirs = f64::from(reference.chance_reward(Some(afterstate), outcome.state));
            ensure(close(ours, theirs, 1e-6), || {
                let (after, next) = (written(game, afterstate), game.write(outcome.state));
                format!(
                    "the chance reward from {after} to `{next}` is {ours}, by the reference {theirs}"
                )
            })?;
        }
    }
    Ok(())
}
