//! Law 5: the declared symmetries are symmetries of the rules.

use crate::chance::same;
use crate::positions::Sample;
use crate::{
    Law, Summary, Violation, apart, at, close, ensure, outcomes_of, sorted, successors_of, told,
};
use runner_core::board::{Geometry, Symmetry};
use runner_core::{Action, Game, Outcome, State};

/// The geometry: a board that fits, and symmetries that are a group.
pub fn check_description<G: Game>(game: &G) -> Result<(), Violation> {
    let description = game.description();
    let Some(board) = &description.geometry else { return Ok(()) };
    apart(Law::Symmetry, || {
        let (rows, cols, ranks) = (board.rows, board.cols, board.values.len());
        ensure((1..=5).contains(&rows) && (1..=5).contains(&cols), || {
            format!("a board of {rows} x {cols} cells does not fit; up to 5 x 5 do")
        })?;
        ensure((1..=32).contains(&ranks), || {
            format!("the geometry lists {ranks} values; a cell's bits are for 1 to 32")
        })?;
        let actions = description.actions.len();
        for (number, symmetry) in board.symmetries.iter().enumerate() {
            let cells = symmetry.cells.iter().map(|&cell| usize::from(cell));
            let renamed = symmetry.actions.iter().map(|action| action.index());
            ensure(is_permutation(cells, board.cells()), || {
                format!("the cells of symmetry {number} are no permutation of the board's")
            })?;
            ensure(is_permutation(renamed, actions), || {
                format!("the actions of symmetry {number} are no permutation of the game's")
            })?;
        }
        let identity = board.symmetries.first().is_some_and(|first| {
            first.cells.iter().enumerate().all(|(i, &cell)| usize::from(cell) == i)
                && first.actions.iter().enumerate().all(|(i, action)| action.index() == i)
        });
        ensure(identity, || "symmetry 0 must be the identity".into())?;
        products(board).map(drop)
    })
}

fn is_permutation(items: impl Iterator<Item = usize>, n: usize) -> bool {
    let mut items: Vec<usize> = items.collect();
    items.sort_unstable();
    items.into_iter().eq(0..n)
}

/// `products[s][t]`: the symmetry that is `s` and then `t`. Permutations of which
/// every product is among them are a group.
fn products(board: &Geometry) -> Result<Vec<Vec<usize>>, String> {
    let all = &board.symmetries;
    let product = |(s, first): (usize, &Symmetry), (t, then): (usize, &Symmetry)| {
        let product = Symmetry {
            cells: then.cells.iter().map(|&cell| first.cells[usize::from(cell)]).collect(),
            actions: first.actions.iter().map(|action| then.actions[action.index()]).collect(),
        };
        all.iter()
            .position(|symmetry| *symmetry == product)
            .ok_or_else(|| format!("symmetry {s} and then {t} is not among the symmetries"))
    };
    let table = all.iter().enumerate();
    table.map(|s| all.iter().enumerate().map(|t| product(s, t)).collect()).collect()
}

/// Law 5 on every position.
pub fn check<G: Game>(game: &G, sample: &Sample, summary: &mut Summary) -> Result<(), Violation> {
    let Some(board) = &game.description().geometry else { return Ok(()) };
    summary.symmetries = board.symmetries.len() as u64;
    let products = apart(Law::Symmetry, || products(board))?;
    for &state in &sample.states {
        at(Law::Symmetry, game, state, || {
            let stays = game.transform(state, 0);
            ensure(stays == state, || format!("the identity makes `{}` of it", game.write(stays)))?;
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

/// The canonical position is the least of all images, of states and afterstates.
fn canonical<G: Game>(game: &G, state: State, symmetries: usize) -> Result<(), String> {
    let least = (0..symmetries).map(|s| game.transform(state, s)).min();
    let found = game.canonical(state);
    ensure(least == Some(found), || format!("the canonical state is not {}", game.write(found)))?;
    let mut several: Vec<State> = (0..symmetries).map(|s| game.transform(state, s)).collect();
    let each: Vec<State> = several.iter().map(|&image| game.canonical(image)).collect();
    game.canonical_states(&mut several);
    ensure(several == each, || "canonical_states differs from canonical".to_owned())?;
    for one in successors_of(game, state).iter() {
        let mut several = [one.afterstate; 2];
        game.canonical_afterstates(&mut several);
        ensure(several == [game.canonical_afterstate(one.afterstate); 2], || {
            "canonical_afterstates differs from canonical_afterstate".to_owned()
        })?;
        let images = (0..symmetries).map(|s| game.transform_afterstate(one.afterstate, s));
        let found = game.canonical_afterstate(one.afterstate);
        ensure(images.min() == Some(found), || {
            let (after, found) = (told(game, one.afterstate), told(game, found));
            format!("the canonical afterstate of {after} is not {found}")
        })?;
    }
    Ok(())
}

/// Two transformations one after the other are the one that is their product.
fn composes<G: Game>(game: &G, state: State, s: usize, products: &[usize]) -> Result<(), String> {
    let shown = game.transform(state, s);
    for (t, &product) in products.iter().enumerate() {
        ensure(game.transform(shown, t) == game.transform(state, product), || {
            format!("symmetry {s} and then {t} is not what symmetry {product} shows")
        })?;
    }
    Ok(())
}

/// To move and transform is to transform and make the transformed move; what
/// chance then does is transformed likewise.
fn commutes<G: Game>(game: &G, state: State, s: usize, symmetry: &Symmetry) -> Result<(), String> {
    let shown = game.transform(state, s);
    let (here, there) = (successors_of(game, state), successors_of(game, shown));
    let name = |action: Action| game.description().action_name(action);
    for one in here.iter() {
        let action = symmetry.actions[one.action.index()];
        let expected = game.transform_afterstate(one.afterstate, s);
        let same_move = there.of(action).is_some_and(|other| {
            other.afterstate == expected && close(other.reward.into(), one.reward.into(), 1e-5)
        });
        ensure(same_move, || {
            format!(
                "symmetry {s} shows `{}`; `{}` leads to {} for {} here, but `{}` there does not \
                 lead to {} for the same: {:?}",
                game.write(shown),
                name(one.action),
                told(game, one.afterstate),
                one.reward,
                name(action),
                told(game, expected),
                there.of(action),
            )
        })?;
        let transformed = outcomes_of(game, one.afterstate)
            .into_iter()
            .map(|o| Outcome { state: game.transform(o.state, s), ..o });
        ensure(same(&sorted(transformed.collect()), &outcomes_of(game, expected)), || {
            format!(
                "the outcomes of {} do not become those of {} under symmetry {s}",
                told(game, one.afterstate),
                told(game, expected),
            )
        })?;
    }
    ensure(here.len() == there.len(), || {
        let shown = game.write(shown);
        format!(
            "{} actions are legal, and {} in `{shown}`, as symmetry {s} shows it",
            here.len(),
            there.len()
        )
    })
}
