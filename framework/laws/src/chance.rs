//! Law 1, chance as a distribution, and law 2, chance as a draw.

use crate::goodness::{FALSE_ALARMS, log_bound, log_bound_of_sum};
use crate::positions::{Sample, usable};
use crate::{
    Effort, Law, Summary, Violation, apart, at, close, ensure, outcomes_of, sorted, successors_of,
    told,
};
use runner_core::{Afterstate, Game, Outcome, Outcomes, Random, State, catch};
use std::collections::HashSet;

/// Callers allocate a buffer of the declared bound for every search: one beyond
/// this is taken for a mistake.
const MOST_OUTCOMES: usize = 1 << 20;

/// How far a sum of probabilities may be from 1: rounding, and no more.
const ROUNDING: f64 = 1e-9;

/// On how many afterstates draws are counted: few enough that each gets enough.
const COUNTED: usize = 64;

/// Words at which a draw by thresholds goes wrong first.
const EDGES: [u64; 6] =
    [0, u64::MAX, u32::MAX as u64, (u32::MAX as u64) << 32, 1 << 63, u64::MAX >> 1];

/// The bound on outcomes in the description.
pub fn check_description<G: Game>(game: &G) -> Result<(), Violation> {
    apart(Law::Outcomes, || {
        let bound = game.description().max_outcomes;
        ensure((1..=MOST_OUTCOMES).contains(&bound), || {
            format!("max_outcomes is {bound}; 1 to {MOST_OUTCOMES} are possible")
        })
    })
}

/// Laws 1 and 2, on every afterstate that the positions lead to.
pub fn check<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &Sample,
    summary: &mut Summary,
) -> Result<(), Violation> {
    let afterstates = afterstates(game, effort, sample)?;
    summary.afterstates = afterstates.len() as u64;
    for &(state, afterstate) in &afterstates {
        at(Law::Outcomes, game, state, || {
            distribution(game, afterstate)
                .map_err(|what| format!("after {}, {what}", told(game, afterstate)))
        })?;
    }
    let starts = apart(Law::Outcomes, || {
        let starts = game.starts().map(sorted);
        starts.as_deref().map_or(Ok(()), proper).map_err(|what| format!("starts: {what}"))?;
        Ok(starts)
    })?;

    let mut random = Random::stream(effort.seed, u64::MAX - 1);
    for &(state, afterstate) in &afterstates {
        at(Law::Spawn, game, state, || {
            let outcomes = outcomes_of(game, afterstate);
            let words = EDGES.into_iter().chain((0..8).map(|_| random.word()));
            words.into_iter().try_for_each(|word| {
                let drawn = draw(&outcomes, || game.spawn(afterstate, word));
                drawn.map_err(|what| spawned(game, afterstate, word, &what)).map(drop)
            })
        })?;
    }
    let counted = afterstates.len().min(COUNTED);
    let each = effort.words * 3 / 4 / counted.max(1) as u64;
    // One test for each, two for sums over all, three for the starts.
    let alarm = (FALSE_ALARMS / (counted + 5) as f64).ln();
    let mut pools = Pool::both();
    for i in 0..counted {
        let (state, afterstate) = afterstates[i * afterstates.len() / counted];
        at(Law::Spawn, game, state, || {
            let outcomes = outcomes_of(game, afterstate);
            let counts = count(&outcomes, each, &mut random, |word| {
                draw(&outcomes, || game.spawn(afterstate, word))
                    .map_err(|what| spawned(game, afterstate, word, &what))
            })?;
            Pool::add(&mut pools, &outcomes, &counts);
            fair(&outcomes, &counts, alarm, |state| game.write(state))
                .map_err(|what| format!("after {}, {what}", told(game, afterstate)))
        })?;
    }
    apart(Law::Spawn, || {
        let fair = pools.iter().try_for_each(|pool| pool.fair(alarm));
        fair.map_err(|what| format!("`spawn` over all: {what}"))
    })?;
    summary.words = each * counted as u64;
    summary.words += starting(game, effort, starts.as_deref(), &mut random, alarm)?;
    Ok(())
}

