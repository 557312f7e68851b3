//! Models come back in every form; what is damaged, foreign or made up is refused,
//! by name, and changes nothing.

mod fixture;

use agent_ntuple::{AutostepConfig, AutostepNtuple, TcConfig, TcNtuple, TdConfig, TdNtuple};
use fixture::{Fixture, forged, game_2048, saved};
use runner_core::{Fault, Game, GamePlugin, Learner, Spec, State, Successors, Value, catch};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::path::Path;

/// A network of two tuples with 512 weights, so that every byte can be tried.
const SMALL: &str = "01 45";

/// The forms of this program.
const OWN: [&str; 5] = ["checkpoint", "player", "compact", "compact16", "compact8"];

/// The largest difference of values.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[track_caller]
fn refused(result: Result<(), Fault>, parts: &[&str]) {
    let message = result.expect_err("it should have been refused").0;
    println!("{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is wanted in {message:?}");
    }
}

#[test]
fn a_model_plays_in_every_form_as_its_learner_does() {
    let setting = game_2048(4, 4);
    let learner = setting.trained("0123 0145", 1);
    let values = setting.values(&learner);
    let largest = values.iter().copied().fold(0.0, f32::max);
    let folder = tempfile::tempdir().unwrap();
    let forms = learner.formats();
    assert_eq!(forms[0].name, "checkpoint", "the first form holds all that learning takes");
    for form in forms {
        let file = folder.path().join(&form.name);
        learner.save(&file, &form.name).unwrap();
        let player = setting.evaluator(&file).unwrap();
        // Half a step of each of 16 weights, of which the largest is no larger than the
        // largest value; exact forms have no steps.
        let allowed = match form.name.as_str() {
            "compact16" => 16.0 * largest / 65535.0,
            "compact8" => 16.0 * largest / 255.0,
            _ => 0.0,
        };
        let found = apart(&values, &setting.values(&player));
        assert!(found <= allowed, "{}: {found} of {largest}", form.name);
        assert!(allowed == 0.0 || found > 0.0, "{} should round", form.name);
        // What has a model plays, and says how to learn.
        let report = |_: &_| runner_core::Control::Continue;
        let session = runner_core::TrainingSession {
            budget: Default::default(),
            plan: Default::default(),
            seed: runner_core::Seed(1),
            host: &runner_core::SingleThread,
            report: &report,
        };
        refused(player.train(&setting.game, &session).map(|_| ()), &["model"]);
    }
}

#[test]
fn what_was_never_changed_takes_no_room() {
    let setting = game_2048(4, 4);
    for optimism in [Some(0.0), Some(1000.0)] {
        let network = Some("012345".to_owned());
        let config = TcConfig { network, optimism, ..TcConfig::default() };
        let learner: TcNtuple = setting.build(config.clone()).unwrap();
        setting.train(&learner, 1);
        let [exact, fewer, fewest] =
            ["compact", "compact16", "compact8"].map(|form| saved(&learner, form));
        // A player has 64 MiB.
        assert!(exact.len() < 1 << 20, "{} bytes", exact.len());
        assert!(fewer.len() < exact.len() && fewest.len() < fewer.len());
        // Loaded over other weights, the untouched ones are what they were too.
        let other: TcNtuple = setting.build(TcConfig { optimism: Some(7.0), ..config }).unwrap();
        setting.train(&other, 2);
        other.load_bytes(&exact, "exact").unwrap();
        assert_eq!(setting.values(&other), setting.values(&learner));
    }
}

#[test]
fn pieces_may_be_full() {
    let setting = game_2048(4, 4);
    let config = |optimism| {
        let network = Some("01234".to_owned());
        TcConfig { network, optimism, ..TcConfig::default() }
    };
    let learner: TcNtuple = setting.build(config(Some(1000.0))).unwrap();
    setting.train(&learner, 1);
    // To one that began otherwise, every weight is changed.
    let other: TcNtuple = setting.build(config(Some(7.0))).unwrap();
    other.load_bytes(&saved(&learner, "player"), "player").unwrap();
    let values = setting.values(&learner);
    for (form, allowed) in [("compact", 0.0), ("compact16", 1.0), ("compact8", 100.0)] {
        let full = saved(&other, form);
        learner.load_bytes(&full, form).unwrap();
        assert!(apart(&setting.values(&learner), &values) <= allowed, "{form}");
    }
}

