//! Multi-stage learning: phases, collections, resumption, and bad input.

use super::support::*;
use std::collections::HashSet;
use std::time::Duration;

const NETWORK: &str = "network: \"0134 012 empty\"";

/// Stages that most games on 2 x 3 cells reach, where a game has about 20 moves at first.
const STAGES: &str = "stages: \"16 32\"";

/// Builds a learner with these parameters and those of all tests.
fn learner<G: Game>(setting: &Fixture<G>, parameters: &[&str]) -> MsTd {
    setting.read(&format!("alpha: 0.25, {}", parameters.join(", "))).unwrap()
}

/// Builds a learner that collects 50 boards for each stage.
fn usual<G: Game>(setting: &Fixture<G>) -> MsTd {
    learner(setting, &[NETWORK, STAGES, "boards: 50"])
}

/// Trains for a part of a plan, and returns the progress without the time.
fn train_on<G: Game>(
    host: &dyn Host,
    setting: &Fixture<G>,
    learner: &MsTd,
    budget: TrainingBudget,
    plan: TrainingBudget,
) -> TrainingProgress {
    let session = TrainingSession { budget, plan, seed: Seed(7), ..training(host) };
    let done = learner.train(&setting.game, &session).unwrap();
    TrainingProgress { elapsed: Duration::ZERO, ..done }
}

fn train<G: Game>(
    setting: &Fixture<G>,
    learner: &MsTd,
    budget: u64,
    plan: u64,
) -> TrainingProgress {
    train_on(&SingleThread, setting, learner, moves(budget), moves(plan))
}

/// The phase in the header of a checkpoint.
#[derive(Clone, PartialEq, Debug)]
struct Phase {
    number: usize,
    stage: usize,
    begun: f64,
    part: String,
}

fn phase(learner: &MsTd) -> Phase {
    let bytes = saved(learner, "checkpoint");
    let container = Container::new(&bytes[..], "model").unwrap();
    let fact = container.header().fact("phase").expect("a phase");
    let [number, stage, begun, part] = fact.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let [number, stage] = [number, stage].map(|text| text.parse().unwrap());
    Phase { number, stage, begun: begun.parse().unwrap(), part: part.to_owned() }
}

/// Returns the boards at the entrance of each stage. In the file, a stage has its number of
/// entrances, its number of kept boards, and for each kept board two words of the state and one of
/// the score.
fn boards(learner: &MsTd) -> Vec<Vec<Start>> {
    let bytes = saved(learner, "checkpoint");
    let container = Container::new(&bytes[..], "model").unwrap();
    let Ok(section) = container.read_section("stage entrances") else { return Vec::new() };
    let words: Vec<u64> =
        section.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let (mut at, mut stages) = (0, Vec::new());
    while at < words.len() {
        let kept = words[at + 1] as usize;
        let starts = words[at + 2..at + 2 + 3 * kept].chunks_exact(3).map(|start| Start {
            state: State::new(start[0], start[1]),
            score: f64::from_bits(start[2]),
        });
        stages.push(starts.collect());
        at += 2 + 3 * kept;
    }
    stages
}

#[test]
fn all_stages_are_trained_in_turn() {
    for (rows, cols, stages, budget) in
        [(2, 3, STAGES, 60_000), (3, 3, "stages: \"64 128 128+64\"", 200_000)]
    {
        let setting = setting(rows, cols);
        let learner = learner(&setting, &["network: \"0134 012\"", stages, "boards: 50"]);
        let last = learner_stages(&learner, &setting, budget);
        assert_eq!(last.moves, budget);
        assert_eq!(last.figure("phases without entrance"), Some(0.0), "{last:?}");
        // Every stage has learned: its positions have values.
        let values = setting.values(&learner);
        assert!(values.iter().filter(|value| **value != 0.0).count() > values.len() * 9 / 10);
        // Games of the last phase begin with the score of their board.
        let least = boards(&learner).last().unwrap().iter().map(|b| b.score).fold(1e9, f64::min);
        assert!(least > 0.0 && last.mean > least, "{least} {last:?}");
    }
}

