//! `runner replay export` and `import`: recorded games for and from other programs.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
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
    // Games are recorded in the order in which they end: with one thread it is that of their numbers.
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

#[test]
fn csv_has_the_fields_of_the_json_lines() {
    let place = Place::new();
    record(&place, GAME);
    for (per, begins) in [("game", "game,agent,number,"), ("move", "number,move,state,")] {
        let lines = export(&place, &format!("games.rec --per {per} --format csv"));
        assert!(lines[0].starts_with(begins), "{}", lines[0]);
        let objects = objects(&export(&place, &format!("games.rec --per {per}")));
        assert_eq!(lines.len(), objects.len() + 1);
        for (line, object) in lines[1..].iter().zip(&objects) {
            let field = |name| match &object[name] {
                Value::String(text) if !text.contains(',') => text.clone(),
                other => other.to_string(),
            };
            let expected: Vec<_> = lines[0].split(',').map(field).collect();
            assert_eq!(object.as_object().unwrap().len(), expected.len());
            assert_eq!(*line, expected.join(","));
        }
    }
}

#[test]
fn episodes_are_imported_as_they_were_exported() {
    for game in [GAME, "threes(bag: 1, bonus: false, entry: far_edge)"] {
        episodes_of_a_game_are_imported_as_they_were_exported(game);
    }
}

fn episodes_of_a_game_are_imported_as_they_were_exported(game: &str) {
    let place = Place::new();
    record(&place, game);
    let lines = export(&place, "games.rec --format episodes");
    assert_eq!(lines.len(), GAMES);
    let (name, _) = game.split_once('(').unwrap();
    let begins = format!("greedy:{name}@0|");
    assert!(lines.iter().all(|line| line.starts_with(&begins)), "{lines:?}");
    fs::write(place.path("stat.txt"), lines.join("\n") + "\n").unwrap();
    let import = format!("replay import stat.txt --game '{game}' --out again.rec");
    let ran = place.done(&import);
    assert!(ran.out.contains("12 games"), "{ran:?}");
    place.done("replay verify again.rec");
    assert_eq!(export(&place, "again.rec --format episodes"), lines);
    // Moves, positions and rewards are the same; numbers are those of the lines.
    let moves = |file: &str| {
        let mut lines = objects(&export(&place, &format!("{file} --per move")));
        lines.iter_mut().for_each(|line| line["number"] = Value::Null);
        lines
    };
    assert_eq!(moves("again.rec"), moves("games.rec"));
    // An existing file is kept.
    let refused = place.sh(&import);
    assert!(refused.code == Some(2) && refused.error().contains("again.rec exists"), "{refused:?}");
    place.done(import + " --force");
}

#[test]
fn damaged_episode_is_named_by_line_and_nothing_is_written() {
    let place = Place::new();
    record(&place, GAME);
    let lines = export(&place, "games.rec --format episodes");
    let import = |lines: &[u8]| {
        fs::write(place.path("stat.txt"), lines).unwrap();
        place.sh(format!("replay import stat.txt --game '{GAME}' --out new.rec"))
    };
    let with_third = |third: &str| {
        let mut lines = lines.clone();
        lines[2] = third.to_owned();
        lines.join("\n").into_bytes()
    };
    // Without the times of the moves, which differ from run to run.
    let parts = lines[2].split('(').map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
    let third: String = parts.collect();
    let reward = third.replacen('[', "[1", 1);
    let (beginning, _) = third.split_at(third.find('[').unwrap() + 2);
    let mut told = String::new();
    for text in [
        with_third(&reward),
        with_third(beginning),
        with_third("nonsense"),
        [with_third("a"), b"\xff".to_vec()].concat(),
        b"\xff\n".to_vec(),
        b"\n\n".to_vec(),
    ] {
        told += &place.printed(&import(&text));
        assert_eq!(place.names(), ["games.rec", "stat.txt"]);
    }
    assert_snapshot!(told);
}

#[test]
fn what_cannot_be_exchanged_is_refused() {
    let place = Place::new();
    record(&place, "2048(rows: 5, cols: 4)");
    fs::write(place.path("stat.txt"), "a@0|01|b@0\n").unwrap();
    assert_snapshot!(place.transcript(
        "replay export games.rec --format episodes
        replay export games.rec --format episodes --per move
        replay import stat.txt --out new.rec
        replay import stat.txt --out new.rec --game 'threes(rows: 5)'
        replay import no.txt --out new.rec --game 2048"
    ));
}