#[test]
fn a_checkpoint_holds_what_the_rule_remembers() {
    fn goes_on<L: Learner>(build: impl Fn() -> L, load: impl Fn(&L, &[u8])) {
        let setting = game_2048(4, 4);
        let [learner, other] = [build(), build()];
        setting.train(&learner, 1);
        let checkpoint = saved(&learner, "checkpoint");
        load(&other, &checkpoint);
        assert_eq!(saved(&other, "checkpoint"), checkpoint_without_recent(&checkpoint));
    }
    /// The mean of the last games is not in a model, and so is 0 after loading.
    fn checkpoint_without_recent(checkpoint: &[u8]) -> Vec<u8> {
        forged(checkpoint, |header, _| {
            for (fact, value) in &mut header.facts {
                if fact == "mean" {
                    *value = "0".to_owned();
                }
            }
        })
    }
    let setting = game_2048(4, 4);
    let network = || Some(SMALL.to_owned());
    for wide in [false, true] {
        let config = TcConfig { network: network(), wide, ..TcConfig::default() };
        goes_on::<TcNtuple>(
            || setting.build(config.clone()).unwrap(),
            |learner, bytes| learner.load_bytes(bytes, "model").unwrap(),
        );
    }
    goes_on::<TdNtuple>(
        || setting.build(TdConfig { network: network(), ..TdConfig::default() }).unwrap(),
        |learner, bytes| learner.load_bytes(bytes, "model").unwrap(),
    );
    goes_on::<AutostepNtuple>(
        || setting.build(AutostepConfig { network: network(), ..Default::default() }).unwrap(),
        |learner, bytes| learner.load_bytes(bytes, "model").unwrap(),
    );
}

#[test]
fn the_mean_of_models_is_that_of_their_values_whatever_their_forms() {
    let setting = game_2048(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let forms = ["compact", "w", "player", "checkpoint"];
    let files = forms.map(|form| folder.path().join(form));
    let mut sum = vec![0.0; setting.positions().len()];
    for (seed, (file, form)) in files.iter().zip(forms).enumerate() {
        let learner = setting.trained("0123 0145", seed as u64);
        learner.save(file, form).unwrap();
        sum.iter_mut().zip(setting.values(&learner)).for_each(|(sum, value)| *sum += value / 4.0);
    }
    let mean = setting.learner("0123 0145");
    mean.load(&files.each_ref().map(|file| file.as_path())).unwrap();
    let found = apart(&sum, &setting.values(&mean));
    assert!(found < 0.01, "{found}");
    refused(mean.load(&[]), &["no model"]);
    // One that is missing, and all stays as it was.
    let before = setting.values(&mean);
    refused(mean.load(&[&files[0], Path::new("no/such.model")]), &["no/such.model"]);
    assert_eq!(setting.values(&mean), before);
}

#[test]
fn a_model_of_something_else_is_refused_and_both_are_named() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    let threes = {
        let spec = Spec::resolved("threes", &game_threes::Config::default()).unwrap().to_string();
        let game = game_threes::Threes::new(Default::default()).unwrap();
        Fixture { game, spec }
    };
    for form in OWN {
        let model = saved(&learner, form);
        let load = |into: &TcNtuple| into.load_bytes(&model, "a.model");
        refused(load(&game_2048(3, 4).learner(SMALL)), &["a.model", "rows: 3", "rows: 4"]);
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
        refused(load(&forge("form", "compact4")), &["`compact4`", "`compact8`"]);
        refused(load(&forge("seconds", "-1")), &["a.model", "seconds"]);
        refused(load(&forge("moves", "many")), &["a.model", "moves", "many"]);
        let kind = forged(&model, |header, _| header.kind = "exact table".to_owned());
        refused(load(&kind), &["a.model", "`exact table`", "`n-tuple network`"]);
    }
    let wide = TcConfig { network: Some(SMALL.to_owned()), wide: true, ..TcConfig::default() };
    let wide: TcNtuple = setting.build(wide).unwrap();
    let checkpoint = saved(&learner, "checkpoint");
    refused(wide.load_bytes(&checkpoint, "a.model"), &["a.model", "coherence", "sums 32"]);
    // Its weights are those of any rule.
    wide.load_bytes(&saved(&learner, "player"), "a.model").unwrap();
}

