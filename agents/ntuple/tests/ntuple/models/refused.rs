//! Damaged, unsuitable and forged models are refused by name, and change nothing.

use super::{OWN, SMALL};
use crate::support::*;

#[test]
fn a_model_of_another_game_or_network_is_refused() {
    let setting = setting(4, 4);
    let learner = setting.trained(SMALL, 1);
    let threes: Fixture<Threes> = Fixture::of(Default::default());
    let narrow = Fixture::<Game2048>::of(game_2048::Config { rows: 3, ..Default::default() });
    for format in OWN {
        let model = saved(&learner, format);
        let load = |into: &TcNtuple| into.load_bytes(&model, "a.model");
        refused(load(&narrow.learner(SMALL)), &["a.model", "rows: 3", "rows: 4"]);
        refused(load(&threes.learner(SMALL)), &["a.model", "threes(", "2048("]);
        refused(load(&setting.learner("01")), &["a.model", "`01 45`", "`01`"]);
        refused(load(&setting.learner("45 01")), &["a.model", "`01 45`", "`45 01`"]);
        let forge = |fact: &str, value: &str| {
            forged(&model, |header, _| {
                header.facts.retain(|(name, _)| name != fact);
                header.facts.push((fact.to_owned(), value.to_owned()));
            })
        };
        let load = |model: &[u8]| learner.load_bytes(model, "a.model");
        refused(load(&forge("alphabet", "ranks 0 to 31")), &["ranks 0 to 31", "ranks 0 to 15"]);
        refused(load(&forge("alphabet", "letters")), &["`letters`", "ranks 0 to 15"]);
        refused(load(&forge("learns", "moves")), &["`moves`", "`afterstates`"]);
        refused(load(&forge("order", "as they come")), &["as they come", "low and high"]);
        refused(load(&forge("format", "small")), &["`small`", "`player`"]);
        refused(load(&forge("format", "w")), &["`w`", "`player`"]);
        for wrong in ["NaN", "-inf", "1e38", "many"] {
            refused(load(&forge("initial", wrong)), &["a.model", "initial", wrong]);
        }
        refused(load(&forge("seconds", "-1")), &["a.model", "seconds"]);
        refused(load(&forge("mean", "NaN")), &["a.model", "mean", "NaN"]);
        refused(load(&forge("moves", "many")), &["a.model", "moves", "many"]);
        let kind = forged(&model, |header, _| header.kind = "exact table".to_owned());
        refused(load(&kind), &["a.model", "`exact table`", "`n-tuple network`"]);
    }
    let other: AutostepNtuple = setting.read(&format!("network: \"{SMALL}\"")).unwrap();
    let checkpoint = saved(&learner, "checkpoint");
    refused(other.load_bytes(&checkpoint, "a.model"), &["a.model", "coherence", "autostep"]);
    // The weights alone fit any rule.
    other.load_bytes(&saved(&learner, "player"), "a.model").unwrap();
}

#[test]
fn diverged_weights_are_not_saved() {
    let setting = setting(4, 4);
    // The sums of the largest values are infinite, those of the others are not.
    for (optimism, is_finite) in [(f64::from(f32::MAX), false), (1e20, true)] {
        let parameters = format!("network: \"{SMALL}\", optimism: {optimism:?}");
        let learner: TdNtuple = setting.read(&parameters).unwrap();
        // The training ends at the first position whose values are all infinite.
        let trained = setting.try_train(&learner, 1);
        assert_eq!(trained.is_ok(), is_finite, "{trained:?}");
        assert_eq!(setting.values(&learner).iter().all(|value| value.is_finite()), is_finite);
        let folder = tempfile::tempdir().unwrap();
        for format in learner.formats() {
            let file = folder.path().join("a.model");
            let expected = ["nothing is saved", "diverged", "tuple", "smaller step size"];
            refused(learner.save(&file, &format.name), &expected);
            assert!(!file.exists());
        }
    }
}

#[test]
fn unknown_formats_and_missing_folders_are_named() {
    let setting = setting(4, 4);
    let learner = setting.learner(SMALL);
    let folder = tempfile::tempdir().unwrap();
    refused(
        learner.save(&folder.path().join("x"), "small"),
        &["unknown format `small`", "`checkpoint`", "`w`"],
    );
    refused(learner.save(&folder.path().join("no/x"), "player"), &["no/x"]);
}

#[test]
fn inconsistent_sparse_pieces_are_refused() {
    let setting = setting(4, 4);
    let learner = setting.trained(SMALL, 1);
    let before = setting.values(&learner);
    let player = saved(&learner, "player");
    let piece = |groups: [u8; 2], rest: &[u8]| {
        forged(&player, |_, sections| {
            sections[1] = [&groups[..], &[0; 126], rest].concat();
            sections[0] = (sections[1].len() as u32).to_le_bytes().to_vec();
        })
    };
    let load = |model: &[u8]| learner.load_bytes(model, "a.model");
    let (one, two) = (1u64.to_le_bytes(), 5u64.to_le_bytes());
    let weight = 2.0f32.to_le_bytes();
    // 512 weights are 8 groups.
    load(&piece([0x80, 0], &[&one[..], &weight].concat())).unwrap();
    load(&piece([1, 0], &[&two[..], &weight, &weight].concat())).unwrap();
    assert!(setting.values(&learner).iter().all(|value| value.abs() <= 32.0));
    learner.load_bytes(&player, "a.model").unwrap();
    for wrong in [
        piece([0, 1], &[&one[..], &weight].concat()),
        piece([1, 0], &one),
        piece([1, 0], &[&two[..], &weight].concat()),
        piece([1, 0], &[&one[..], &weight, &weight].concat()),
        piece([1, 0], &[&one[..], &weight, &[0]].concat()),
        piece([3, 0], &[&one[..], &weight].concat()),
        forged(&player, |_, sections| {
            sections[1].truncate(100);
            sections[0] = 100u32.to_le_bytes().to_vec();
        }),
    ] {
        refused(load(&wrong), &["a.model is damaged", "piece 0", "inconsistent"]);
    }
    let nan = piece([2, 0], &[&one[..], &f32::NAN.to_le_bytes()].concat());
    refused(load(&nan), &["a.model is damaged", "weight 64 of the tuple `01` is NaN"]);
    let infinite = piece([16, 0], &[&one[..], &f32::INFINITY.to_le_bytes()].concat());
    refused(load(&infinite), &["weight 0 of the tuple `45` is inf"]);
    // Another number of words of learning state.
    let words = forged(&saved(&learner, "checkpoint"), |header, _| {
        let fact = header.facts.iter_mut().find(|(name, _)| name == "memory words").unwrap();
        fact.1 = "2".to_owned();
    });
    refused(load(&words), &["a.model", "words of learning state"]);
    assert_eq!(setting.values(&learner), before);
}
