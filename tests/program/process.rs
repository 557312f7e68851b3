//! The agent `process`: programs as players, here shell scripts.

use crate::harness::place::Place;
use crate::harness::session::Session;
#[cfg(target_os = "linux")]
use crate::harness::signals;
use serde_json::Value;
use std::fs;

/// The game of these tests, with short games.
const GAME: &str = "2048(rows: 2, cols: 3)";

/// The branches of a script that answer `hello` and `begin`.
const READY: &str = r#"
    *'"type":"hello"'*) echo '{"type":"ready","protocol":1}';;
    *'"type":"begin"'*) echo '{"type":"ready"}';;"#;

/// Writes an agent, and returns its spec. `turn` is what it does when it is asked for an action.
fn agent(place: &Place, turn: &str, limits: &str) -> String {
    let script = format!(
        "echo $$ >>ids\nwhile read -r line; do case $line in {READY}\n\
         *'\"type\":\"turn\"'*) {turn};;\nesac; done\n"
    );
    fs::write(place.path("agent.sh"), script).unwrap();
    format!("process(command: [\"/bin/sh\", \"agent.sh\"]{limits})")
}

#[track_caller]
fn scores(place: &Place, agent: &str, threads: u32) -> Value {
    let players = format!("--game '{GAME}' --agent '{agent}'");
    let result = place.json(format!("eval {players} --games 24 --threads {threads} --scores"));
    assert_eq!(result["faults"], 0, "{result}");
    result["scores"].clone()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let place = Place::new();
    let random = r#"index=${line#*'"random":'}; index=${index%%,*}
        case $index in *[02468]) index=${line#*'"index":'};; *) index=${line##*'"index":'};; esac
        echo "{\"action\":${index%%,*}}""#;
    let agent = agent(&place, random, "");
    let one = scores(&place, &agent, 1);
    assert_eq!(place.text("ids").lines().count(), 1, "one program for one thread");
    assert_eq!(one.as_array().unwrap().len(), 24);
    assert_eq!(scores(&place, &agent, 3), one);
}

/// Returns the page that describes the protocol, and the lines of a session on it.
fn page(session: &str) -> Vec<String> {
    let path = "framework/guide/src/plugins/process.md";
    let page = fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let page = page.unwrap();
    let begin = format!("```json,session={session}\n");
    let (_, rest) = page.split_once(&begin).unwrap();
    rest.split_once("\n```").unwrap().0.lines().map(String::from).collect()
}

/// Returns the rest of the lines that begin with this.
fn lines_of(who: &str, session: &[String]) -> Vec<String> {
    session.iter().filter_map(|line| line.strip_prefix(who)).map(String::from).collect()
}

#[test]
fn session_of_a_player_in_the_guide_is_real() {
    let place = Place::new();
    let session = page("process");
    let answers = lines_of("program: ", &session);
    assert!(answers.len() > 3);
    fs::write(place.path("answers"), answers.join("\n") + "\n").unwrap();
    let script = r#"exec 3<answers
        while read -r line; do
            printf 'runner: %s\n' "$line" >>log
            case $line in *'"type":"end"'*) continue;; esac
            read -r answer <&3
            printf 'program: %s\n' "$answer" >>log
            printf '%s\n' "$answer"
        done"#;
    fs::write(place.path("agent.sh"), script).unwrap();
    let agent = "process(command: [\"/bin/sh\", \"agent.sh\"])";
    place.done(format!("eval --game '2048(rows: 2, cols: 2)' --agent '{agent}' --games 1"));
    assert_eq!(place.text("log").lines().collect::<Vec<_>>(), session);
}

#[test]
fn session_of_a_driver_in_the_guide_is_real() {
    let session = page("play");
    let (requests, answers) = (lines_of("program: ", &session), lines_of("runner: ", &session));
    assert!(requests.len() > 2);
    let mut driver = Session::start(&["--game", "2048(rows: 2, cols: 2)"]);
    assert_eq!(driver.hello, answers[0]);
    for (request, answer) in requests.iter().zip(&answers[1..]) {
        assert_eq!(driver.send(format!("{request}\n").as_bytes()), *answer);
    }
    driver.end();
}

/// Starts an evaluation whose agent hangs at its first turn, and waits until it does.
#[cfg(target_os = "linux")]
fn hanging(place: &Place, limits: &str) -> (std::process::Child, Vec<String>) {
    let agent = agent(place, "sleep 1000 & echo $! >>ids; trap '' INT TERM; sleep 1000", limits);
    let child = place.start(format!("eval --game '{GAME}' --agent '{agent}' --threads 1"));
    let ids = || -> Vec<String> {
        let text = fs::read_to_string(place.path("ids")).unwrap_or_default();
        text.lines().map(String::from).collect()
    };
    signals::await_listening(&child, || ids().len() == 2);
    (child, ids())
}

#[cfg(target_os = "linux")]
#[track_caller]
fn assert_gone(ids: &[String]) {
    let began = std::time::Instant::now();
    let is_there = |id: &String| std::path::Path::new("/proc").join(id).exists();
    while ids.iter().any(is_there) {
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{ids:?} are left");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_after_an_interrupt() {
    let place = Place::new();
    let (child, ids) = hanging(&place, ", time: \"1500ms\"");
    signals::interrupt(&child);
    // The move under way ends at its limit.
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_gone(&ids);
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_when_the_runner_is_killed() {
    let place = Place::new();
    let (child, ids) = hanging(&place, "");
    signals::signal(&child, "KILL");
    assert!(!child.wait_with_output().unwrap().status.success());
    assert_gone(&ids);
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_after_a_second_interrupt() {
    let place = Place::new();
    let (child, ids) = hanging(&place, ", time: \"1h\"");
    signals::interrupt(&child);
    // A signal that follows at once is the same request.
    std::thread::sleep(std::time::Duration::from_millis(800));
    signals::interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_gone(&ids);
}