#[test]
fn a_model_says_what_it_has_learned_and_in_which_alphabet() {
    let setting = game_2048(4, 4);
    let base = || TcConfig { network: Some(SMALL.to_owned()), ..TcConfig::default() };
    let with = |learns: &str, alphabet: usize| {
        let config = TcConfig { learns: learns.to_owned(), alphabet: Some(alphabet), ..base() };
        let learner: TcNtuple = setting.build(config).unwrap();
        setting.train(&learner, 1);
        learner
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    let afterstates = with("afterstates", 16);
    for (learns, ranks) in
        [("states", 16), ("actions", 16), ("afterstates", 8), ("afterstates", 18), ("actions", 18)]
    {
        let learner = with(learns, ranks);
        let (theirs, top) = (format!("`{learns}`"), format!("`ranks 0 to {}`", ranks - 1));
        for form in OWN {
            learner.save(&file, form).unwrap();
            // The alphabet comes with the model, as the network does; what is learned
            // has to be said.
            let model = || Some(file.to_str().unwrap().to_owned());
            let told = TcConfig { learns: learns.to_owned(), model: model(), ..Default::default() };
            let player: TcNtuple = setting.build(told.clone()).unwrap();
            if form == "player" {
                assert_eq!(worths(&setting, &player), worths(&setting, &learner));
            }
            let other = TcConfig { alphabet: Some(10), ..told.clone() };
            let error = setting.build::<TcNtuple>(other).err().expect("it is of another");
            assert!(error.message.contains("`ranks 0 to 9`"), "{error}");
            assert!(error.message.contains(&top), "{error}");
            let loaded = afterstates.load(&[&file]);
            if learns == "afterstates" {
                refused(loaded, &["a.model", "alphabet", "`ranks 0 to 15`", &top]);
                continue;
            }
            refused(loaded, &["a.model", "`learns`", "`afterstates`", &theirs]);
            let plain = TcConfig { learns: "afterstates".to_owned(), ..told };
            let error = setting.build::<TcNtuple>(plain).err().expect("it learned another");
            assert!(error.message.contains(&theirs), "{error}");
        }
        let why = match learns {
            "afterstates" => format!("{ranks} ranks"),
            _ => format!("learns {learns}"),
        };
        refused(learner.save(&file, "w"), &["2048 on 4 x 4", &why]);
    }
}

/// What a value says of the actions of some states.
fn worths(setting: &Fixture<game_2048::Game2048>, value: &TcNtuple) -> Vec<f32> {
    let mut all = Vec::new();
    for state in setting.positions().iter().map(|p| State::new(p.lo, p.hi)) {
        let mut successors = Successors::new();
        setting.game.successors(state, &mut successors);
        let mut worths = vec![0.0; successors.len()];
        value.action_values(&setting.game, state, &successors, &mut worths);
        all.extend(worths);
    }
    assert!(all.iter().any(|&worth| worth > 100.0));
    all
}

#[test]
fn who_learns_no_afterstates_estimates_none() {
    let setting = game_2048(4, 4);
    for learns in ["afterstates", "states", "actions"] {
        let network = Some(SMALL.to_owned());
        let config = TcConfig { network, learns: learns.to_owned(), ..TcConfig::default() };
        let learner: TcNtuple = setting.build(config).unwrap();
        assert_eq!(learner.estimates_actions(), learns != "afterstates");
        let found = catch(|| setting.values(&learner)).map(|_| ());
        if learns == "afterstates" {
            found.unwrap();
        } else {
            refused(found, &["estimates no afterstates", learns]);
        }
    }
    let config = TcConfig { learns: "moves".to_owned(), ..TcConfig::default() };
    let error = setting.build::<TcNtuple>(config).err().expect("nobody knows it");
    let message = "`moves` cannot be learned; `afterstates`, `states` or `actions` can";
    assert_eq!((error.parameter.as_deref(), &*error.message), (Some("learns"), message));
}

#[test]
fn every_changed_byte_and_every_cut_is_found_and_changes_nothing() {
    let setting = game_2048(4, 4);
    let source = setting.trained(SMALL, 1);
    let learner = setting.trained(SMALL, 2);
    let before = setting.values(&learner);
    for form in OWN {
        let model = saved(&source, form);
        let fails = |bytes: &[u8], what: &dyn Fn() -> String| match learner.load_bytes(bytes, "bad")
        {
            Ok(()) => panic!("{form}: {}", what()),
            Err(fault) => assert!(fault.0.contains("bad"), "{form}: {fault}"),
        };
        for at in 0..model.len() {
            let mut flipped = model.clone();
            flipped[at] ^= 1 << (at % 8);
            fails(&flipped, &|| format!("byte {at}"));
            fails(&model[..at], &|| format!("cut at {at}"));
        }
        fails(&[&model[..], &[0]].concat(), &|| "a byte more".to_owned());
        let mut newer = model;
        newer[8] = 2;
        refused(learner.load_bytes(&newer, "new.model"), &["new.model", "format 2", "format 1"]);
    }
    assert_eq!(setting.values(&learner), before);
    refused(learner.load_bytes(b"a shopping list", "a.list"), &["a.list", "begins otherwise"]);
    refused(learner.load_bytes(b"", "empty"), &["empty"]);
}

#[test]
fn no_size_is_believed_that_the_file_does_not_bear_out() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    // As a file, since a player asks for memory by what its model says.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("huge.model");
    for form in OWN {
        let model = saved(&learner, form);
        for network in ["01234567", "0123456 89abcde", "0 1 2"] {
            let huge = forged(&model, |header, _| {
                for (name, value) in &mut header.facts {
                    match name.as_str() {
                        "network" => *value = network.to_owned(),
                        "weights" => *value = u64::MAX.to_string(),
                        _ => {}
                    }
                }
            });
            fs::write(&file, huge).unwrap();
            let error = setting.evaluator(&file).err().expect("it is refused");
            assert_eq!(error.parameter.as_deref(), Some("model"));
            assert!(error.message.contains("huge.model"), "{error}");
        }
    }
}

