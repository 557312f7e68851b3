//! Models are read back in every format. Damaged, unsuitable and forged files are refused,
//! by name, and change nothing.

mod fixture;

use agent_ntuple::{AutostepConfig, AutostepNtuple, TcConfig, TcNtuple, TdConfig, TdNtuple};
use fixture::{Fixture, forged, game_2048, saved};
use runner_core::{Fault, Game, Learner, Spec, State, Successors, Value, catch};
use runner_files::Container;
use runner_files::container;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use safetensors::{Dtype, SafeTensors};
use std::fs;
use std::io::Write;
use std::path::Path;

/// A network of 512 weights, so that every byte can be tried.
const SMALL: &str = "01 45";

/// The formats with a header.
const OWN: [&str; 5] = ["checkpoint", "player", "compact", "compact16", "compact8"];

/// Returns the largest difference of values.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[track_caller]
fn refused(result: Result<(), Fault>, parts: &[&str]) {
    let message = result.expect_err("it is refused").0;
    println!("{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is wanted in {message:?}");
    }
}

#[test]
fn a_model_has_the_same_values_in_every_format() {
    let setting = game_2048(4, 4);
    let learner = setting.trained("0123 0145", 1);
    let values = setting.values(&learner);
    let largest = values.iter().copied().fold(0.0, f32::max);
    let folder = tempfile::tempdir().unwrap();
    let formats = learner.formats();
    assert_eq!(formats[0].name, "checkpoint", "the first format is the complete one");
    for format in formats.into_iter().filter(|format| format.name != "safetensors") {
        let file = folder.path().join(&format.name);
        learner.save(&file, &format.name).unwrap();
        let player = setting.player(&file).unwrap();
        // Half a step for each of 16 weights, none of which exceeds the largest value.
        let allowed = match format.name.as_str() {
            "compact16" => 16.0 * largest / 65535.0,
            "compact8" => 16.0 * largest / 255.0,
            _ => 0.0,
        };
        let found = difference(&values, &setting.values(&player));
        assert!(found <= allowed, "{}: {found} of {largest}", format.name);
        assert!(allowed == 0.0 || found > 0.0, "{} rounds", format.name);
        // A learner that was built with a model only plays.
        let report = |_: &_| runner_core::Control::Continue;
        let session = runner_core::TrainingSession::new(&runner_core::SingleThread, &report);
        refused(player.train(&setting.game, &session).map(|_| ()), &["model"]);
    }
}

#[test]
fn untouched_weights_take_no_room() {
    let setting = game_2048(4, 4);
    for optimism in [Some(0.0), Some(1000.0)] {
        let network = Some("012345".to_owned());
        let config = TcConfig { network, optimism, ..TcConfig::default() };
        let learner: TcNtuple = setting.build(config.clone()).unwrap();
        setting.train(&learner, 1);
        let models = OWN.map(|format| saved(&learner, format));
        let sizes = models.each_ref().map(Vec::len);
        // All weights have 64 MiB, their learning state has as much.
        assert!(sizes[0] < 2 << 20, "{sizes:?}");
        assert!(sizes.windows(2).all(|pair| pair[1] < pair[0]), "{sizes:?}");
        // Other weights are replaced, also where the model has untouched ones.
        let other: TcNtuple = setting.build(TcConfig { optimism: Some(7.0), ..config }).unwrap();
        for model in &models[..3] {
            setting.train(&other, 2);
            other.load_bytes(model, "exact").unwrap();
            assert_eq!(setting.values(&other), setting.values(&learner));
        }
    }
}

#[test]
fn models_may_have_only_touched_weights() {
    let setting = game_2048(4, 4);
    let config = |optimism| {
        let network = Some("01234".to_owned());
        TcConfig { network, optimism, ..TcConfig::default() }
    };
    let learner: TcNtuple = setting.build(config(Some(1000.0))).unwrap();
    setting.train(&learner, 1);
    // For a learner with another initial value, every weight is touched.
    let other: TcNtuple = setting.build(config(Some(7.0))).unwrap();
    other.load_bytes(&saved(&learner, "player"), "player").unwrap();
    let values = setting.values(&learner);
    for (format, allowed) in [
        ("checkpoint", 0.0),
        ("player", 0.0),
        ("compact", 0.0),
        ("compact16", 1.0),
        ("compact8", 100.0),
    ] {
        let full = saved(&other, format);
        learner.load_bytes(&full, format).unwrap();
        assert!(difference(&setting.values(&learner), &values) <= allowed, "{format}");
    }
}

