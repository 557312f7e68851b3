//! A right implementation conforms, and each fault is found.

mod implementation;

use game_1024::Game1024;
use game_2048::Game2048;
use game_threes::Threes;
use implementation::{Fault, Illegal, Implementation};
use runner_conform::{Hunt, HuntOptions, Notation, Outcome, Verdict};
use runner_core::{Game, Seed};
use runner_spec::quantity::grouped;

fn options(steps: u64, seed: u64) -> HuntOptions {
    HuntOptions { steps, seed: Seed(seed), takes_seeds: true, lanes: 1 }
}

fn judge(tested: &mut Implementation, options: HuntOptions) -> Verdict {
    let game = Game2048::new(Default::default()).unwrap();
    let mut hunt = Hunt::new(&game, Notation::default(), options).unwrap();
    let mut error = None;
    while let (None, Some(request)) = (&error, hunt.request(0)) {
        error = hunt.answer(0, &tested.answer(&request)).err();
    }
    Verdict::new(&mut hunt.judge, error)
}

#[test]
fn right_implementation_conforms_and_exercises_every_law() {
    for seed in 1..3 {
        let verdict = judge(&mut Implementation::new(Fault::None), options(100_000, seed));
        println!("{}", verdict.report("it", "2048"));
        assert_eq!(verdict.verdict, Outcome::Conforms, "{:?}", verdict.counterexamples);
        let few: Vec<_> = verdict.exercised.iter().filter(|law| !law.is_enough).collect();
        assert!(few.is_empty(), "{few:?}");
        // Shares of cells and tiles that differ by a tenth are found.
        let fours = verdict.chance.iter().find(|row| row.what == "a 4 enters").unwrap();
        assert!((0.1..0.11).contains(&fours.found_share.unwrap()), "{fours:?}");
    }
}

#[test]
fn illegal_actions_may_be_handled_in_any_way_that_adds_no_tile() {
    for (illegal, says) in [
        (Illegal::Nothing, "changes nothing, reward 0"),
        (Illegal::Penalty, "changes nothing, reward -5"),
        (Illegal::Ends, "ends the game, reward 0"),
        (Illegal::Refused, "refused"),
    ] {
        let mut tested = Implementation::new(Fault::None);
        tested.illegal = illegal;
        let verdict = judge(&mut tested, options(20_000, 5));
        assert_eq!(verdict.verdict, Outcome::Conforms, "{:?}", verdict.counterexamples);
        let did: Vec<_> = verdict.illegal_actions.keys().collect();
        assert_eq!(did, [says]);
        assert!(verdict.illegal_actions[says] >= 500, "{:?}", verdict.illegal_actions);
    }
}

#[test]
fn implementation_without_seeds_and_positions_conforms() {
    let mut tested = Implementation::new(Fault::IgnoresSeeds);
    tested.takes_positions = false;
    let options = HuntOptions { takes_seeds: false, ..options(20_000, 5) };
    let verdict = judge(&mut tested, options);
    assert_eq!(verdict.verdict, Outcome::ConformsInPart, "{:?}", verdict.counterexamples);
    let not_tested = ["moves repeated with equal seeds", "moves with the winning tile"];
    assert_eq!(verdict.not_tested, not_tested);
    let report = verdict.report("it", "2048").to_string();
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("; not tested: {} ", not_tested.join(", "))), "{report}");
}

/// The table of the guide: each fault with the law that it breaks.
const FAULTS: [(Fault, &str); 21] = [
    (Fault::NoSpawnAfterMergeOnFullBoard, "no tile after a merge on a full board"),
    (Fault::TileMergesTwice, "a merged tile merges again in the same move"),
    (Fault::SpawnBeforeMove, "the tile enters before the move"),
    (Fault::TooManyFours(0.2), "a share of 4s of 0.2"),
    (Fault::TooManyFours(0.11), "a share of 4s of 0.11"),
    (Fault::NeverLastCell, "no tile enters in the last empty cell"),
    (Fault::CornersTwiceAsLikely, "corners are twice as likely as other cells"),
    (Fault::RewardOfOneTile, "the reward is the merged tile, not the sum"),
    (Fault::RewardMissesSecondMerge, "the second merge of a line earns nothing"),
    (Fault::MaskOfLastState, "the mask is that of the position before"),
    (Fault::OverOneMoveEarly, "the game is over when the board is full"),
    (Fault::OverOneMoveLate, "the game is over one action late"),
    (Fault::LeftAndRightSwapped, "left and right are swapped"),
    (Fault::StartWithOneTile, "a game starts with one tile"),
    (Fault::SpawnOnIllegalAction, "a tile enters after an illegal action"),
    (Fault::MergeFromWrongSide, "of three equal tiles the wrong two merge"),
    (Fault::NoMergeOfLargeTiles, "tiles of 8,192 and above do not merge"),
    (Fault::SeedsAreForgotten, "now and then a seed is forgotten"),
    (Fault::ScoreLacksLastReward, "the score lacks the last reward"),
    (Fault::SpawnsEight, "one tile in a thousand is an 8"),
    (Fault::TwoSpawnsAtTwoMerges, "two tiles enter after two merges"),
];

