//! Sessions of `watch` without a terminal: the games, the keys and the screens.

use crate::plays::{game, linked};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use runner_core::{Game, Random, Seed};
use runner_play::evaluation::{Plan, play};
use runner_play::player::NamedPlayer;
use runner_play::registry::Registry;
use runner_play::threads::{Services, Threads};
use runner_records::{RecordReader, replay};
use runner_session::command::{Arrow, Command};
use runner_session::session::{Mover, SPEEDS, Session, Setup};
use runner_session::timeline::Timeline;
use runner_watch::colors::{Colors, Look};
use runner_watch::screen::{SMALLEST, draw};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const SEED: Seed = Seed(3);
/// Positions that are no starts.
const EDITED_2048: &str = "0,0,0,0/0,0,0,0/0,0,64,8/0,2,4,512";
const EDITED_THREES: &str = "0,0,0,0/0,0,0,0/0,0,48,6/0,2,3,192 next=1 bag=3,4,4";
const FULL: usize = SPEEDS.len() - 1;

/// Every look of a terminal.
const LOOKS: [Look; 3] = [
    Look { colors: Colors::All, unicode: true },
    Look { colors: Colors::Sixteen, unicode: false },
    Look { colors: Colors::None, unicode: false },
];

fn setup(registry: &Arc<Registry>, spec: &str, agent: Option<&str>, speed: usize) -> Setup {
    let game = game(registry, spec);
    let threads = Threads::new(Some(1)).unwrap();
    let services = Services::new(&threads, registry, &game);
    let player = agent.map(|agent| {
        NamedPlayer::build(registry, &agent.parse().unwrap(), &game, &services).unwrap()
    });
    let mut random = Random::stream(SEED, 0);
    let timeline = Timeline::new(&*game.rules, game.rules.start(random.word()));
    Setup { player, speed, ..Setup::new(game, SEED, timeline, random) }
}

/// Ticks until a condition holds. Each tick is an hour later than the one before it, so that
/// every move is due.
#[track_caller]
fn tick_until(session: &mut Session, condition: impl Fn(&Session) -> bool) {
    let (start, mut now) = (Instant::now(), Instant::now());
    while !condition(session) {
        assert!(start.elapsed() < Duration::from_secs(120), "it does not come about");
        now += Duration::from_secs(3600);
        session.tick(now).unwrap();
        std::thread::yield_now();
    }
}

/// Returns a game that the player has played to its end.
#[track_caller]
fn played(registry: &Arc<Registry>, spec: &str, agent: &str) -> Session {
    let mut session = Session::new(setup(registry, spec, Some(agent), FULL)).unwrap();
    tick_until(&mut session, Session::is_over);
    session
}

fn obey(session: &mut Session, command: Command) {
    assert!(session.obey(command, Instant::now()).unwrap());
}

/// Returns the text of a screen of this size.
fn screen(session: &Session, (columns, lines): (u16, u16), look: Look, all: &Registry) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw(frame, session, look, all)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn watched_game_is_that_of_an_evaluation_at_every_speed() {
    let registry = linked();
    for agent in ["random", "greedy"] {
        let Setup { game, player, .. } = setup(&registry, "2048", Some(agent), FULL);
        let threads = Threads::new(Some(1)).unwrap();
        let plan = Plan::new(&game, 1, SEED, &threads);
        let played =
            play(&plan, &player.unwrap(), None, &AtomicBool::new(false), &mut |_| {}).unwrap();
        let expected = played.results.games()[0];
        for speed in [0, 4, FULL] {
            let mut session = Session::new(setup(&registry, "2048", Some(agent), speed)).unwrap();
            tick_until(&mut session, Session::is_over);
            let timeline = session.timeline();
            assert_eq!((timeline.score(), timeline.at() as u64), (expected.score, expected.moves));
        }
    }
}