#[test]
fn a_checkpoint_that_is_loaded_and_saved_is_the_same_file() {
    fn round_trip<L: Learner>(build: impl Fn() -> L, load: impl Fn(&L, &[u8])) {
        let setting = game_2048(4, 4);
        let [learner, other] = [build(), build()];
        setting.train(&learner, 1);
        // Learning state of before is replaced.
        setting.train(&other, 2);
        let checkpoint = saved(&learner, "checkpoint");
        load(&other, &checkpoint);
        assert!(saved(&other, "checkpoint") == checkpoint);
        assert_eq!(other.progress(), learner.progress());
    }
    let setting = game_2048(4, 4);
    let network = || Some(SMALL.to_owned());
    for wide in [false, true] {
        let config = TcConfig { network: network(), wide, ..TcConfig::default() };
        round_trip::<TcNtuple>(
            || setting.build(config.clone()).unwrap(),
            |learner, bytes| learner.load_bytes(bytes, "model").unwrap(),
        );
    }
    round_trip::<TdNtuple>(
        || setting.build(TdConfig { network: network(), ..TdConfig::default() }).unwrap(),
        |learner, bytes| learner.load_bytes(bytes, "model").unwrap(),
    );
    round_trip::<AutostepNtuple>(
        || setting.build(AutostepConfig { network: network(), ..Default::default() }).unwrap(),
        |learner, bytes| learner.load_bytes(bytes, "model").unwrap(),
    );
}

#[test]
fn models_of_different_formats_are_averaged() {
    let setting = game_2048(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let formats = ["compact", "w", "player", "checkpoint"];
    let files = formats.map(|format| folder.path().join(format));
    let mut sum = vec![0.0; setting.positions().len()];
    for (seed, (file, format)) in files.iter().zip(formats).enumerate() {
        let learner = setting.trained("0123 0145", seed as u64);
        learner.save(file, format).unwrap();
        sum.iter_mut().zip(setting.values(&learner)).for_each(|(sum, value)| *sum += value / 4.0);
    }
    let mean = setting.learner("0123 0145");
    mean.load(&files.each_ref().map(|file| file.as_path())).unwrap();
    let found = difference(&sum, &setting.values(&mean));
    assert!(found < 0.01, "{found}");
    refused(mean.load(&[]), &["no model"]);
    // If one is missing, nothing changes.
    let before = setting.values(&mean);
    refused(mean.load(&[&files[0], Path::new("no/such.model")]), &["no/such.model"]);
    assert_eq!(setting.values(&mean), before);
}

#[test]
fn a_model_of_another_game_or_network_is_refused() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    let threes = {
        let spec = Spec::resolved("threes", &game_threes::Config::default()).unwrap().to_string();
        let game = game_threes::Threes::new(Default::default()).unwrap();
        Fixture { game, spec }
    };
    for format in OWN {
        let model = saved(&learner, format);
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
        refused(load(&forge("format", "compact4")), &["`compact4`", "`compact8`"]);
        refused(load(&forge("format", "w")), &["`w`", "`compact8`"]);
        refused(load(&forge("seconds", "-1")), &["a.model", "seconds"]);
        refused(load(&forge("moves", "many")), &["a.model", "moves", "many"]);
        let kind = forged(&model, |header, _| header.kind = "exact table".to_owned());
        refused(load(&kind), &["a.model", "`exact table`", "`n-tuple network`"]);
    }
    let wide = TcConfig { network: Some(SMALL.to_owned()), wide: true, ..TcConfig::default() };
    let wide: TcNtuple = setting.build(wide).unwrap();
    let checkpoint = saved(&learner, "checkpoint");
    refused(wide.load_bytes(&checkpoint, "a.model"), &["a.model", "coherence", "sums 32"]);
    // The weights alone fit any rule.
    wide.load_bytes(&saved(&learner, "player"), "a.model").unwrap();
}

