//! Networks in files: what is read is what was written, and nothing else is read.

use agent_neural::file::{self, Contents, Identity, NeuralModel};
use agent_neural::{Adam, Layer, Network};
use runner_core::Random;
use runner_learning::{FinishedGame, History, RecentGames};
use std::time::Duration;

fn network() -> Network {
    Network::new(vec![Layer::dense(3, 4, true), Layer::dense(4, 2, false)])
}

fn identity() -> Identity {
    Identity { kind: "test network", game: "2048".into(), network: "3-4-2".into() }
}

#[test]
fn a_checkpoint_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let (network, identity) = (network(), identity());
    let parameters = network.random(&mut Random::from_word(1));
    let mut adam = Adam::new(network.parameters());
    adam.step(&mut parameters.clone(), &vec![0.5; network.parameters()], 0.1, 0.0);
    let mut recent = RecentGames::default();
    recent.add(FinishedGame { score: 7.0, tile: 8 });
    let history = History {
        moves: 5,
        episodes: 2,
        elapsed: Duration::from_millis(1500),
        next_game: 3,
        seed: 9,
        recent,
        series: vec![("loss".into(), 0.25)],
    };
    let contents = Contents {
        identity: &identity,
        spec: "test()",
        network: &network,
        parameters: &parameters,
        history: &history,
        adam: &adam,
        facts: vec![("average", "2.5".into())],
        sections: vec![("more", vec![1, 2, 3])],
    };
    contents.write(&path).unwrap();
    let model = NeuralModel::open(&path, "test network").unwrap();
    model.check(&identity).unwrap();
    assert_eq!(model.weights(&network).unwrap(), parameters);
    assert_eq!(model.adam(&network).unwrap(), adam);
    assert_eq!(model.history().unwrap(), history);
    assert_eq!(model.finite("average").unwrap(), 2.5);
    assert_eq!(model.section("more").unwrap(), [1, 2, 3]);
    // Others are refused; the message names both kinds.
    let refused = NeuralModel::open(&path, "other network").unwrap_err().to_string();
    assert!(refused.contains("test network") && refused.contains("other network"), "{refused}");
    let other = Identity { game: "threes".into(), ..identity.clone() };
    let refused = model.check(&other).unwrap_err().to_string();
    assert!(refused.contains("game") && refused.contains("threes"), "{refused}");
    let other = Identity { network: "3-5-2".into(), ..identity.clone() };
    let refused = model.check(&other).unwrap_err().to_string();
    assert!(refused.contains("network") && refused.contains("3-5-2"), "{refused}");
}

#[test]
fn a_network_with_a_number_that_is_not_finite_is_neither_written_nor_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let (network, identity) = (network(), identity());
    for (bad, in_moments) in [(f32::NAN, false), (f32::INFINITY, false), (f32::INFINITY, true)] {
        let mut parameters = network.random(&mut Random::from_word(1));
        let mut adam = Adam::new(network.parameters());
        let numbers = if in_moments { &mut adam.squares } else { &mut parameters };
        numbers[5] = bad;
        let bytes = file::bytes(numbers);
        let contents = Contents {
            identity: &identity,
            spec: "test()",
            network: &network,
            parameters: &parameters,
            history: &History::default(),
            adam: &adam,
            facts: Vec::new(),
            sections: Vec::new(),
        };
        let refused = contents.write(&path).unwrap_err().to_string();
        assert!(refused.contains("diverged") && refused.contains("layer 0"), "{refused}");
        assert!(!path.exists());
        let refused = file::parameters(&network, &bytes).unwrap_err();
        assert!(refused.starts_with("parameter 5 is "), "{refused}");
    }
}

#[test]
fn parameters_of_another_length_are_refused() {
    let network = network();
    let parameters = network.random(&mut Random::from_word(1));
    let bytes = file::bytes(&parameters);
    assert_eq!(file::parameters(&network, &bytes).unwrap(), parameters);
    for wrong in [&bytes[1..], &[&bytes[..], &[0]].concat()] {
        let refused = file::parameters(&network, wrong).unwrap_err();
        assert!(refused.contains(&format!("{} are needed", bytes.len())), "{refused}");
    }
}