#[test]
fn person_takes_over_moves_and_hands_back() {
    let registry = linked();
    let mut session = Session::new(setup(&registry, "2048", Some("greedy"), 4)).unwrap();
    tick_until(&mut session, |session| session.timeline().at() == 20);
    // Arrows do nothing while the player moves.
    obey(&mut session, Command::Arrow(Arrow::Up));
    assert_eq!(session.timeline().moves(), 20);
    assert!(session.message().contains("takes over"), "{}", session.message());
    obey(&mut session, Command::TakeOver);
    assert_eq!(session.mover(), Mover::Person);
    for _ in 0..10 {
        let before = session.timeline().at();
        for arrow in [Arrow::Up, Arrow::Left, Arrow::Down, Arrow::Right] {
            obey(&mut session, Command::Arrow(arrow));
        }
        assert!(session.timeline().at() > before || session.is_over());
    }
    let moves = session.timeline().moves();
    // The player gives its opinion of the person's position, and does not move.
    tick_until(&mut session, Session::has_opinion);
    assert_eq!(session.timeline().moves(), moves);
    obey(&mut session, Command::Back);
    assert_eq!(session.timeline().at(), moves - 1);
    obey(&mut session, Command::TakeOver);
    tick_until(&mut session, Session::is_over);
    assert!(session.timeline().at() >= moves);
}

#[test]
fn person_plays_at_once_and_sees_the_values_on_request() {
    let registry = linked();
    let of_player = setup(&registry, "2048", Some("greedy"), 4);
    let (player, mut setup) = (of_player.player.clone(), of_player);
    (setup.player, setup.person_plays) = (None, true);
    let mut session = Session::new(setup).unwrap();
    session.wait_for_player("loading a.model, 37 MiB".into());
    let screen = |session: &Session| screen(session, (80, 24), LOOKS[2], &registry);
    assert!(screen(&session).contains("loading a.model, 37 MiB"), "{}", screen(&session));
    let legal = session.legal().iter().next().unwrap().action;
    obey(&mut session, Command::Act { action: legal.0 });
    assert_eq!(session.timeline().at(), 1);
    session.set_player(player.unwrap()).unwrap();
    tick_until(&mut session, Session::has_opinion);
    assert!(session.message().is_empty() && session.shown_opinion().is_none());
    assert!(screen(&session).contains("hint"), "{}", screen(&session));
    obey(&mut session, Command::Hint);
    assert!(session.shown_opinion().is_some());
    let legal = session.legal().iter().next().unwrap().action;
    obey(&mut session, Command::Act { action: legal.0 });
    assert!(session.shown_opinion().is_none(), "the hint was for the position before");
    assert_eq!((session.mover(), session.timeline().at()), (Mover::Person, 2));
}

#[test]
fn person_who_takes_over_on_an_earlier_position_finds_it_paused() {
    let registry = linked();
    let played = played(&registry, "2048", "greedy");
    for recorded_agent in [None, Some("greedy".to_owned())] {
        for is_paused in [true, false] {
            let mut start = setup(&registry, "2048", Some("greedy"), 4);
            start.timeline = played.timeline().clone();
            start.timeline.seek(5);
            start.recorded_agent = recorded_agent.clone();
            let mut session = Session::new(start).unwrap();
            if is_paused {
                obey(&mut session, Command::Pause);
            }
            obey(&mut session, Command::TakeOver);
            for hours in 1..20 {
                session.tick(Instant::now() + Duration::from_secs(3600 * hours)).unwrap();
            }
            assert_eq!((session.timeline().at(), session.mover()), (5, Mover::Person));
            // The person's move replaces the others, and the player continues from there.
            let legal = session.legal()[0].action;
            obey(&mut session, Command::Act { action: legal.0 });
            assert_eq!((session.timeline().at(), session.timeline().moves()), (6, 6));
            obey(&mut session, Command::TakeOver);
            tick_until(&mut session, |session| session.timeline().at() > 8 || session.is_over());
        }
    }
}

