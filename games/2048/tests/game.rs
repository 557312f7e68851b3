//! Parameters, text and random games.

use game_2048::{Config, Game2048};
use runner_core::{
    Action, Afterstate, Game, Outcomes, Playout, PlayoutTotals, Probability, State, Successors,
    playouts,
};

fn standard() -> Game2048 {
    Game2048::new(Config::default()).unwrap()
}

fn sized(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(Config { rows, cols, ..Config::default() }).unwrap()
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let default = Config::default;
    let spawn = |tiles: &[(u64, f64)]| {
        tiles.iter().map(|&(tile, p)| (tile, Probability::new(p).unwrap())).collect::<Vec<_>>()
    };
    let of = |tiles: &[(u64, f64)]| Config { spawn: spawn(tiles), ..default() };
    for (config, parameter, says) in [
        (Config { rows: 1, ..default() }, "rows", "1 is not from 2 to 5"),
        (Config { cols: 6, ..default() }, "cols", "6 is not from 2 to 5"),
        (Config { goal: 3000, ..default() }, "goal", "4, 8, 16, "),
        (Config { goal: 2, ..default() }, "goal", "131072"),
        (Config { goal: 0, ..default() }, "goal", "131072"),
        (Config { goal: 262_144, ..default() }, "goal", "131072"),
        (Config { start_tiles: 0, ..default() }, "start_tiles", "from 1 to 16"),
        (Config { start_tiles: 17, ..default() }, "start_tiles", "from 1 to 16"),
        (Config { start_tiles: 16, walls: vec![3], ..default() }, "start_tiles", "from 1 to 15"),
        (of(&[(2, 0.5), (4, 0.25)]), "spawn", "sum to 0.75, not to 1"),
        (of(&[(2, 0.5), (2, 0.5)]), "spawn", "2 is listed twice"),
        (of(&[(3, 1.0)]), "spawn", "3 is no tile of this game"),
        (of(&[(0, 1.0)]), "spawn", "0 is no tile of this game"),
        (of(&[(65_536, 1.0)]), "spawn", "65536 cannot enter, the largest that can is 32768"),
        (Config { walls: vec![0], ..of(&[(32_768, 1.0)]) }, "spawn", "that can is 16384"),
        (Config { four: Probability::new(0.2).unwrap(), ..of(&[(2, 1.0)]) }, "spawn", "`four` and"),
        (Config { cap: 4, goal: 4, ..of(&[(8, 1.0)]) }, "spawn", "8 is above the cap 4"),
        (Config { cap: 3000, ..default() }, "cap", "a power of two from 4 to 131072"),
        (Config { cap: 2, ..default() }, "cap", "a power of two from 4 to 131072"),
        (Config { cap: 262_144, ..default() }, "cap", "a power of two from 4 to 131072"),
        (Config { cap: 1024, ..default() }, "goal", "2048, which is above the cap 1024"),
        (Config { walls: vec![16], ..default() }, "walls", "0 to 15"),
        (Config { walls: vec![3, 3], ..default() }, "walls", "twice"),
        (Config { walls: (0..16).collect(), ..default() }, "walls", "every cell holds a stone"),
    ] {
        let Err(error) = Game2048::new(config.clone()) else { panic!("{config:?} was built") };
        assert_eq!(error.parameter.as_deref(), Some(parameter));
        assert!(error.message.contains(says), "{error}");
    }
    for goal in [4, 131_072] {
        assert!(Game2048::new(Config { goal, ..default() }).is_ok());
    }
}