#[test]
fn a_model_fits_only_what_it_learned_in_its_alphabet() {
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
        for format in OWN {
            learner.save(&file, format).unwrap();
            // Alphabet and network come from the model, `learns` does not.
            let model = || Some(file.to_str().unwrap().to_owned());
            let named =
                TcConfig { learns: learns.to_owned(), model: model(), ..Default::default() };
            let player: TcNtuple = setting.build(named.clone()).unwrap();
            if format == "player" {
                assert_eq!(action_values(&setting, &player), action_values(&setting, &learner));
            }
            let other = TcConfig { alphabet: Some(10), ..named.clone() };
            let error = setting.build::<TcNtuple>(other).err().expect("it has another alphabet");
            assert!(error.message.contains("`ranks 0 to 9`"), "{error}");
            assert!(error.message.contains(&top), "{error}");
            let loaded = afterstates.load(&[&file]);
            if learns == "afterstates" {
                refused(loaded, &["a.model", "alphabet", "`ranks 0 to 15`", &top]);
                continue;
            }
            refused(loaded, &["a.model", "`learns`", "`afterstates`", &theirs]);
            let plain = TcConfig { learns: "afterstates".to_owned(), ..named };
            let error = setting.build::<TcNtuple>(plain).err().expect("it learns something else");
            assert!(error.message.contains(&theirs), "{error}");
        }
        let why = match learns {
            "afterstates" => format!("{ranks} ranks"),
            _ => format!("learns {learns}"),
        };
        refused(learner.save(&file, "w"), &["2048 on 4 x 4", &why]);
    }
}

/// Returns the values of the actions of some states.
fn action_values(setting: &Fixture<game_2048::Game2048>, value: &TcNtuple) -> Vec<f32> {
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
    assert_eq!(error.parameter.as_deref(), Some("learns"));
    assert!(error.message.contains("`afterstates`, `states` or `actions`"), "{error}");
}

#[test]
fn every_flipped_bit_and_every_truncation_is_detected_and_changes_nothing() {
    let setting = game_2048(4, 4);
    let source = setting.trained(SMALL, 1);
    let learner = setting.trained(SMALL, 2);
    let before = setting.values(&learner);
    for format in OWN {
        let model = saved(&source, format);
        let fails = |bytes: &[u8], what: &dyn Fn() -> String| match learner.load_bytes(bytes, "bad")
        {
            Ok(()) => panic!("{format}: {}", what()),
            Err(fault) => assert!(fault.0.contains("bad"), "{format}: {fault}"),
        };
        for at in 0..model.len() {
            let mut flipped = model.clone();
            flipped[at] ^= 1 << (at % 8);
            fails(&flipped, &|| format!("byte {at}"));
            fails(&model[..at], &|| format!("truncated at {at}"));
        }
        fails(&[&model[..], &[0]].concat(), &|| "one more byte".to_owned());
        let mut newer = model;
        newer[8] = 2;
        refused(
            learner.load_bytes(&newer, "new.model"),
            &["new.model", "format version 2", "version 1"],
        );
    }
    assert_eq!(setting.values(&learner), before);
    refused(learner.load_bytes(b"a shopping list", "a.list"), &["a.list", "unknown file type"]);
    refused(learner.load_bytes(b"", "empty"), &["empty"]);
}

#[test]
fn declared_sizes_are_checked_before_memory_is_allocated() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    // A player takes its network from the file.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("huge.model");
    for format in OWN {
        let model = saved(&learner, format);
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
            let error = setting.player(&file).err().expect("it is refused");
            assert_eq!(error.parameter.as_deref(), Some("model"));
            assert!(error.message.contains("huge.model"), "{error}");
        }
    }
}

