//! Law 5: the declared symmetries are symmetries of the rules.

use crate::effort::CheckSummary;
use crate::law::{Law, Violation, check_game, check_state, ensure};
use crate::lists::{close, outcomes_of, same_distribution, sorted, successors_of, written};
use crate::positions::PositionSample;
use runner_core::geometry::{Geometry, Symmetry};
use runner_core::{Action, Game, Outcome, State};

/// Checks that the symmetries are a group.
pub fn check_description<G: Game>(game: &G) -> Result<(), Violation> {
    let Some(board) = &game.description().geometry else { return Ok(()) };
    check_game(Law::Symmetry, || products(board).map(drop))
}

/// Returns the multiplication table: `products[s][t]` is the symmetry that applies `s`,
/// then `t`. A set of permutations is a group if it contains all products.
fn products(board: &Geometry) -> Result<Vec<Vec<usize>>, String> {
    let all = &board.symmetries;
    let product = |(s, first): (usize, &Symmetry), (t, then): (usize, &Symmetry)| {
        let product = Symmetry {
            cells: then.cells.iter().map(|&cell| first.cells[usize::from(cell)]).collect(),
            actions: first.actions.iter().map(|action| then.actions[action.index()]).collect(),
        };
        all.iter()
            .position(|symmetry| *symmetry == product)
            .ok_or_else(|| format!("symmetry {s} followed by {t} is not among the symmetries"))
    };
    let table = all.iter().enumerate();
    table.map(|s| all.iter().enumerate().map(|t| product(s, t)).collect()).collect()
}

pub fn check<G: Game>(
    game: &G,
    sample: &PositionSample,
    summary: &mut CheckSummary,
) -> Result<(), Violation> {
    let Some(board) = &game.description().geometry else { return Ok(()) };
    summary.symmetries = board.symmetries.len() as u64;
    let products = check_game(Law::Symmetry, || products(board))?;
    for &state in &sample.states {
        check_state(Law::Symmetry, game, state, || {
            let image = game.transform(state, 0);
            ensure(image == state, || {
                format!("the identity transforms it into `{}`", game.write(image))
            })?;
            canonical(game, state, board.symmetries.len())?;
            for (s, symmetry) in board.symmetries.iter().enumerate() {
                composes(game, state, s, &products[s])?;
                commutes(game, state, s, symmetry)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Checks that canonical states and afterstates are the least of all images.
fn canonical<G: Game>(game: &G, state: State, symmetries: usize) -> Result<(), String> {
    let images: Vec<State> = (0..symmetries).map(|s| game.transform(state, s)).collect();
    let (mut found, least) = (images.clone(), images.iter().min().copied());
    game.canonical_states(&mut found);
    if let Some(wrong) = found.iter().find(|&&found| Some(found) != least) {
        return Err(format!("the canonical state is not {}", game.write(*wrong)));
    }
    for one in successors_of(game, state).iter() {
        let images = (0..symmetries).map(|s| game.transform_afterstate(one.afterstate, s));
        let (mut found, least) = ([one.afterstate; 2], images.min());
        game.canonical_afterstates(&mut found);
        ensure(found.iter().all(|&found| Some(found) == least), || {
            let (after, found) = (written(game, one.afterstate), written(game, found[0]));
            format!("the canonical afterstate of {after} is not {found}")
        })?;
    }
    Ok(())
}

/// Checks that two transformations in sequence equal the transformation by their product.
fn composes<G: Game>(game: &G, state: State, s: usize, products: &[usize]) -> Result<(), String> {
    let image = game.transform(state, s);
    for (t, &product) in products.iter().enumerate() {
        ensure(game.transform(image, t) == game.transform(state, product), || {
            format!("symmetry {s} followed by {t} differs from symmetry {product}")
        })?;
    }
    Ok(())
}

/// Checks that transforming after an action equals the transformed action after
/// transforming, and that the same holds for the chance outcomes.
fn commutes<G: Game>(game: &G, state: State, s: usize, symmetry: &Symmetry) -> Result<(), String> {
    let image = game.transform(state, s);
    let (here, there) = (successors_of(game, state), successors_of(game, image));
    let name = |action: Action| game.description().action_name(action);
    for one in here.iter() {
        let action = symmetry.actions[one.action.index()];
        let expected = game.transform_afterstate(one.afterstate, s);
        let same_move = there.of(action).is_some_and(|other| {
            other.afterstate == expected && close(other.reward.into(), one.reward.into(), 1e-5)
        });
        ensure(same_move, || {
            format!(
                "symmetry {s} gives `{}`; `{}` leads to {} with reward {} here, but `{}` there \
                 does not lead to {} with the same reward: {:?}",
                game.write(image),
                name(one.action),
                written(game, one.afterstate),
                one.reward,
                name(action),
                written(game, expected),
                there.of(action),
            )
        })?;
        let transformed = outcomes_of(game, one.afterstate)
            .into_iter()
            .map(|o| Outcome { state: game.transform(o.state, s), ..o });
        ensure(
            same_distribution(&sorted(transformed.collect()), &outcomes_of(game, expected)),
            || {
                format!(
                    "symmetry {s} does not transform the outcomes of {} into those of {}",
                    written(game, one.afterstate),
                    written(game, expected),
                )
            },
        )?;
    }
    ensure(here.len() == there.len(), || {
        let image = game.write(image);
        format!(
            "{} actions are legal, but {} in its image `{image}` under symmetry {s}",
            here.len(),
            there.len()
        )
    })
}