#[test]
fn tiles_of_probability_0_are_no_outcomes() {
    for (four, tiles) in [(0.0, vec!["2"]), (1.0, vec!["4"]), (0.1, vec!["2", "4"])] {
        let four = Probability::new(four).unwrap();
        let game = Game2048::new(Config { rows: 2, cols: 2, four, ..Config::default() }).unwrap();
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        let after = game.parse("8,8/8,0").unwrap();
        game.outcomes(Afterstate::from_bits(after.bits()), &mut outcomes);
        let found: Vec<_> = outcomes.iter().map(|o| game.write(o.state)).collect();
        let expected: Vec<_> = tiles.iter().map(|tile| format!("8,8/8,{tile}")).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn starts_are_listed_if_they_are_few() {
    // 2 of 16 cells, each with a 2 or a 4.
    let starts = standard().starts().unwrap();
    assert_eq!(starts.len(), 16 * 15 / 2 * 4);
    assert!((starts.iter().map(|o| o.probability).sum::<f64>() - 1.0).abs() < 1e-12);
    // Two 2s on two given cells.
    let both = standard().parse("2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0").unwrap();
    let probability = starts.iter().find(|o| o.state == both).unwrap().probability;
    assert!((probability - 0.81 / 120.0).abs() < 1e-12);

    let filled = Config { start_tiles: 16, ..Config::default() };
    // 2^16 boards of 2s and 4s are few enough, 2^25 are not.
    assert_eq!(Game2048::new(filled).unwrap().starts().unwrap().len(), 1 << 16);
    let filled = Config { rows: 5, cols: 5, start_tiles: 25, ..Config::default() };
    assert!(Game2048::new(filled).unwrap().starts().is_none());
}

#[test]
fn statistics_of_a_position() {
    let game = standard();
    let state = game.parse("2,0,4,0/0,131072,0,0/0,0,0,0/0,0,8,0").unwrap();
    assert_eq!(game.max_tile(state), Some(131_072));
    assert_eq!(game.layer(state), Some(131_072 + 2 + 4 + 8));
    assert_eq!(game.max_tile(State::default()), Some(0));
    assert_eq!(game.description().tiles.len(), 17);
    assert_eq!(game.description().goal, Some(2048));
}

#[test]
fn tiles_merge_up_to_131072() {
    let game = sized(2, 2);
    let left = |text| {
        let successor = game.successor(game.parse(text).unwrap(), Action(3))?;
        Some((game.write_afterstate(successor.afterstate), successor.reward))
    };
    let merged = |text: &str, reward| Some((text.to_owned(), reward));
    assert_eq!(left("32768,32768/2,2"), merged("65536,0/4,0", 65_540.0));
    assert_eq!(left("65536,65536/0,0"), merged("131072,0/0,0", 131_072.0));
    assert_eq!(left("131072,131072/0,0"), None);
}

#[test]
fn tiles_of_the_cap_do_not_merge() {
    let config = Config { rows: 2, cols: 2, cap: 16, goal: 16, ..Config::default() };
    let game = Game2048::new(config).unwrap();
    let state = game.parse("16,16/8,8").unwrap();
    let left = game.successor(state, Action(3)).unwrap();
    assert_eq!((game.write_afterstate(left.afterstate), left.reward), ("16,16/16,0".into(), 16.0));
    assert_eq!(game.description().tiles, [2, 4, 8, 16]);
    assert!(game.parse("32,0/0,0").unwrap_err().message.contains("no tile 32"));
}

#[test]
fn tiles_of_a_list_enter_with_its_probabilities() {
    let game: Game2048 = {
        let spec = "2048(rows: 2, cols: 2, spawn: [(2, 0.8), (4, 0.15), (8, 0.05)])";
        Game2048::new(spec.parse::<runner_core::Spec>().unwrap().read().unwrap()).unwrap()
    };
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(Afterstate::from_bits(game.parse("2,16/0,0").unwrap().bits()), &mut outcomes);
    let found: Vec<_> = outcomes.iter().map(|o| (game.write(o.state), o.probability)).collect();
    let tiles = [(2, 0.8), (4, 0.15), (8, 0.05)];
    let expected: Vec<_> = [("2,16/", ",0"), ("2,16/0,", "")]
        .iter()
        .flat_map(|(before, after)| {
            tiles.map(|(tile, p)| (format!("{before}{tile}{after}"), p / 2.0))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn errors_in_text_are_located() {
    let game = sized(2, 3);
    // Lines of a text, the place of its error, and a part of the message.
    for line in include_str!("errors.txt").lines() {
        let [text, at, says] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("three columns are expected: {line}");
        };
        let error = game.parse(text).expect_err(text);
        assert!(error.at.to_string() == at && error.message.contains(says), "{text}: {error}");
    }
    assert_eq!(game.write(game.parse("2,0,8/0,131072,4").unwrap()), "2,0,8/0,131072,4");
}

#[test]
fn boards_as_people_and_programs_print_them_are_read() {
    let game = sized(2, 3);
    for text in [
        "2,0,8/0,16,0",
        "2 0 8/0 16 0",
        "2 0 8; 0 16 0",
        "2\t0\t8\n0\t16\t0\n",
        "  2   .   8\r\n  .  16   .\r\n",
        "2,,8/,16,0",
        "2, , 8\n, 16, _",
        "[[2, 0, 8], [0, 16, 0]]",
        "[[2,0,8],\n [0,16,0]]\n",
        "[[ 2  0  8]\n [ 0 16  0]]",
        "2,0,8,\n0,16,0",
    ] {
        let read = game.parse(text).map(|state| game.write(state));
        assert_eq!(read.as_deref(), Ok("2,0,8/0,16,0"), "{text:?}");
    }
}

/// Asserts that two sets of random games agree in their mean score and length within five
/// standard errors. The standard deviation of the scores is about half their mean.
fn assert_agree(a: PlayoutTotals, b: PlayoutTotals) {
    assert!(a.games > 1000 && b.games > 1000);
    let mean = |p: PlayoutTotals| p.score / p.games as f64;
    let error = 0.5 * (1.0 / a.games as f64 + 1.0 / b.games as f64).sqrt() * mean(a);
    assert!((mean(a) - mean(b)).abs() < 5.0 * error, "{} against {}", mean(a), mean(b));
    let moves = |p: PlayoutTotals| p.moves as f64 / p.games as f64;
    assert!((moves(a) / moves(b) - 1.0).abs() < 5.0 * error / mean(a), "{a:?} against {b:?}");
}

#[test]
fn playouts_on_tables_agree_with_the_rules() {
    for (rows, cols) in [(4, 4), (2, 3), (3, 3)] {
        let game = sized(rows, cols);
        let state = game.start(7);
        assert_agree(
            playouts::totals(&game, state, 20_001, 1),
            playouts::general_totals(&game, state, 20_001, 2),
        );
    }
    // From here, half of the games begin with a merge beyond the tables.
    let game = sized(3, 3);
    let state = game.parse("32768,32768,2/2,4,2/4,2,4").unwrap();
    assert_agree(
        playouts::totals(&game, state, 20_001, 1),
        playouts::general_totals(&game, state, 20_001, 2),
    );
}

#[test]
fn playouts_play_the_requested_number_of_games() {
    let game = standard();
    let start = game.parse("2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0").unwrap();
    // Fewer than the interleaved lanes, as many, and more.
    for games in 0..12 {
        let played = playouts::totals(&game, start, games, 1);
        assert_eq!(played, playouts::totals(&game, start, games, 1));
        assert_eq!(played.games, games);
        // No game from an almost empty board ends within 10 moves.
        assert!(played.moves >= 10 * games && (played.moves == 0) == (games == 0));
    }
    let over = game.parse("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2").unwrap();
    assert_eq!(
        playouts::totals(&game, over, 9, 1),
        PlayoutTotals { games: 9, moves: 0, score: 0.0 }
    );
    // The only move merges the tiles of the top row, for a reward of 4.
    let merge = sized(2, 2).parse("2,2/8,16").unwrap();
    let played = playouts::totals(&sized(2, 2), merge, 9, 1);
    assert!(played.score >= 9.0 * 4.0 && played.moves >= 9);
}

/// Each game has its own start and its own result, whatever the games beside it do.
#[test]
fn playouts_end_where_their_own_start_leads() {
    let game = sized(2, 2);
    let starts = ["2,2/8,16", "4,4/8,16", "8,16/32,64", "32,32/8,16", "64,64/8,16", "2,2/16,64"]
        .map(|text| game.parse(text).unwrap());
    for count in 0..=starts.len() {
        let mut results = vec![Playout::default(); count];
        game.playouts(&starts[..count], 3, &mut results);
        for (result, &start) in results.iter().zip(&starts) {
            assert!(game.max_tile(result.last) >= game.max_tile(start));
            let mut list = Successors::new();
            game.successors(result.last, &mut list);
            assert!(list.is_empty(), "{}", game.write(result.last));
            game.successors(start, &mut list);
            assert_eq!(result.moves > 0, !list.is_empty());
            // Every first move has the same reward.
            let reward = list.first().map_or(0.0, |successor| f64::from(successor.reward));
            assert!(result.score >= reward && (result.moves > 1 || result.score == reward));
        }
    }
}