/// Trains to the end of a plan and checks that stages ascend and that each is reached.
fn learner_stages(learner: &MsTd, setting: &Fixture<Game2048>, plan: u64) -> TrainingProgress {
    let (mut stage, mut last) = (0.0, TrainingProgress::default());
    for _ in 0..20 {
        last = train(setting, learner, plan / 20, plan);
        let now = last.figure("stage").unwrap();
        assert!(now == stage || now == stage + 1.0, "{stage} {now}");
        stage = now;
    }
    let found = boards(learner);
    assert_eq!(stage as usize, found.len());
    for (number, boards) in (1..).zip(&found) {
        assert_eq!(boards.len(), 50);
        assert_eq!(last.figure(&format!("entered stage {number}")), Some(50.0));
    }
    last
}

#[test]
fn interrupting_a_training_anywhere_changes_nothing() {
    let setting = setting(2, 3);
    let cuts = [1, 1, 2, 100, 767, 768, 769, 0, 1000, 13, 3000, 1, 2, 3000, 11, 5000, 7, 5558];
    let all: u64 = cuts.iter().sum();
    for (network, plan) in [(NETWORK, moves(all)), ("network: \"0134 012\"", episodes(1000))] {
        let parameters = format!(
            "{network}, {STAGES}, alpha: [(0.0, 0.5), (0.5, 0.05)], update: \"mean-return\", boards: 50"
        );
        let whole: MsTd = setting.read(&parameters).unwrap();
        let done = train_on(&SingleThread, &setting, &whole, moves(all), plan);
        assert_eq!(done.figure("stage"), Some(2.0), "{done:?}");
        let parts: MsTd = setting.read(&parameters).unwrap();
        let mut last = TrainingProgress::default();
        for part in cuts {
            last = train_on(&SingleThread, &setting, &parts, moves(part), plan);
        }
        assert_eq!(last, done, "{plan:?}");
        assert_eq!(setting.values(&parts), setting.values(&whole));
        assert_eq!((boards(&parts), phase(&parts)), (boards(&whole), phase(&whole)));
    }
}

#[test]
fn a_killed_training_resumes_in_its_phase() {
    let setting = setting(2, 3);
    let plan = 30_000;
    let mut seen = HashSet::new();
    // Each part is trained by a learner that loads the checkpoint of the one before.
    let mut file = Vec::new();
    for _ in 0..60 {
        let learner = usual(&setting);
        if !file.is_empty() {
            learner.load_bytes(&file, "a.model").unwrap();
            assert_eq!(saved(&learner, "checkpoint"), file);
        }
        train(&setting, &learner, plan / 60, plan);
        let now = phase(&learner);
        seen.insert((now.number, now.part));
        file = saved(&learner, "checkpoint");
    }
    let learner = usual(&setting);
    learner.load_bytes(&file, "a.model").unwrap();
    assert_eq!(learner.progress().figure("stage"), Some(2.0));
    // Within and between all parts.
    for (number, part) in [(0, "trains"), (0, "collects"), (1, "trains"), (2, "trains")] {
        assert!(seen.contains(&(number, part.to_owned())), "{seen:?}");
    }
    assert!(boards(&learner).iter().all(|boards| boards.len() == 50));
}

#[test]
fn a_training_that_continues_with_another_limit_does_not_skip_stages() {
    let setting = setting(2, 3);
    let [plan, lower, higher] = [300_000, 60_000, 3_000_000];
    let learner = usual(&setting);
    // In the first of three phases; for the lower limit it would be in the last one.
    train(&setting, &learner, 50_000, plan);
    let first = phase(&learner);
    assert_eq!((first.number, first.stage, first.begun), (0, 0, 0.0));
    train(&setting, &learner, 1_000, lower);
    let now = phase(&learner);
    assert_eq!((now.number, now.part.as_str()), (0, "trains"), "{now:?}");
    train(&setting, &learner, 9_000, lower);
    // The rest of the lower limit was divided among all three.
    let last = phase(&learner);
    assert_eq!((last.number, last.stage), (2, 2));
    assert!(boards(&learner).iter().all(|boards| !boards.is_empty()));
    // With a higher limit, the phase has its share of the new plan and no more.
    let learner = usual(&setting);
    train(&setting, &learner, 25_000, lower);
    let before = phase(&learner);
    assert_eq!(before.number, 1);
    train(&setting, &learner, 768, higher);
    let now = phase(&learner);
    assert!(before.begun > 0.25 && now.begun < 0.02, "{before:?} {now:?}");
    assert_eq!(now, Phase { begun: now.begun, ..before });
}

