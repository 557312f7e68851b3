//! Models with redundant tuples: their values when they are folded, and what folded models
//! refuse.

use super::support::*;

/// Stages that random games reach.
const STAGES: &str = "16 32 64";

/// Formats in which a folded network has equal values.
const EXACT: [&str; 2] = ["checkpoint", "player"];

fn learner(setting: &Fixture<Game2048>, network: &str, optimism: f32) -> TcNtuple {
    let parameters =
        format!("network: \"{network}\", stages: \"{STAGES}\", optimism: {optimism:?}");
    setting.read(&parameters).unwrap()
}

fn random_positions(
    setting: &Fixture<Game2048>,
    count: usize,
    random: &mut Random,
) -> Vec<Afterstate> {
    let board = setting.game.description().geometry.as_ref().unwrap();
    let position = |_| {
        let ranks = [3, 6, 12, 18][random.below(4) as usize];
        let cells = 0..board.cells();
        let bits =
            cells.fold(0, |bits, cell| board.with_rank(bits, cell, random.below(ranks) as u8));
        Afterstate::from_bits(bits)
    };
    (0..count).map(position).collect()
}

/// Compares the values of two players, relative to the largest weights' sum.
#[track_caller]
fn assert_equal_values(a: &TcNtuple, b: &TcNtuple, positions: &[Afterstate], scale: f32) {
    for ((position, a), b) in positions.iter().zip(values(a, positions)).zip(values(b, positions)) {
        assert!((a - b).abs() <= 1e-5 * scale, "{a} and {b} at {position:?}");
    }
}

#[test]
fn folded_models_have_the_values_of_the_model() {
    for (rows, cols, network) in
        [(4, 4, "0123 0145 012 45 3"), (3, 3, "0123 034 12 4"), (2, 3, "0134 013 25!  2!")]
    {
        let setting = setting(rows, cols);
        let mut random = Random::stream(Seed(5), 0);
        for optimism in [0.0, 1000.0] {
            let learner = learner(&setting, network, optimism);
            setting.train(&learner, 1);
            let folder = tempfile::tempdir().unwrap();
            let [model, folded] = ["a.model", "a.folded"].map(|name| folder.path().join(name));
            learner.save(&model, "checkpoint").unwrap();
            setting.player(&model).unwrap().save(&folded, "player").unwrap();
            let mut positions = setting.positions();
            positions.extend(random_positions(&setting, 5000, &mut random));
            let scale = 1000.0 + setting.values(&learner).into_iter().fold(0.0, f32::max);
            assert_equal_values(&learner, &setting.player(&model).unwrap(), &positions, scale);
            let from_file = setting.player(&folded).unwrap();
            assert_equal_values(&learner, &from_file, &positions, scale);
            // A folded network is saved and loaded like any other.
            for format in EXACT {
                from_file.save(&folded, format).unwrap();
                let again = setting.player(&folded).unwrap();
                assert_equal_values(&from_file, &again, &positions, 0.0);
            }
        }
    }
}

/// Returns a model of a network that is trained and then folded.
fn folded(setting: &Fixture<Game2048>, network: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("a.model");
    setting.trained(network, 1).save(&model, "checkpoint").unwrap();
    saved(&setting.player(&model).unwrap(), "player")
}

#[test]
fn a_folded_model_names_the_network_that_it_holds() {
    let setting = setting(4, 4);
    for (network, expected, holds) in
        [("0123 01", "0123", "folded weights"), ("0123 0145", "0123 0145", "weights only")]
    {
        let model = folded(&setting, network);
        let header = Container::new(&model[..], "a.model").unwrap().header().clone();
        assert_eq!((header.fact("network"), header.fact("holds")), (Some(expected), Some(holds)));
        assert!(header.spec.contains(&format!("network: \"{expected}\"")), "{}", header.spec);
        assert!(header.spec.contains("model: None"), "{}", header.spec);
    }
}

#[test]
fn folded_models_only_evaluate() {
    let setting = setting(4, 4);
    let model = folded(&setting, "0123 01");
    let session = session(TrainingBudget::default());
    let learner = setting.learner("0123");
    learner.load_bytes(&model, "a.folded").unwrap();
    let fault = learner.train(&setting.game, &session).unwrap_err();
    assert!(fault.0.contains("only evaluate"), "{fault}");
    // In every format, also in the mean with a model that was never folded.
    for format in ["checkpoint", "player", "tiny"] {
        let other = setting.learner("0123");
        other.load_bytes(&saved(&learner, format), "b.model").unwrap();
        assert!(other.train(&setting.game, &session).unwrap_err().0.contains("only evaluate"));
    }
    // A learner with the original network names the reason.
    let fault = setting.learner("0123 01").load_bytes(&model, "a.folded").unwrap_err();
    for part in ["a.folded is folded", "`0123`", "`0123 01`", "resume"] {
        assert!(fault.0.contains(part), "no {part:?} in {fault}");
    }
    // A model that replaces it can be trained.
    learner.load_bytes(&saved(&setting.trained("0123", 1), "player"), "c.model").unwrap();
    setting.train(&learner, 2);
}