#[test]
fn inconsistent_compact_pieces_are_refused() {
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
    // Two weights, 1.0 at place 3 and -2.0 at place 5, the bytes in planes.
    let two = [2, 3, 1, 0, 0, 0, 0, 0x80, 0, 0x3f, 0xc0];
    load(&piece(&two)).unwrap();
    let found = setting.values(&learner);
    assert!(found.iter().all(|value| value.fract() == 0.0 && value.abs() <= 32.0));
    refused(load(&piece(&two[..10])), &["a.model is damaged", "7 bytes", "8"]);
    refused(load(&piece(&[])), &["the bytes end within an integer"]);
    refused(load(&piece(&[2, 3])), &["the bytes end within an integer"]);
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
    refused(load(&more), &["8 bytes of lengths", "1 pieces"]);
    let without = forged(&compact, |header, _| header.sections[1].name = "x".into());
    refused(load(&without), &["a.model has no section `compact`"]);
    // A decoder window of a gigabyte.
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
    refused(load(&rounded), &["no finite number"]);
}

#[test]
fn impossible_numbers_are_refused_with_their_place() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    let before = setting.values(&learner);
    // Older files have all weights at their places.
    let older = dense(&learner);
    let load = |model: &[u8]| learner.load_bytes(model, "a.model");
    load(&older).unwrap();
    assert_eq!(setting.values(&learner), before);
    let set = |section: usize, at: usize, value: f32| {
        forged(&older, |_, sections| {
            sections[section][4 * at..][..4].copy_from_slice(&value.to_le_bytes());
        })
    };
    refused(load(&set(0, 5, f32::NAN)), &["a.model", "weight 5 of the tuple `01` is NaN"]);
    refused(load(&set(0, 256, f32::INFINITY)), &["weight 0 of the tuple `45` is inf"]);
    // In the compact state of TC these bits are an infinite sum of errors.
    let infinite = f32::from_bits(0x3fc0);
    refused(load(&set(1, 300, infinite)), &["state of weight 44 of the tuple `45`"]);
    // The last word of a checkpoint is the state of the last touched weight.
    let state = forged(&saved(&learner, "checkpoint"), |_, sections| {
        let at = sections[1].len() - 4;
        sections[1][at..].copy_from_slice(&infinite.to_le_bytes());
    });
    refused(load(&state), &["a.model is damaged", "the learning state of weight"]);
    assert_eq!(setting.values(&learner), before);
}

/// Returns a checkpoint as older versions wrote it: every weight, and the state of each.
fn dense(learner: &TcNtuple) -> Vec<u8> {
    let checkpoint = saved(learner, "checkpoint");
    let container = Container::new(&checkpoint[..], "model").unwrap();
    let piece = container.read_section("touched weights").unwrap();
    let (mut weights, mut memory) = (vec![0; 4 * 512], vec![0; 4 * 512]);
    let groups: Vec<usize> = (0..8).filter(|k| piece[0] >> k & 1 == 1).collect();
    let (masks, rest) = piece[128..].split_at(8 * groups.len());
    let masks = groups.iter().zip(masks.as_chunks::<8>().0);
    let touched = masks.flat_map(|(group, mask)| {
        let is_set = move |bit: &usize| u64::from_le_bytes(*mask) >> bit & 1 == 1;
        (0..64).filter(is_set).map(move |bit| 64 * group + bit)
    });
    let touched: Vec<usize> = touched.collect();
    let (values, state) = rest.split_at(4 * touched.len());
    for (k, &place) in touched.iter().enumerate() {
        weights[4 * place..][..4].copy_from_slice(&values[4 * k..][..4]);
        memory[4 * place..][..4].copy_from_slice(&state[4 * k..][..4]);
    }
    let mut header = container.header().clone();
    header.sections.clear();
    header.facts.retain(|(name, _)| !["format", "holds", "memory words"].contains(&name.as_str()));
    let header = header.with("form", "checkpoint");
    let header = header.section("weights", 4 * 512).section("memory", 4 * 512);
    let mut file = Vec::new();
    container::write(&mut file, &header, |out| out.write_all(&[weights, memory].concat())).unwrap();
    file
}

#[test]
fn diverged_weights_are_not_saved() {
    let setting = game_2048(4, 4);
    let config = TdConfig { network: Some(SMALL.to_owned()), ..TdConfig::default() };
    // The sums of such values are infinite.
    let learner: TdNtuple = setting.build(TdConfig { optimism: Some(f32::MAX), ..config }).unwrap();
    setting.train(&learner, 1);
    assert!(setting.values(&learner).iter().any(|value| !value.is_finite()));
    let folder = tempfile::tempdir().unwrap();
    for format in learner.formats() {
        let file = folder.path().join("a.model");
        refused(learner.save(&file, &format.name), &["nothing is saved", "diverged", "tuple"]);
        assert!(!file.exists());
    }
}