#[test]
fn weights_are_frozen_during_a_collection() {
    let setting = setting(2, 3);
    // So many boards are not found.
    let learner = learner(&setting, &[NETWORK, STAGES, "boards: 100000"]);
    let (plan, mut before) = (60_000, Vec::new());
    let (mut collected, mut trained) = (0, 0);
    let mut last = None;
    for _ in 0..80 {
        train(&setting, &learner, plan / 80, plan);
        let now = Some(phase(&learner));
        let values = setting.values(&learner);
        if now == last && now.as_ref().is_some_and(|phase| phase.part == "collects") {
            assert_eq!(values, before);
            collected += 1;
        } else if now == last {
            assert_ne!(values, before);
            trained += 1;
        }
        (before, last) = (values, now);
    }
    assert!(collected > 5 && trained > 20, "{collected} {trained}");
    // A quarter of each phase but the last is for the collection.
    let boards = boards(&learner);
    assert_eq!(boards.len(), 2);
    assert!(boards.iter().all(|boards| boards.len() > 50 && boards.len() < 10_000));
}

#[test]
fn a_schedule_covers_each_phase() {
    let setting = setting(2, 3);
    let alpha = "alpha: [(0.0, 0.5), (0.5, 1e-30)], boards: 50";
    let learner: MsTd = setting.read(&format!("{NETWORK}, {STAGES}, {alpha}")).unwrap();
    let (plan, mut before, mut changes) = (90_000, Vec::new(), Vec::new());
    for _ in 0..45 {
        train(&setting, &learner, plan / 45, plan);
        let values = setting.values(&learner);
        changes.push((phase(&learner).number, values != before));
        before = values;
    }
    for number in 0..3 {
        let of_phase = changes.iter().filter(|(phase, _)| *phase == number);
        let is_changed: Vec<bool> = of_phase.map(|&(_, is_changed)| is_changed).collect();
        let middle = is_changed.len() / 2;
        assert!(is_changed[1..middle - 2].iter().all(|is| *is), "{is_changed:?}");
        assert!(!is_changed[middle + 3..].iter().any(|is| *is), "{is_changed:?}");
    }
}

#[test]
fn a_stage_that_no_game_reaches_leaves_the_training_in_the_one_before() {
    let setting = setting(2, 3);
    // The largest tile of 2 x 3 cells is 128.
    let parameters = [NETWORK, "stages: \"16 4096 8192\"", "boards: 50"];
    let [learner, resumed] = [(); 2].map(|()| learner(&setting, &parameters));
    let done = train(&setting, &learner, 40_000, 40_000);
    assert_eq!((done.figure("stage"), done.moves), (Some(1.0), 40_000));
    assert_eq!(done.figure("phases without entrance"), Some(2.0));
    assert_eq!(done.figure("entered stage 2"), Some(0.0));
    // It is a model like any other.
    resumed.load_bytes(&saved(&learner, "checkpoint"), "a.model").unwrap();
    assert_eq!(setting.values(&resumed), setting.values(&learner));
    train(&setting, &resumed, 1000, 41_000);
}

#[test]
fn positions_of_untrained_stages_are_evaluated_in_the_last_trained_one() {
    let setting = setting(2, 3);
    let learner = usual(&setting);
    train(&setting, &learner, 10_000, 60_000);
    let first = phase(&learner);
    assert_eq!((first.number, first.stage), (0, 0));
    let values = setting.values(&learner);
    assert!(values.iter().filter(|value| **value != 0.0).count() > values.len() * 9 / 10);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    for format in ["checkpoint", "player"] {
        learner.save(&file, format).unwrap();
        let player: MsTd = setting.read(&format!("model: {file:?}")).unwrap();
        assert_eq!(setting.values(&player), values, "{format}");
        // Other learners read the phase too.
        assert_eq!(setting.values(&setting.player(&file).unwrap()), values, "{format}");
    }
}

