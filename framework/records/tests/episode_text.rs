//! Games as text: what is written is read as the same game, and damage is found.

use game_2048::{Config, Game2048};
use game_threes::{Entry, Threes};
use runner_core::wrappers::Recorder;
use runner_core::{Action, Agent, Game, Random, Seed, Turn, play};
use runner_records::{Encoder, EpisodeText, GameRecord, Metadata, RecordReader, RecordWriter};
use std::sync::atomic::AtomicBool;

/// Plays random legal actions; ends some games early.
struct Wanderer {
    stops: bool,
}

impl Agent for Wanderer {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let mut random = Random::from_word(turn.random);
        let chosen = turn.successors.get(random.below(turn.successors.len() as u32) as usize);
        let stops = self.stops && random.below(20) == 0;
        chosen.filter(|_| !stops).map(|chosen| chosen.action)
    }
}

fn game(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(Config { rows, cols, ..Config::default() }).unwrap()
}

/// Returns games as they are read from a record file.
fn records<G: Game>(game: &G, count: u64) -> Vec<GameRecord> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    let metadata = Metadata {
        game: "game".into(),
        game_version: "1".into(),
        agent: "wanderer".into(),
        seed: Seed(1),
        program: "test".into(),
        actions: game.description().actions.clone(),
    };
    let mut writer = RecordWriter::create(&path, &metadata).unwrap();
    let mut encoder = Encoder::new(game);
    for number in 0..count {
        let mut recorder = Recorder::new(Wanderer { stops: number % 3 == 2 });
        let mut random = Random::stream(Seed(1), number);
        let episode = play(game, &mut recorder, &mut random, &AtomicBool::new(false));
        let transcript = &recorder.transcript;
        let block = encoder.encode(number, transcript, episode.score, episode.finished).unwrap();
        writer.write(&block).unwrap();
    }
    writer.finish().unwrap();
    RecordReader::open(&path).unwrap().map(Result::unwrap).collect()
}

#[test]
fn every_game_is_read_as_it_was_written() {
    for (rows, cols) in [(2, 2), (2, 3), (4, 4)] {
        let game = game(rows, cols);
        let text = EpisodeText::new(&game).unwrap();
        for record in records(&game, 30) {
            let line = text.write(&record, "wanderer:2048", "2048").unwrap();
            let read = text.read(&line, record.number).unwrap();
            assert_eq!(read, record);
            assert_eq!(text.write(&read, "wanderer:2048", "2048").unwrap(), line);
            assert!(line.starts_with("wanderer:2048@0|") && line.ends_with("|2048@0"), "{line}");
        }
    }
}

#[test]
fn line_of_the_format_is_read() {
    // Tiles 2 and 2 on the upper left cells; left merges them, and a 4 appears at the end of the
    // first row. Times are dropped.
    let game = game(4, 4);
    let text = EpisodeText::new(&game).unwrap();
    let line = "player:random@1500000000000|01(1)11(2)#L[4](3)32(4)#D41|x@5";
    let record = text.read(line, 9).unwrap();
    assert_eq!((record.number, record.moves(), record.score), (9, 2, 4.0));
    assert_eq!(game.write(record.start), "2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0");
    assert!(!record.finished);
    let written = text.write(&record, "player:random", "x").unwrap();
    assert_eq!(written, "player:random@0|0111#L[4]32#D41|x@0");
}

#[test]
fn order_of_the_first_tiles_does_not_matter() {
    let game = game(4, 4);
    let text = EpisodeText::new(&game).unwrap();
    let read = |moves: &str| text.read(&format!("a@0|{moves}|b@0"), 0).unwrap();
    assert_eq!(read("F101#U51"), read("01F1#U51"));
}

#[test]
fn damaged_character_is_an_error_or_another_valid_game() {
    let game = game(2, 3);
    let text = EpisodeText::new(&game).unwrap();
    let record = &records(&game, 1)[0];
    let line = text.write(record, "a", "b").unwrap();
    let (from, to) = (line.find('|').unwrap(), line.rfind('|').unwrap());
    let (mut refused, mut changed) = (0, 0);
    for at in from..=to {
        for byte in b"0159FZ#ULxx[]()|@ " {
            let mut damaged = line.clone().into_bytes();
            damaged[at] = *byte;
            let damaged = String::from_utf8(damaged).unwrap();
            match text.read(&damaged, 0) {
                Err(error) => {
                    refused += 1;
                    assert!(error.at <= damaged.len(), "{error}");
                }
                Ok(read) => {
                    changed += 1;
                    // The game that is read follows the rules.
                    assert!(runner_records::replay(&game, &read).verify().is_ok());
                }
            }
        }
    }
    // Most changes contradict a reward or a later move.
    assert!(refused > 20 * changed, "{refused} refused, {changed} read");
    for length in 0..line.len() {
        let cut = text.read(&line[..length], 0);
        assert!(cut.is_err() || length > to + 2, "cut at {length}");
    }
}