#[test]
fn unknown_formats_and_missing_folders_are_named() {
    let setting = game_2048(4, 4);
    let learner = setting.learner(SMALL);
    let folder = tempfile::tempdir().unwrap();
    refused(
        learner.save(&folder.path().join("x"), "compact4"),
        &["unknown format `compact4`", "`checkpoint`", "`safetensors`"],
    );
    refused(learner.save(&folder.path().join("no/x"), "compact"), &["no/x"]);
}

/// What `runner train --game 2048 --agent 'tc-ntuple(network: "01 7")' --moves 20k` and
/// `runner model convert` wrote when these formats were new. `inner-first.model` is from when
/// the order of weights was new, `touched*.model` from when only touched weights were.
#[test]
fn models_of_all_earlier_versions_are_read() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/models"));
    let setting = game_2048(4, 4);
    let values = |file: &str| setting.values(&setting.player(&folder.join(file)).unwrap());
    let expected = values("player.model");
    let sum: f32 = expected.iter().sum();
    assert!((sum / 1_198_018.1 - 1.0).abs() < 1e-5, "{sum}");
    for exact in [
        "checkpoint.model",
        "compact.model",
        "inner-first.model",
        "sums.w",
        "touched-player.model",
        "touched.model",
        "weights.w",
    ] {
        assert_eq!(values(exact), expected, "{exact}");
    }
    assert!(difference(&values("compact16.model"), &expected) < 1.0);
    assert!(difference(&values("compact8.model"), &expected) < 100.0);
    let checkpoints = ["checkpoint.model", "inner-first.model", "touched.model"].map(|file| {
        let learner = setting.learner("01 7");
        learner.load(&[&folder.join(file)]).unwrap();
        let progress = learner.progress();
        assert_eq!((progress.moves, progress.episodes), (20_000, 77), "{file}");
        saved(&learner, "w")
    });
    // Weights and learning state.
    assert!(checkpoints[0] == checkpoints[2]);
}

/// A model says what it holds, so that nobody resumes training from weights alone unaware.
#[test]
fn a_header_says_whether_training_can_resume_completely() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    for format in OWN {
        let model = saved(&learner, format);
        let header = Container::new(&model[..], "model").unwrap().header().clone();
        let holds =
            if format == "checkpoint" { "weights and learning state" } else { "weights only" };
        assert_eq!((header.fact("format"), header.fact("holds")), (Some(format), Some(holds)));
        let mean: f64 = header.fact("mean").unwrap().parse().unwrap();
        assert_eq!(mean, learner.progress().mean);
    }
    // What was learned from weights alone has fresh learning state.
    let [fresh, resumed] = [setting.learner(SMALL), setting.trained(SMALL, 2)];
    fresh.load_bytes(&saved(&learner, "player"), "a.player").unwrap();
    resumed.load_bytes(&saved(&learner, "player"), "a.player").unwrap();
    assert!(saved(&fresh, "checkpoint") == saved(&resumed, "checkpoint"));
    assert!(saved(&fresh, "checkpoint") != saved(&learner, "checkpoint"));
}

/// The mean score of the last games is in the model, whatever its format.
#[test]
fn statistics_of_the_last_games_survive_conversion() {
    let setting = game_2048(4, 4);
    let learner = setting.trained(SMALL, 1);
    let before = learner.progress();
    assert!(before.window > 10 && before.mean > 100.0 && before.max_tile > 0);
    for format in OWN {
        let other = setting.learner(SMALL);
        other.load_bytes(&saved(&learner, format), "a.model").unwrap();
        assert_eq!(other.progress(), before, "{format}");
    }
    let invalid = forged(&saved(&learner, "player"), |_, sections| sections[2][16] = 200);
    refused(learner.load_bytes(&invalid, "a.model"), &["a.model", "`recent games` is invalid"]);
}