#[test]
fn pieces_that_contradict_each_other_are_refused() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    let compact = saved(&learner, "compact");
    let piece = |bytes: &[u8]| {
        forged(&compact, |_, sections| {
            sections[1] = compress_to_vec(bytes, CompressionLevel::Fastest);
            sections[0] = (sections[1].len() as u32).to_le_bytes().to_vec();
        })
    };
    let load = |model: &[u8]| learner.load_bytes(model, "a.model");
    // Two weights: 1.0 at place 3, -2.0 at place 5; the first bytes come first.
    let two = [2, 3, 1, 0, 0, 0, 0, 0x80, 0, 0x3f, 0xc0];
    load(&piece(&two)).unwrap();
    let found = setting.values(&learner);
    assert!(found.iter().all(|value| value.fract() == 0.0 && value.abs() <= 32.0));
    refused(load(&piece(&two[..10])), &["a.model is damaged", "7 bytes", "8"]);
    refused(load(&piece(&[])), &["the bytes end before a number does"]);
    refused(load(&piece(&[2, 3])), &["the bytes end before a number does"]);
    refused(load(&piece(&[1, 0x80, 4, 0, 0, 0, 0])), &["beyond its 512"]);
    refused(load(&piece(&[1, 3, 0, 0, 0xc0, 0x7f])), &["weight 3 of the tuple `01` is NaN"]);
    refused(load(&piece(&[1, 0x80, 2, 0, 0, 0x80, 0xff])), &["weight 0 of the tuple `45` is -inf"]);
    refused(load(&piece(&vec![0; 1 << 22])), &["cannot be decompressed"]);
    let raw = forged(&compact, |_, sections| {
        sections[1] = b"no frame at all".to_vec();
        sections[0] = 15u32.to_le_bytes().to_vec();
    });
    refused(load(&raw), &["a.model is damaged", "piece 0", "cannot be decompressed"]);
    let longer = forged(&compact, |_, sections| sections[0] = vec![0xff; 4]);
    refused(load(&longer), &["its pieces would have 4294967295 bytes"]);
    let more = forged(&compact, |_, sections| sections[0].extend([0; 4]));
    refused(load(&more), &["8 bytes of pieces", "1 pieces"]);
    let without = forged(&compact, |header, _| header.sections[1].name = "x".into());
    refused(load(&without), &["a.model has no section `compact`"]);
    // A window that no piece of this size needs: a gigabyte.
    let mut window = b"\x28\xb5\x2f\xfd\x00".to_vec();
    window.extend([20 << 3, 1, 0, 0]);
    let window = forged(&compact, |_, sections| {
        sections[0] = (window.len() as u32).to_le_bytes().to_vec();
        sections[1] = window;
    });
    refused(load(&window), &["cannot be decompressed"]);
    let rounded = forged(&saved(&learner, "compact8"), |_, sections| {
        let bytes = [&[1, 3][..], &f32::INFINITY.to_le_bytes(), &[0; 4], &[7]].concat();
        sections[1] = compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest);
        sections[0] = (sections[1].len() as u32).to_le_bytes().to_vec();
    });
    refused(load(&rounded), &["no number"]);
}