/// The guide names the law, and the number of actions: that of a test of chance is the length of
/// the run.
#[test]
fn every_fault_is_found_as_the_guide_says() {
    let guide = include_str!("../../guide/src/conform.md");
    let mut missing = Vec::new();
    for (fault, name) in FAULTS {
        let mut steps = 64;
        let verdict = loop {
            steps *= 2;
            let verdict = judge(&mut Implementation::new(fault), options(steps, 1));
            if verdict.verdict == Outcome::Differs || steps > 100_000 {
                break verdict;
            }
        };
        let found = verdict.counterexamples.first().unwrap_or_else(|| panic!("{fault:?}"));
        let steps = if found.law == "tests of chance" { steps } else { found.at };
        let law = found.law.trim_end_matches(" other than 0");
        let row = format!("| {name} | {law} | {} |", grouped(steps));
        if !guide.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "the guide lacks\n{}", missing.join("\n"));
}

/// Judges a game of the workspace as an implementation, through its own protocol.
fn judged<G: Game>(game: &G, rules: &G, steps: u64) -> Verdict {
    let mut hunt = Hunt::new(rules, Notation::default(), options(steps, 3)).unwrap();
    let mut requests = String::new();
    let mut error = None;
    // A session is repeated with one request more each time, so it is as short as a game.
    while let (None, Some(request)) = (&error, hunt.request(0)) {
        if request.contains("reset") {
            requests.clear();
        }
        requests += &(request + "\n");
        let mut answers = Vec::new();
        runner_protocol::drive(game, "", Seed(1), requests.as_bytes(), &mut answers).unwrap();
        let answers = String::from_utf8(answers).unwrap();
        error = hunt.answer(0, answers.lines().last().unwrap()).err();
    }
    Verdict::new(&mut hunt.judge, error)
}

#[test]
fn games_with_stones_caps_bags_and_announced_tiles_conform_to_themselves() {
    let stones = game_1024::Config { blocked: vec![5, 6], ..Default::default() };
    let variant = "2048(walls: [5], cap: 256, goal: 64, spawn: [(2, 0.8), (8, 0.2)])";
    let variant = variant.parse::<runner_core::Spec>().unwrap().read().unwrap();
    let variant = Game2048::new(variant).unwrap();
    let stones = Game1024::new(stones).unwrap();
    let threes = Threes::new(Default::default()).unwrap();
    let verdicts = [
        judged(&variant, &variant, 3_000),
        judged(&stones, &stones, 3_000),
        judged(&threes, &threes, 3_000),
    ];
    for verdict in verdicts {
        println!("{}", verdict.report("it", "the game"));
        assert_eq!(verdict.error, None);
        assert!(verdict.counterexamples.is_empty(), "{:?}", verdict.counterexamples);
        assert!(verdict.chance.len() > 20);
    }
}

/// It refuses positions with larger tiles.
#[test]
fn smaller_cap_is_found_from_positions_that_are_taken() {
    let capped = "2048(cap: 1024, goal: 1024)".parse::<runner_core::Spec>().unwrap();
    let capped = Game2048::new(capped.read().unwrap()).unwrap();
    let plain = Game2048::new(Default::default()).unwrap();
    let verdict = judged(&capped, &plain, 10_000);
    assert_eq!(verdict.verdict, Outcome::Differs, "{:?}", verdict.exercised);
}

/// Its larger tiles are none of the rules.
#[test]
fn missing_cap_is_found_at_the_first_merge_to_a_larger_tile() {
    let capped = "2048(cap: 128, goal: 128)".parse::<runner_core::Spec>().unwrap();
    let capped = Game2048::new(capped.read().unwrap()).unwrap();
    let plain = Game2048::new(Default::default()).unwrap();
    let verdict = judged(&plain, &capped, 10_000);
    assert_eq!(verdict.verdict, Outcome::Differs, "{:?}", verdict.error);
    let found = verdict.counterexamples.iter().find(|found| found.law == "moves").unwrap();
    assert!(found.explanation.contains("256"), "{}", found.explanation);
    assert_eq!(found.positions.len(), 2);
}
