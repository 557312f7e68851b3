//! The network in pages has the values of the whole tables, but for their rounding.

use agent_ntuple::Trained;
use runner_core::{
    Afterstate, BuildContext, Game, Host, Random, SingleThread, Spec, Successors, Value,
    ValuePlugin,
};
use runner_web::PagedNetwork;
use std::sync::Arc;

const MODEL_2048: &[u8] = include_bytes!("../../../agents/ntuple/trained/2048.model");
const MODEL_THREES: &[u8] = include_bytes!("../../../agents/ntuple/trained/threes.model");

/// Returns the afterstates of games of random moves.
fn afterstates(game: &impl Game, count: usize) -> Vec<Afterstate> {
    let (mut random, mut found) = (Random::from_word(7), Vec::new());
    let mut moves = Successors::new();
    let mut state = game.start(random.word());
    while found.len() < count {
        game.successors(state, &mut moves);
        found.extend(moves.iter().map(|next| next.afterstate));
        state = match moves.len() {
            0 => game.start(random.word()),
            legal => game.spawn(moves[random.word() as usize % legal].afterstate, random.word()),
        };
    }
    found
}

/// Compares a network in pages with the value that is built from the context of the game.
fn compare<V: Value>(
    game: &impl Game,
    spec: &Spec,
    model: &[u8],
    texts: &[&str],
    whole: impl FnOnce(&BuildContext<'_>) -> V,
) {
    let (spec, host) = (spec.to_string(), Arc::new(SingleThread) as Arc<dyn Host>);
    let whole = whole(&BuildContext { game: game.description(), game_spec: &spec, host: &host });
    let paged = PagedNetwork::new(model, "the model", game.description(), &spec).unwrap();
    assert!(paged.bytes() < 320 << 20, "{} bytes", paged.bytes());
    let mut positions = afterstates(game, 3000);
    // Positions of later stages.
    let mut moves = Successors::new();
    for text in texts {
        game.successors(game.parse(text).unwrap(), &mut moves);
        positions.extend(moves.iter().map(|next| next.afterstate));
    }
    let [mut one, mut other] = [vec![0.0; positions.len()], vec![0.0; positions.len()]];
    whole.evaluate(&positions, &mut one);
    paged.evaluate(&positions, &mut other);
    assert!(one.iter().any(|value| *value != 0.0));
    // The whole tables add rounded numbers.
    for (one, other) in one.iter().zip(&other) {
        assert!((one - other).abs() <= 1e-5 * one.abs() + 0.5, "{one} {other}");
    }
}

#[test]
fn values_are_those_of_the_whole_tables() {
    let game = game_2048::Game2048::new(Default::default()).unwrap();
    let spec = Spec::resolved("2048", &game_2048::Config::default()).unwrap();
    let late = "16384,8192,4096,2048/2,4,256,1024/0,2,8,16/0,0,2,4";
    let trained = |context: &BuildContext<'_>| Trained::new((), context).unwrap();
    compare(&game, &spec, MODEL_2048, &[late], trained);
    let game = game_threes::Threes::new(Default::default()).unwrap();
    let spec = Spec::resolved("threes", &game_threes::Config::default()).unwrap();
    compare(&game, &spec, MODEL_THREES, &[], trained);
}

#[test]
fn damaged_and_foreign_models_are_refused() {
    let game = game_2048::Game2048::new(Default::default()).unwrap();
    let spec = Spec::resolved("2048", &game_2048::Config::default()).unwrap().to_string();
    let refusal = |model: &[u8]| {
        PagedNetwork::new(model, "the model", game.description(), &spec).err().unwrap()
    };
    let mut damaged = MODEL_2048.to_vec();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert!(refusal(&damaged).contains("checksum"), "{}", refusal(&damaged));
    assert!(refusal(&MODEL_2048[..middle]).contains("the model"));
    assert!(refusal(b"<!doctype html>").contains("the model"));
    assert!(refusal(MODEL_THREES).contains("threes"), "{}", refusal(MODEL_THREES));
}
