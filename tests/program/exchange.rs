//! `runner replay export`: recorded games for other programs.

use crate::harness::place::Place;
use serde_json::Value;
use std::fs;

const GAME: &str = "2048(rows: 3, cols: 3)";
const GAMES: usize = 12;

/// Records games, and returns their results.
#[track_caller]
fn record(place: &Place, game: &str) -> Vec<Value> {
    let eval = format!(
        "eval --game '{game}' --agent greedy --records games.rec --games 12 --scores --threads 1"
    );
    // Games are recorded in the order in which they end: with one thread it is that of their
    // numbers.
    place.json(eval)["scores"].as_array().unwrap().clone()
}

/// Returns the lines that an export prints.
#[track_caller]
fn export(place: &Place, line: &str) -> Vec<String> {
    let ran = place.done(format!("replay export {line}"));
    assert_eq!(ran.err, "", "{ran:?}");
    ran.out.lines().map(String::from).collect()
}

fn objects(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn lines_of_games_are_the_results_of_the_evaluation() {
    let place = Place::new();
    for game in [GAME, "threes"] {
        fs::remove_file(place.path("games.rec")).ok();
        let scores = record(&place, game);
        let mut lines = objects(&export(&place, "games.rec"));
        lines.sort_by_key(|line| line["number"].as_u64());
        assert_eq!(lines.len(), GAMES);
        for (line, expected) in lines.iter().zip(&scores) {
            for field in ["number", "moves", "max_tile"] {
                assert_eq!(line[field], expected[field], "{line}");
            }
            assert_eq!(line["score"].as_f64(), expected["score"].as_f64());
            assert_eq!((&line["agent"], &line["finished"]), (&"greedy".into(), &true.into()));
        }
    }
}

#[test]
fn lines_of_moves_lead_from_start_to_end_and_sum_to_the_score() {
    let place = Place::new();
    record(&place, "threes");
    let games = objects(&export(&place, "games.rec --per game"));
    let moves = objects(&export(&place, "games.rec --per move"));
    for game in games {
        let own: Vec<_> = moves.iter().filter(|line| line["number"] == game["number"]).collect();
        assert_eq!(own.len() as u64, game["moves"].as_u64().unwrap());
        let mut state = &game["start"];
        let mut reward = 0.0;
        for (line, number) in own.iter().zip(1..) {
            assert_eq!((&line["state"], &line["move"]), (state, &number.into()));
            reward += line["reward"].as_f64().unwrap() + line["chance_reward"].as_f64().unwrap();
            state = &line["next"];
        }
        assert_eq!(state, &game["last"]);
        // The tiles at the start have points too.
        assert!(reward <= game["score"].as_f64().unwrap() && reward > 0.0);
    }
}