/// The initial value of untouched weights survives averaging bit by bit: else every weight
/// of the mean would count as touched.
#[test]
fn untouched_weights_stay_untouched_in_an_average() {
    let setting = game_2048(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let build = || {
        let network = Some("012345".to_owned());
        let config = TcConfig { network, optimism: Some(1234.5), ..TcConfig::default() };
        setting.build::<TcNtuple>(config).unwrap()
    };
    let files = [1, 2, 3].map(|seed| {
        let learner = build();
        setting.train(&learner, seed);
        let file = folder.path().join(format!("{seed}.model"));
        learner.save(&file, "checkpoint").unwrap();
        file
    });
    let mean = build();
    mean.load(&files.each_ref().map(|file| file.as_path())).unwrap();
    assert!(saved(&mean, "player").len() < 2 << 20);
}

#[test]
fn inconsistent_sparse_pieces_are_refused() {
    let setting = game_2048(4, 4);
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
    let initial = forged(&player, |header, _| {
        let fact = header.facts.iter_mut().find(|(name, _)| name == "initial").unwrap();
        fact.1 = "NaN".to_owned();
    });
    refused(load(&initial), &["a.model", "initial value"]);
    // A second network of the same size of state, but another number of words.
    let words = forged(&saved(&learner, "checkpoint"), |header, _| {
        let fact = header.facts.iter_mut().find(|(name, _)| name == "memory words").unwrap();
        fact.1 = "2".to_owned();
    });
    refused(load(&words), &["a.model is damaged", "inconsistent"]);
    assert_eq!(setting.values(&learner), before);
}

/// Reads an export with the format's own crate, and evaluates boards by its indices alone.
#[test]
fn exported_tensors_have_the_values_of_the_network() {
    let setting = game_2048(4, 4);
    let learner = setting.trained("0123 459 7!", 1);
    let bytes = saved(&learner, "safetensors");
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(metadata.metadata().as_ref().unwrap()["network"], "0123 459 7!");
    assert_eq!(file.tensor("459").unwrap().shape(), [16; 3]);
    let weight = |name: &str, ranks: &[usize]| {
        let tensor = file.tensor(name).unwrap();
        assert_eq!((tensor.dtype(), tensor.shape().len()), (Dtype::F32, ranks.len()));
        let index = ranks.iter().zip(tensor.shape()).fold(0, |index, (k, axis)| index * axis + k);
        f32::from_le_bytes(tensor.data()[4 * index..][..4].try_into().unwrap())
    };
    let symmetries = &setting.game.description().geometry.as_ref().unwrap().symmetries;
    assert_eq!(symmetries.len(), 8);
    for (position, value) in setting.positions().into_iter().zip(setting.values(&learner)) {
        let rank = |cell: usize| (position.lo >> (4 * cell)) as usize & 15;
        let mut sum = weight("7!", &[rank(7)]);
        for symmetry in symmetries {
            for (name, cells) in [("0123", &[0, 1, 2, 3][..]), ("459", &[4, 5, 9])] {
                let image = |&cell: &usize| rank(symmetry.cells[cell].into());
                sum += weight(name, &cells.iter().map(image).collect::<Vec<_>>());
            }
        }
        assert!((sum - value).abs() <= 0.01 * value.abs().max(1.0), "{sum} instead of {value}");
    }
    refused(learner.load_bytes(&bytes, "a.safetensors"), &["a.safetensors", "unknown file type"]);
}

/// The default network of 3 x 3 has 4.4 GB of weights and learning state, of which a short
/// training touches little.
#[test]
fn a_checkpoint_of_a_large_network_is_as_small_as_what_was_learned() {
    let setting = game_2048(3, 3);
    let learner: TcNtuple = setting.build(TcConfig::default()).unwrap();
    setting.train(&learner, 1);
    let checkpoint = saved(&learner, "checkpoint");
    assert!(checkpoint.len() < 4 << 20, "{} bytes", checkpoint.len());
    let other: TcNtuple = setting.build(TcConfig::default()).unwrap();
    other.load_bytes(&checkpoint, "a.model").unwrap();
    assert!(saved(&other, "checkpoint") == checkpoint);
}
