//! The rules: against a slow reference, recorded games and the laws that every game satisfies.

mod reference;

use game_reference::differential;
use game_threes::{Bonus, Config, Entry, Threes};
use reference::Reference;
use runner_core::{Afterstate, Game, Outcomes, Successors};

fn compare(config: Config, parts: usize) {
    let fast = Threes::new(config.clone()).unwrap();
    let slow = Reference::of(&fast, &config);
    differential::compare(&fast, &slow, differential::positions(parts), |r| slow.synthetic(r));
}

fn compare_rows(rows: usize) {
    for cols in 2..=5 {
        let config = Config { rows, cols, ..Config::default() };
        // One in 20 positions announces a bonus by default; here one in 2.
        let bonus = Config { bonus_odds: 2, top: 12288, ..config.clone() };
        let course = Config { bag: 1, bonus: Bonus::None, entry: Entry::FarEdge, ..config.clone() };
        let set = Config { bonus: Bonus::Set, ..bonus.clone() };
        compare(config, 32);
        compare(set, 64);
        compare(bonus, 64);
        compare(course, 64);
    }
}

game_reference::compare_rows!(compare_rows);
game_reference::files_agree!(Reference::of::<Threes>, Threes::new);

#[test]
fn laws_hold_for_various_parameters() {
    let config = Config::default();
    for config in [
        config.clone(),
        // The three-tile bag and the whole far edge of a university course.
        Config { rows: 2, cols: 3, bag: 1, bonus: Bonus::None, ..config.clone() },
        Config { bag: 1, entry: Entry::FarEdge, ..config.clone() },
        // Bonus tiles all the time, so that chance is tested with them.
        Config { rows: 3, cols: 3, bonus_odds: 1, top: 12288, ..config.clone() },
        Config { rows: 4, cols: 3, bonus_odds: 2, start_tiles: Some(1), ..config.clone() },
        Config { bonus: Bonus::Set, bonus_odds: 1, top: 12288, ..config.clone() },
        Config { rows: 3, cols: 2, bonus: Bonus::Set, bonus_odds: 2, ..config.clone() },
        // A top that play reaches.
        Config { rows: 2, cols: 2, top: 24, ..config.clone() },
        Config { rows: 3, cols: 4, top: 48, bonus_odds: 3, bag: 15, ..config.clone() },
        // Five cells of four bits and more: the wide boards.
        Config { rows: 2, cols: 5, entry: Entry::FarEdge, bonus_odds: 2, ..config.clone() },
        Config { rows: 5, cols: 5, start_tiles: Some(25), ..config },
    ] {
        runner_laws::assert_holds(&Threes::new(config).unwrap());
    }
}

#[test]
fn afterstates_with_an_empty_bag_or_an_impossible_bonus_have_no_outcomes() {
    let game = Threes::new(Config::default()).unwrap();
    let (mut successors, mut outcomes) = (Successors::new(), Outcomes::with_capacity(64));
    game.successors(game.start(1), &mut successors);
    let afterstate = successors[0].afterstate.bits();
    for bits in [afterstate & !(0xfff << 102), afterstate | 3 << 100] {
        game.outcomes(Afterstate::from_bits(bits), &mut outcomes);
        assert!(outcomes.is_empty(), "{bits:#x}: {outcomes:?}");
    }
}

#[test]
fn a_bonus_may_be_announced_as_a_set() {
    let config = Config { rows: 2, cols: 2, bonus: Bonus::Set, ..Config::default() };
    let game = Threes::new(config).unwrap();
    let position = |next: &str| game.parse(&format!("384,3/0,0 next={next} bag=4,4,4"));
    for set in ["6,12,24", "12,24,48"] {
        let state = position(set).unwrap();
        assert!(game.write(state).contains(&format!(" next={set} ")));
        let (mut successors, mut outcomes) = (Successors::new(), Outcomes::with_capacity(64));
        game.successors(state, &mut successors);
        game.outcomes(successors[0].afterstate, &mut outcomes);
        let entered = |state| game.chance_reward(Some(successors[0].afterstate), state);
        let mut points: Vec<_> = outcomes.iter().map(|one| entered(one.state)).collect();
        points.sort_by(f32::total_cmp);
        points.dedup();
        let expected = if set == "6,12,24" { [9.0, 27.0, 81.0] } else { [27.0, 81.0, 243.0] };
        assert_eq!(points, expected);
    }
    for (next, says) in
        [("bonus", "or a set: 6,12,24 or 12,24,48"), ("6,12", "or a set: 6,12,24 or")]
    {
        let error = position(next).expect_err(next);
        assert!(error.message.contains(says), "{error:?}");
    }
    let error = game.parse("24,3/0,0 next=6 bag=4,4,4").unwrap_err();
    assert!(error.message.contains("a bonus needs a tile of 48"), "{error:?}");
}

#[test]
fn errors_in_the_announced_tile_and_the_bag_are_located() {
    let config = Config { rows: 2, cols: 3, bag: 1, bonus: Bonus::None, ..Config::default() };
    let game = Threes::new(config).unwrap();
    for (rest, at, says) in [
        ("next=1 bag=2,1,1", 23, "expected the number of 1s in the bag, 0 to 1"),
        ("next=1 bag=1,1", 26, "expected the number of 3s in the bag, 0 to 1"),
        ("next=4 bag=0,1,1", 17, "no bonus tiles: next= is 1, 2 or 3"),
        ("next=bonus bag=0,1,1", 17, "no bonus tiles: next= is 1, 2 or 3"),
        ("next=1", 18, "the rest of the bag, is missing"),
    ] {
        let error = game.parse(&format!("1,2,3/0,0,0 {rest}")).expect_err(rest);
        assert_eq!((error.at, error.message.contains(says)), (at, true), "{rest}: {error:?}");
    }
}