#[test]
fn what_is_no_number_is_refused_with_its_place() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    let before = setting.values(&learner);
    let set = |form: &str, section: usize, at: usize, value: f32| {
        forged(&saved(&learner, form), |_, sections| {
            sections[section][4 * at..][..4].copy_from_slice(&value.to_le_bytes());
        })
    };
    for form in ["checkpoint", "player"] {
        let load = |at, value| learner.load_bytes(&set(form, 0, at, value), "a.model");
        refused(load(5, f32::NAN), &["a.model", "weight 5 of the tuple `01` is NaN"]);
        refused(load(256, f32::INFINITY), &["weight 0 of the tuple `45` is inf"]);
    }
    // In the compact memory these bits are an infinite sum of errors.
    let memory = set("checkpoint", 1, 300, f32::from_bits(0x3fc0));
    refused(learner.load_bytes(&memory, "a.model"), &["remembered of weight 44 of the tuple `45`"]);
    assert_eq!(setting.values(&learner), before);
}

#[test]
fn what_has_diverged_is_not_saved() {
    let setting = game_2048(4, 4);
    let config = TdConfig { network: Some(SMALL.to_owned()), ..TdConfig::default() };
    // The largest floats, of which sums are infinite.
    let learner: TdNtuple = setting.build(TdConfig { optimism: Some(f32::MAX), ..config }).unwrap();
    setting.train(&learner, 1);
    assert!(setting.values(&learner).iter().any(|value| !value.is_finite()));
    let folder = tempfile::tempdir().unwrap();
    for form in learner.formats() {
        let file = folder.path().join("a.model");
        refused(learner.save(&file, &form.name), &["diverged", "nothing is saved", "tuple"]);
        assert!(!file.exists());
    }
}

#[test]
fn a_form_that_is_not_there_and_a_folder_that_is_not_there_are_named() {
    let setting = game_2048(4, 4);
    let learner = setting.learner(SMALL);
    let folder = tempfile::tempdir().unwrap();
    refused(learner.save(&folder.path().join("x"), "compact4"), &["no form `compact4`"]);
    refused(learner.save(&folder.path().join("no/x"), "compact"), &["no/x"]);
}

/// What `runner train --game 2048 --agent 'tc-ntuple(network: "01 7")' --moves 20k`
/// and `runner model convert` wrote when these forms were new; `inner-first.model` when
/// the order of weights was.
#[test]
fn models_that_were_written_once_are_read_for_ever() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/models"));
    let setting = game_2048(4, 4);
    let values = |file: &str| setting.values(&setting.evaluator(&folder.join(file)).unwrap());
    let expected = values("player.model");
    let sum: f32 = expected.iter().sum();
    assert!((sum / 1_198_018.1 - 1.0).abs() < 1e-5, "{sum}");
    for exact in ["checkpoint.model", "compact.model", "inner-first.model", "sums.w", "weights.w"] {
        assert_eq!(values(exact), expected, "{exact}");
    }
    assert!(apart(&values("compact16.model"), &expected) < 1.0);
    assert!(apart(&values("compact8.model"), &expected) < 100.0);
    let learner = setting.learner("01 7");
    learner.load(&[&folder.join("checkpoint.model")]).unwrap();
    assert_eq!((learner.progress().moves, learner.progress().episodes), (20_000, 77));
}