#[test]
fn keys_move_through_the_game() {
    let registry = linked();
    let mut session = played(&registry, "2048", "greedy");
    let moves = session.timeline().moves();
    obey(&mut session, Command::First);
    assert_eq!(session.timeline().at(), 0);
    obey(&mut session, Command::Forward);
    assert_eq!(session.timeline().at(), 1);
    obey(&mut session, Command::GoTo);
    for digit in [1, 2, 7] {
        obey(&mut session, Command::Digit(digit));
    }
    obey(&mut session, Command::Back);
    assert!(session.message().contains("12_"), "{}", session.message());
    obey(&mut session, Command::Enter);
    assert_eq!(session.timeline().at(), 12);
    obey(&mut session, Command::GoTo);
    obey(&mut session, Command::Digit(5));
    obey(&mut session, Command::Cancel);
    assert_eq!(session.timeline().at(), 12);
    obey(&mut session, Command::Last);
    assert_eq!(session.timeline().at(), moves);
    // A number beyond the end leads there.
    obey(&mut session, Command::First);
    obey(&mut session, Command::GoTo);
    (0..6).for_each(|_| obey(&mut session, Command::Digit(9)));
    obey(&mut session, Command::Enter);
    assert_eq!(session.timeline().at(), moves);
    assert!(session.message().contains(&format!("the game has {moves} moves")));
    // A paused replay continues to the end.
    obey(&mut session, Command::First);
    obey(&mut session, Command::Pause);
    tick_until(&mut session, Session::is_over);
    assert_eq!(session.timeline().at(), moves);
    obey(&mut session, Command::New);
    assert_eq!(session.timeline().at(), 0);
    assert!(!session.obey(Command::Quit, Instant::now()).unwrap());
}

#[test]
fn lines_beside_the_board_are_whole_on_the_smallest_screen() {
    let registry = linked();
    for game in ["2048", "2048(rows: 5, cols: 5)", "threes"] {
        let agent = Some("expectimax(depth: 2, value: snake-paths, table: \"1M\")");
        let mut session = Session::new(setup(&registry, game, agent, 4)).unwrap();
        tick_until(&mut session, |session| session.timeline().at() >= 100 || session.is_over());
        obey(&mut session, Command::Back);
        tick_until(&mut session, Session::has_opinion);
        let screens = [SMALLEST, (120, 40)].map(|size| screen(&session, size, LOOKS[2], &registry));
        let words = |text: &str| -> BTreeSet<String> {
            text.split([' ', '"', '\n']).map(str::to_owned).collect()
        };
        let [small, large] = screens.each_ref().map(|text| words(text));
        // Each word of the small screen is one of the large screen, apart from bars.
        let cut: Vec<_> = small.difference(&large).filter(|word| !word.contains('#')).collect();
        assert!(
            cut.iter().all(|word| ["...", "+-----+", "paused"].contains(&word.as_str())),
            "{cut:?}: {}",
            screens[0]
        );
        assert!(small.contains("paused"), "{}", screens[0]);
    }
}

#[test]
fn values_of_another_position_are_not_shown_where_the_game_stands() {
    let registry = linked();
    let played = played(&registry, "2048", "random");
    let mut judged = setup(&registry, "2048", Some("rows"), 4);
    judged.timeline = played.timeline().clone();
    judged.timeline.seek(0);
    judged.recorded_agent = Some("random".into());
    let mut session = Session::new(judged).unwrap();
    obey(&mut session, Command::Pause);
    tick_until(&mut session, Session::has_opinion);
    let shows_values = |session: &Session| {
        let text = screen(session, (80, 24), LOOKS[2], &registry);
        session.shown_opinion().is_some() && text.contains("####")
    };
    assert!(shows_values(&session));
    let title = screen(&session, (80, 24), LOOKS[2], &registry);
    assert!(title.contains("2048 by random, judged by rows"), "{title}");
    obey(&mut session, Command::Pause);
    tick_until(&mut session, Session::is_over);
    tick_until(&mut session, |session| !session.is_thinking());
    assert!(session.opinion().is_some() && !shows_values(&session));
    obey(&mut session, Command::Back);
    tick_until(&mut session, Session::has_opinion);
    assert!(shows_values(&session));
}