/// The afterstates of the positions, each with a position that leads to it.
fn afterstates<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &Sample,
) -> Result<Vec<(State, Afterstate)>, Violation> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for &state in &sample.states {
        let list = at(Law::Successors, game, state, || Ok(successors_of(game, state)))?;
        let new = list.iter().map(|s| s.afterstate).filter(|&a| seen.insert(a));
        all.extend(new.map(|a| (state, a)));
    }
    // A game of many actions has many; an even choice of them will do.
    let most = 4 * effort.positions.max(1);
    let kept = all.len().min(most);
    Ok((0..kept).map(|i| all[i * all.len() / kept]).collect())
}

/// Law 1 of one afterstate.
fn distribution<G: Game>(game: &G, afterstate: Afterstate) -> Result<(), String> {
    let mut list = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(afterstate, &mut list);
    let first = list.to_vec();
    proper(&sorted(first.clone()))?;
    // A list that is not cleared first may overflow, which is the same mistake.
    let again = catch(|| game.outcomes(afterstate, &mut list));
    ensure(again.is_ok() && list[..] == first[..], || {
        "asked again, with the first answer in the buffer, it answers differently: it must \
         clear the buffer and depend on the afterstate alone"
            .into()
    })
}

/// Whether outcomes, in the order of their states, are a distribution.
fn proper(outcomes: &[Outcome]) -> Result<(), String> {
    ensure(!outcomes.is_empty(), || "there are no outcomes".into())?;
    for &Outcome { state, probability } in outcomes {
        usable(state)?;
        ensure(probability > 0.0 && probability.is_finite(), || {
            format!("{state:?} has the probability {probability}, which must be above 0")
        })?;
    }
    let twice = outcomes.windows(2).find(|pair| pair[0].state == pair[1].state);
    ensure(twice.is_none(), || {
        format!("{:?} is among the outcomes twice", twice.map(|pair| pair[0].state))
    })?;
    let sum: f64 = outcomes.iter().map(|o| o.probability).sum();
    ensure((sum - 1.0).abs() <= ROUNDING, || format!("the probabilities sum to {sum}, not 1"))
}

/// Which outcome a draw gives, drawn twice.
fn draw(outcomes: &[Outcome], once: impl Fn() -> State) -> Result<usize, String> {
    let (state, again) = (usable(once())?, once());
    ensure(state == again, || format!("gives {state:?} and then {again:?}"))?;
    outcomes
        .binary_search_by_key(&state.bits(), |o| o.state.bits())
        .map_err(|_| format!("gives {state:?}, which is not among the outcomes"))
}

fn spawned<G: Game>(game: &G, afterstate: Afterstate, word: u64, what: &str) -> String {
    format!("`spawn` after {} with the word {word:#x} {what}", told(game, afterstate))
}

/// How often each outcome comes in `n` draws.
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

/// Whether the counts can come from these probabilities; the worst outcome, if not.
fn fair(
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
    let far = |i: usize| {
        let expected = n as f64 * probabilities[i];
        (counts[i] as f64 - expected).abs() / expected.sqrt()
    };
    let worst = (0..counts.len()).max_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap_or(0);
    Err(format!(
        "`{}` has the probability {} and came {} times in {n} draws",
        write(outcomes[worst].state),
        probabilities[worst],
        counts[worst],
    ))
}

/// Counts over many distributions of some of their outcomes. A small bias that is
/// the same everywhere, such as of the rarer tile or of the first cell, shows in
/// the sum long before it shows in one.
struct Pool {
    what: &'static str,
    came: u64,
    expected: f64,
    draws: u64,
}