#[test]
fn several_threads_train_all_stages() {
    let setting = setting(2, 3);
    let learner = usual(&setting);
    let done = train_on(&TestThreads(3), &setting, &learner, moves(60_000), moves(60_000));
    assert_eq!((done.moves, done.figure("stage")), (60_000, Some(2.0)));
    assert!(boards(&learner).iter().all(|boards| boards.len() == 50));
}

#[test]
fn damaged_phases_and_boards_are_refused() {
    let setting = setting(2, 3);
    let learner = usual(&setting);
    train(&setting, &learner, 40_000, 60_000);
    let model = saved(&learner, "checkpoint");
    let train_forged = |forged: Vec<u8>| {
        let learner = usual(&setting);
        learner.load_bytes(&forged, "a.model").map_err(|fault| fault.to_string())?;
        let session = TrainingSession { plan: moves(60_000), ..session(moves(1000)) };
        learner.train(&setting.game, &session).map(|_| ()).map_err(|fault| fault.to_string())
    };
    train_forged(model.clone()).unwrap();
    let without_phase = forged(&model, |header, _| {
        let fact = header.facts.iter_mut().find(|(name, _)| name == "phase").unwrap();
        fact.1.clear();
    });
    assert!(train_forged(without_phase).unwrap_err().contains("phase"));
    let with_boards = |change: &dyn Fn(&mut Vec<u8>)| {
        forged(&model, |header, sections| {
            let is_boards = |name: &str| name == "stage entrances";
            let found = header.sections.iter().position(|section| is_boards(&section.name));
            change(&mut sections[found.unwrap()]);
        })
    };
    for (change, expected) in [
        // Truncated, no boards, an empty board, and one that has not reached its stage.
        (&(|bytes: &mut Vec<u8>| drop(bytes.split_off(100))) as &dyn Fn(&mut Vec<u8>), "invalid"),
        (&|bytes| bytes.clear(), "collected boards"),
        (&|bytes| bytes[16..32].fill(0), "boards"),
        (&|bytes| bytes[16..24].copy_from_slice(&0x11u64.to_le_bytes()), "collected boards"),
    ] {
        let message = train_forged(with_boards(change)).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
    // A model that only plays has no boards, and is not damaged.
    let message = train_forged(saved(&learner, "player")).unwrap_err();
    assert!(message.contains("no collected boards") && !message.contains("damaged"), "{message}");
}

#[test]
fn a_training_without_an_end_has_no_phases() {
    let setting = setting(2, 3);
    let learner = usual(&setting);
    refused(learner.train(&setting.game, &session(moves(10))), &["ms-td"]);
}

#[test]
fn defaults_are_those_of_yeh_and_others_2017() {
    let header = |parameters: &str| {
        let learner: MsTd = setting(4, 4).read(parameters).unwrap();
        let bytes = saved(&learner, "checkpoint");
        let container = Container::new(&bytes[..], "model").unwrap();
        let fact = |name| container.header().fact(name).unwrap().to_owned();
        (fact("network"), fact("stages"), fact("promotion"))
    };
    let (network, stages, promotion) = header("");
    assert_eq!(network, "012345 456789 012456 45689a large:2048");
    assert_eq!(stages, "16384 16384+8192 16384+8192+4096 16384+8192+4096+2048");
    assert_eq!(promotion, "none");
    let (network, stages, _) = header("strategy: \"3-stage\", tuned: true");
    assert!(network.ends_with("large:2048 empty distinct pairs neighbours"));
    assert_eq!(stages, "16384 16384+8192");
    let (network, ..) = header("stages: \"8192 16384\"");
    assert!(network.ends_with(" large:1024"), "{network}");
}