#[test]
fn errors_name_the_character_and_the_reason() {
    let game = game(4, 4);
    let text = EpisodeText::new(&game).unwrap();
    for (line, at, reason) in [
        ("", 0, "`@`"),
        ("a|0111|b@0", 1, "`@`"),
        ("a@x|0111|b@0", 2, "number"),
        ("a@0|01G1|b@0", 6, "not on the board"),
        ("a@0|01-1|b@0", 6, "position, 0 to F"),
        ("a@0|0110|b@0", 6, "not on the board"),
        ("a@0|0101|b@0", 6, "one cell"),
        ("a@0|0111#X31|b@0", 9, "U, R, D and L"),
        ("a@0|0111#U31|b@0", 8, "`up` is not legal in 2,2,0,0"),
        ("a@0|0111#L31|b@0", 10, "reward is 0, and the rules give 4"),
        ("a@0|0111#L[8]31|b@0", 10, "reward is 8"),
        ("a@0|0111#L[4|b@0", 12, "`]`"),
        ("a@0|0111#L[4]01|b@0", 13, "cannot place"),
        ("a@0|0111#L[4]33|b@0", 13, "cannot place"),
        ("a@0|0111#L[4]|b@0", 13, "position"),
        ("a@0|0111#L[4]31", 15, "`|`"),
        ("a@0|0111#L[4]31|b@0 ", 19, "end here"),
        ("a@0|01|b@0", 6, "no start position"),
        ("a@99999999999999999999|0111|b@0", 2, "19 digits"),
    ] {
        let error = text.read(line, 0).expect_err(line);
        assert_eq!(error.at, at, "{line}: {error}");
        assert!(error.message.contains(reason), "{line}: {error}");
    }
}

/// The rules of the course: bags of three, no bonus, and the next tile on any cell of the far edge.
fn course() -> Threes {
    let rules = game_threes::Config { bag: 1, bonus: false, ..game_threes::Config::default() };
    Threes::new(game_threes::Config { entry: Entry::FarEdge, ..rules }).unwrap()
}

#[test]
fn every_game_of_threes_is_read_as_it_was_written() {
    let default = game_threes::Config::default();
    let small = game_threes::Config { rows: 3, cols: 2, bag: 2, ..default.clone() };
    for game in [course(), Threes::new(default).unwrap(), Threes::new(small).unwrap()] {
        let text = EpisodeText::new(&game).unwrap();
        for record in records(&game, 60) {
            let line = text.write(&record, "wanderer:threes", "threes").unwrap();
            assert_eq!(text.read(&line, record.number).unwrap(), record, "{line}");
        }
    }
}

#[test]
fn line_of_threes_is_read() {
    // Three tiles of each kind. Down moves the columns by one cell, and a 1 enters above; left merges
    // 1 and 2 in two rows, and a 2 enters at the right.
    let game = course();
    let text = EpisodeText::new(&game).unwrap();
    let line = "p:e@0|012123231[3]312423531[3]612723831[3]#D012#L[6]723|e@0";
    let record = text.read(line, 0).unwrap();
    assert_eq!((record.moves(), record.score, record.finished), (2, 15.0, false));
    assert_eq!(game.write(record.start), "1,2,3,1/2,3,1,2/3,0,0,0/0,0,0,0 next=1 bag=0,1,1");
    assert_eq!(text.write(&record, "p:e", "e").unwrap(), line);
    for (old, new, reason) in [
        ("|012", "|013", "another tile was announced"),
        ("[6]723", "[6]725", "never announced"),
        ("[6]723", "[6]721", "cannot place"),
        ("[6]723", "[6]72", "the next tile"),
        ("[6]723", "[6]623", "cannot place"),
        ("231[3]", "231[2]", "the reward is 2, and the rules give 3"),
        ("831[3]#D012#L[6]723", "", "no game starts with these tiles"),
        ("012123231[3]312423531[3]612723831[3]", "", "without a tile"),
    ] {
        assert!(line.contains(old));
        let error = text.read(&line.replacen(old, new, 1), 0).expect_err(new);
        assert!(error.message.contains(reason), "{new}: {error}");
    }
}

#[test]
fn first_tiles_stand_in_an_order_in_which_a_bag_gives_them() {
    let game = course();
    let text = EpisodeText::new(&game).unwrap();
    for record in records(&game, 30) {
        let line = text.write(&record, "a", "b").unwrap();
        let start = line.split(['|', '#']).nth(1).unwrap().replace("[3]", "");
        let tiles: Vec<_> = start.as_bytes().chunks(3).map(|placed| placed[1]).collect();
        for bag in tiles.chunks(3) {
            let mut bag = bag.to_vec();
            bag.sort_unstable();
            assert_eq!(bag, b"123", "{line}");
        }
    }
}

#[test]
fn games_beyond_the_format_are_refused() {
    let refused = |game: &Game2048| EpisodeText::new(game).err().unwrap();
    assert!(refused(&game(5, 4)).contains("more than 16 cells"));
}