#[test]
fn choice_is_marked_on_the_smallest_screen() {
    let registry = linked();
    for game in ["2048", "2048(rows: 5, cols: 5)", "threes"] {
        let mut session = Session::new(setup(&registry, game, Some("rows"), 4)).unwrap();
        obey(&mut session, Command::Pause);
        tick_until(&mut session, Session::has_opinion);
        for look in LOOKS {
            let text = screen(&session, SMALLEST, look, &registry);
            let marked = text.lines().filter(|line| line.contains(" < ") || line.contains(" <\""));
            assert_eq!(marked.count(), 1, "{text}");
        }
    }
}

#[test]
fn long_message_is_wrapped() {
    let registry = linked();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("word ".repeat(30) + "end.rec");
    std::fs::write(&file, "kept").unwrap();
    let mut start = setup(&registry, "2048", Some("random"), FULL);
    start.records = Some(file);
    let mut session = Session::new(start).unwrap();
    tick_until(&mut session, Session::is_over);
    obey(&mut session, Command::Save);
    for size in [SMALLEST, (80, 24), (200, 60)] {
        let text = screen(&session, size, LOOKS[0], &registry);
        for part in ["end.rec exists already", "start with another file", "2,", "quit"] {
            let part = if part == "2," { &session.place() } else { part };
            let words: Vec<_> =
                text.split(['"', ' ', '\n']).filter(|word| !word.is_empty()).collect();
            assert!(words.join(" ").contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn player_begins_the_next_game_unless_a_key_is_pressed() {
    let registry = linked();
    let mut session = played(&registry, "2048", "random");
    let first = session.timeline().start();
    assert!(session.message().contains("the next one begins"), "{}", session.message());
    tick_until(&mut session, |session| session.timeline().start() != first);
    tick_until(&mut session, Session::is_over);
    obey(&mut session, Command::Cancel);
    let second = session.timeline().start();
    for hours in 1..20 {
        session.tick(Instant::now() + Duration::from_secs(3600 * hours)).unwrap();
    }
    assert!(session.is_over() && session.timeline().start() == second);
}

#[cfg(unix)]
#[test]
fn player_that_failed_is_asked_again_after_a_command() {
    let registry = linked();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let script = format!("echo started >> '{}'; exit 1", file.display());
    let agent = format!("process(command: [\"sh\", \"-c\", \"{script}\"])");
    let mut session = Session::new(setup(&registry, "2048", Some(&agent), 4)).unwrap();
    for starts in 1..=2 {
        tick_until(&mut session, |session| session.message().contains("the player failed"));
        for _ in 0..50 {
            session.tick(Instant::now()).unwrap();
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), starts);
        obey(&mut session, Command::Pause);
    }
}

#[test]
fn saved_game_names_those_who_played_it() {
    let registry = linked();
    let played = played(&registry, "2048", "random");
    let continued = ["random and a person", "random and greedy and a person"];
    for (judge, continued) in [None, Some("greedy")].into_iter().zip(continued) {
        let folder = tempfile::tempdir().unwrap();
        let mut start = setup(&registry, "2048", judge, 4);
        start.timeline = played.timeline().clone();
        start.timeline.seek(5);
        start.recorded_agent = Some("random".into());
        let mut session = Session::new(start).unwrap();
        let saved_agent = |session: &Session, name: &str| {
            let file = folder.path().join(name);
            session.save_as(&file).unwrap();
            RecordReader::open(&file).unwrap().metadata().agent.clone()
        };
        assert_eq!(saved_agent(&session, "recorded.rec"), "random");
        obey(&mut session, Command::TakeOver);
        let action = session.legal()[0].action.0;
        obey(&mut session, Command::Act { action });
        assert_eq!(saved_agent(&session, "continued.rec"), continued);
    }
}

#[test]
fn a_game_that_begins_at_a_given_position_is_saved_and_replayed() {
    let registry = linked();
    for spec in ["2048", "threes"] {
        let folder = tempfile::tempdir().unwrap();
        let mut start = setup(&registry, spec, Some("greedy"), FULL);
        let rules = start.game.rules.clone();
        let given = rules.parse(if spec == "2048" { EDITED_2048 } else { EDITED_THREES }).unwrap();
        start.timeline = Timeline::new(&*rules, given);
        start.records = Some(folder.path().join("a.rec"));
        let file = start.records.clone().unwrap();
        let mut session = Session::new(start).unwrap();
        tick_until(&mut session, |session| session.timeline().at() > 3);
        obey(&mut session, Command::Save);
        let record = RecordReader::open(&file).unwrap().next().unwrap().unwrap();
        replay(&*rules, &record).verify().unwrap();
        let replayed = Timeline::recorded(&*rules, &record).unwrap();
        assert_eq!(replayed.last_score(), session.timeline().last_score());
    }
}

#[test]
fn every_game_is_drawn_on_every_screen() {
    let registry = linked();
    let games =
        ["2048", "2048(rows: 5, cols: 5)", "2048(rows: 2, cols: 2)", "threes", "1024", "pig"];
    for game in games {
        let session = played(&registry, game, "random");
        let max = session.game().rules.max_tile(session.timeline().state());
        for size in [SMALLEST, (80, 24), (200, 60)] {
            for look in LOOKS {
                let text = screen(&session, size, look, &registry);
                assert!(text.contains("game over") && text.contains("quit"), "{text}");
                if let Some(max) =
                    max.filter(|_| session.game().rules.description().geometry.is_some())
                {
                    assert!(text.contains(&max.to_string()), "{max} of {text}");
                }
                if !look.unicode {
                    assert!(text.is_ascii(), "{text}");
                }
            }
        }
        let small = screen(&session, (SMALLEST.0 - 1, SMALLEST.1), LOOKS[0], &registry);
        assert!(small.contains("too small"), "{small}");
    }
}

/// The player makes moves without being asked, so some are under way whenever a command comes.
#[test]
fn commands_at_full_speed_lose_no_move_and_end_the_run() {
    let registry = linked();
    let mut session = Session::new(setup(&registry, "2048", Some("greedy"), FULL)).unwrap();
    for round in 1..20 {
        let at = session.timeline().at();
        tick_until(&mut session, |session| session.timeline().at() > at || session.is_over());
        if session.is_over() {
            break;
        }
        obey(&mut session, Command::Pause);
        let (at, moves) = (session.timeline().at(), session.timeline().moves());
        for _ in 0..round {
            session.tick(Instant::now()).unwrap();
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!((session.timeline().at(), session.timeline().moves()), (at, moves));
        obey(&mut session, Command::Pause);
    }
    // The game is the one that the player plays without a screen.
    tick_until(&mut session, Session::is_over);
    let whole = played(&registry, "2048", "greedy");
    assert_eq!(session.timeline().score(), whole.timeline().score());
    assert_eq!(session.timeline().moves(), whole.timeline().moves());
}

#[test]
fn player_at_full_speed_rests_when_it_is_told_to() {
    let registry = linked();
    // A move takes at least 20 ms, so a game has hundreds of results of the player.
    let agent = Some("pure-monte-carlo(time: \"20ms\")");
    let mut session = Session::new(setup(&registry, "2048", agent, FULL)).unwrap();
    tick_until(&mut session, |session| session.timeline().at() > 0);
    let (start, at) = (Instant::now(), session.timeline().at());
    while session.rest() {
        assert!(start.elapsed() < Duration::from_secs(20), "the player still thinks");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(session.timeline().at(), at);
    assert!(!session.is_over());
}