impl Pool {
    /// For the outcomes rarer than the average, and for the first half in the
    /// order of their bits.
    fn both() -> [Self; 2] {
        let names = ["outcomes rarer than the average", "lower half of the outcomes"];
        names.map(|what| Self { what, came: 0, expected: 0.0, draws: 0 })
    }

    fn add(pools: &mut [Self; 2], outcomes: &[Outcome], counts: &[u64]) {
        let n: u64 = counts.iter().sum();
        let average = (1.0 - ROUNDING) / outcomes.len() as f64;
        for (i, (outcome, count)) in outcomes.iter().zip(counts).enumerate() {
            let within = [outcome.probability < average, i < outcomes.len() / 2];
            for (pool, _) in pools.iter_mut().zip(within).filter(|(_, within)| *within) {
                pool.came += count;
                pool.expected += n as f64 * outcome.probability;
            }
        }
        pools.iter_mut().for_each(|pool| pool.draws += n);
    }

    fn fair(&self, alarm: f64) -> Result<(), String> {
        let Self { what, came, expected, draws } = *self;
        // Where no outcome is rarer than the others, there is nothing to test.
        let fair = expected == 0.0 || log_bound_of_sum(came, expected, draws) >= alarm;
        ensure(fair, || {
            format!(
                "the {what} came {came} times in {draws} draws, and {expected:.0} are \
                 expected"
            )
        })
    }
}

/// Law 2 of the start. Returns how many words it took.
fn starting<G: Game>(
    game: &G,
    effort: &Effort,
    starts: Option<&[Outcome]>,
    random: &mut Random,
    alarm: f64,
) -> Result<u64, Violation> {
    apart(Law::Spawn, || {
        let told = |word, what| format!("`start` with the word {word:#x} {what}");
        let Some(starts) = starts else {
            for word in EDGES {
                let (state, again) = (usable(game.start(word))?, game.start(word));
                ensure(state == again, || told(word, format!("gives {state:?} and {again:?}")))?;
            }
            return Ok(EDGES.len() as u64);
        };
        let start = |word| draw(starts, || game.start(word)).map_err(|what| told(word, what));
        EDGES.into_iter().try_for_each(|word| start(word).map(drop))?;
        let n = effort.words / 4;
        let counts = count(starts, n, random, start)?;
        let mut pools = Pool::both();
        Pool::add(&mut pools, starts, &counts);
        fair(starts, &counts, alarm, |state| game.write(state))
            .and_then(|()| pools.iter().try_for_each(|pool| pool.fair(alarm)))
            .map_err(|what| format!("of the starts, {what}"))?;
        Ok(n)
    })
}

/// What differs between two games' outcomes of these afterstates.
pub fn same_outcomes<G: Game, R: Game>(
    game: &G,
    reference: &R,
    afterstates: &[Afterstate],
) -> Result<(), String> {
    for &afterstate in afterstates {
        let (ours, theirs) = (outcomes_of(game, afterstate), outcomes_of(reference, afterstate));
        ensure(same(&ours, &theirs), || {
            let after = told(game, afterstate);
            format!("after {after}, the outcomes are {ours:?}, and the reference's {theirs:?}")
        })?;
        for outcome in &ours {
            let points = |reward: f32| f64::from(reward);
            let ours = points(game.chance_reward(Some(afterstate), outcome.state));
            let theirs = points(reference.chance_reward(Some(afterstate), outcome.state));
            ensure(close(ours, theirs, 1e-6), || {
                let (after, next) = (told(game, afterstate), game.write(outcome.state));
                format!("from {after} to `{next}` chance gives {ours}, the reference's {theirs}")
            })?;
        }
    }
    Ok(())
}

/// Whether two distributions, in the order of their states, are the same.
pub fn same(a: &[Outcome], b: &[Outcome]) -> bool {
    let close = |a: &Outcome, b: &Outcome| close(a.probability, b.probability, ROUNDING);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.state == b.state && close(a, b))
}
