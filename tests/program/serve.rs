//! Tests of `runner serve`: its interface and its refusals.

use crate::harness::place::Place;
use crate::harness::server::{Server, Viewer};
use crate::harness::transcript::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Number of viewers that the server must serve.
const VIEWERS: usize = 10;

/// Number of connections that say nothing.
const SILENT: usize = 1000;

fn serve() -> (Place, Server) {
    let place = Place::new();
    let server = Server::start(&place, &["--agent", "expectimax(depth: 1)"]);
    (place, server)
}

/// A position of 2048 with one move, down.
const POSITION: &str = "2,4,8,16/0,0,0,0/0,0,0,0/0,0,0,0";

#[test]
fn page_comes_from_the_server_alone() {
    let (_place, server) = serve();
    let mut size = 0;
    for path in ["/", "/program/main.js", "/style.css"] {
        let file = server.get(path);
        assert_eq!(file.status, 200);
        size += file.body.len();
        for header in ["content-security-policy: default-src 'none'", "nosniff", "no-store"] {
            assert!(file.head.contains(header), "{path}: {}", file.head);
        }
    }
    assert!(size < 150_000, "{size} bytes");
    server.get("/etc/passwd").expect_refusal(404, &["nothing"]);
}

#[test]
fn plugins_describe_their_forms() {
    let (_place, server) = serve();
    let start = server.get("/api/start").json();
    assert_eq!(
        (&start["game"], &start["agents"]),
        (&json!("2048"), &json!(["expectimax(depth: 1)"]))
    );
    let field = |plugin: &str, parameter: &str| {
        let named = |list: &Value, name: &str| {
            let found = list.as_array().unwrap().iter().find(|entry| entry["name"] == name);
            found.unwrap_or_else(|| panic!("{name} is missing")).clone()
        };
        named(&named(&start["plugins"], plugin)["parameters"], parameter)["field"].clone()
    };
    assert_eq!(field("expectimax", "value"), json!({"kind": "value"}));
    let options = ["true", "false", "\"set\""];
    assert_eq!(field("threes", "bonus"), json!({"kind": "choice", "options": options}));
    assert_eq!(field("expectimax", "depth"), json!({"kind": "text"}));
    let options = ["\"afterstates\"", "\"states\"", "\"actions\""];
    let choice = json!({"kind": "choice", "options": options});
    assert_eq!(field("tc-ntuple", "learns"), choice);
}

#[test]
fn other_hosts_and_sites_are_refused() {
    let (_place, server) = serve();
    let post = |headers: &[&str]| server.send("POST /api/games", headers, b"{}");
    let json = "Content-Type: application/json";
    for path in ["/", "/api/games"] {
        let foreign = server.send(&format!("GET {path}"), &["Host: evil.example:2048"], b"");
        foreign.expect_refusal(403, &["evil.example", "--host"]);
    }
    let origin = server.send("GET /api/games", &["Origin: http://evil.example"], b"");
    origin.expect_refusal(403, &["evil.example"]);
    post(&[json, "Origin: null"]).expect_refusal(403, &["null"]);
    post(&[json, "Sec-Fetch-Site: cross-site"]).expect_refusal(403, &["other sites"]);
    // A page of another site asks so for images and programs. A link to the page is followed.
    for site in ["cross-site", "same-site"] {
        let header = format!("Sec-Fetch-Site: {site}");
        for path in ["/api/games", "/program/main.js"] {
            let asked = server.send(&format!("GET {path}"), &[&header], b"");
            asked.expect_refusal(403, &["other sites"]);
        }
        assert_eq!(server.send("GET /", &[&header], b"").status, 200);
    }
    assert_eq!(server.send("GET /api/games", &["Sec-Fetch-Site: none"], b"").status, 200);
    post(&["Content-Type: text/plain"]).expect_refusal(415, &["application/json"]);
    post(&[]).expect_refusal(415, &["application/json"]);
    // Without any sign of another site, the request itself is read.
    let own = format!("Origin: http://{}", server.address);
    post(&[json, &own]).expect_refusal(400, &["game"]);
    let place = Place::new();
    let named = Server::start(&place, &["--host", "lab.example"]);
    assert_eq!(named.send("GET /", &["Host: lab.example:80"], b"").status, 200);
}

#[test]
fn wrong_requests_are_refused_with_what_is_allowed() {
    let (_place, server) = serve();
    let open = |game: &str, agent: &str| {
        server.post("/api/games", &json!({ "game": game, "agent": agent }))
    };
    open("2047", "random").expect_refusal(400, &["2047", "did you mean `2048`"]);
    open("2048", "unknown").expect_refusal(400, &["unknown", "expectimax"]);
    open("2048(rows: 9)", "random").expect_refusal(400, &["rows", "2 to 5"]);
    open("2048", "expectimax(depth: 99)").expect_refusal(400, &["depth", "32"]);
    open("2048", "expectimax(deep: 1)").expect_refusal(400, &["deep", "depth"]);
    open("2048", "tc-ntuple").expect_refusal(400, &["model"]);
    open("2048", "((((").expect_refusal(400, &[]);
    assert!(open("2048", "expectimax(depth: 99)").json()["place"].as_str().unwrap().contains('^'));
    let json = "Content-Type: application/json";
    server.send("POST /api/games", &[json], b"{\"game\"").expect_refusal(400, &["request"]);
    let large = vec![b' '; 100_000];
    server.send("POST /api/games", &[json], &large).expect_refusal(413, &["65536"]);
    server.get("/api/games/77/events").expect_refusal(404, &["77"]);
    let id = server.open("2048", "random");
    let unknown = server.order(id, &json!({ "do": "explode" }));
    unknown.expect_refusal(400, &["explode", "`pause`", "`cancel`, `act`", "`speed`"]);
    server.order(id, &json!({ "do": "act" })).expect_refusal(400, &["action"]);
    server.order(id, &json!({ "do": "seek", "at": 1, "to": 2 })).expect_refusal(400, &["`to`"]);
    let mut viewer = server.watch(id);
    viewer.until("frame", |_| true);
    server.order(id, &json!({ "do": "position", "text": "3" })).expect_refusal(400, &["position"]);
    server.order(id, &json!({ "do": "cell", "cell": 99, "rank": 1 })).expect_refusal(400, &["15"]);
    server.order(id, &json!({ "do": "act", "action": 4 })).expect_refusal(400, &["0 to 3"]);
    server.order(id, &json!({ "do": "speed", "place": 99 })).expect_refusal(400, &["0 to 9"]);
    // The game continues.
    viewer.until("frame", |frame| frame["at"].as_u64() > Some(2));
}

#[test]
fn files_and_programs_come_from_the_command_line_alone() {
    let place = Place::with_library("test_working");
    for file in ["a.exact", "b.exact"] {
        place.done(format!("solve --game '2048(rows: 2, cols: 2)' --out {file}"));
    }
    let server = Server::start(&place, &["--agent", "exact(model: \"a.exact\")"]);
    let open = |agent: &str| {
        server.post("/api/games", &json!({ "game": "2048(rows: 2, cols: 2)", "agent": agent }))
    };
    for allowed in [
        "exact(model: \"a.exact\")",
        "expectimax(value: exact(model: \"a.exact\"))",
        "expectimax(table: \"1M\", time: \"5ms\")",
        "mcts(exploration: 1)",
    ] {
        assert_eq!(open(allowed).status, 200, "{allowed}: {}", open(allowed).text());
    }
    for refused in [
        "exact(model: \"b.exact\")",
        "exact(model: \"./a.exact\")",
        "expectimax(value: exact(model: \"b.exact\"))",
        "expectimax(table: \"a.exact\")",
        "process(command: [\"touch\", \"made\"])",
        "process(command: [\"python3\", \"my_agent.py\"])",
        "alternate(agents: [exact(model: \"b.exact\")])",
    ] {
        open(refused).expect_refusal(400, &["command line", "--agent"]);
    }
    assert!(!place.path("made").exists());
    // The permitted file is offered.
    let start = server.get("/api/start").json().to_string();
    assert!(start.contains(r#""permitted":["\"a.exact\""]"#), "{start}");
    assert!(!start.contains("b.exact"));
}

#[test]
fn no_parameter_of_a_browser_names_a_file() {
    let (_place, server) = serve();
    let start = server.get("/api/start").json();
    let mut refused = 0;
    for plugin in start["plugins"].as_array().unwrap() {
        for parameter in plugin["parameters"].as_array().unwrap() {
            let [name, parameter] =
                [&plugin["name"], &parameter["name"]].map(|name| name.as_str().unwrap());
            for value in ["\"no-such.file\"", "[\"no-such.file\"]"] {
                let spec = format!("{name}({parameter}: {value})");
                let wanted = if plugin["kind"] == "game" {
                    json!({ "game": spec, "agent": "random" })
                } else {
                    json!({ "game": "2048", "agent": spec })
                };
                let answer = server.post("/api/games", &wanted);
                let text = answer.text();
                assert_eq!(answer.status, 400, "{spec}: {text}");
                assert!(!text.contains("No such file"), "{spec} is opened: {text}");
                refused += usize::from(text.contains("command line"));
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn person_plays_and_reads_what_a_move_lost() {
    let (_place, server) = serve();
    let id = server.open("2048", "expectimax(depth: 1)");
    let mut viewer = server.watch(id);
    let (name, about) = viewer.next();
    assert_eq!((name.as_str(), &about["game"]), ("about", &json!("2048")));
    assert_eq!(about["actions"], json!(["up", "right", "down", "left"]));
    let set = server.order(id, &json!({ "do": "position", "text": POSITION }));
    assert_eq!(set.status, 204, "{}", set.text());
    // The opinion of the player is the hint.
    let frame =
        viewer.until("frame", |frame| frame["text"] == POSITION && frame["opinion"].is_object());
    assert_eq!(frame["legal"], json!([2]));
    assert_eq!(frame["opinion"]["choice"], json!(2));
    assert!(frame["opinion"]["values"][0][1].is_number(), "{frame}");
    assert_eq!(
        frame["cells"].as_array().unwrap()[..5],
        json!([1, 2, 3, 4, 0]).as_array().unwrap()[..]
    );
    server.order(id, &json!({ "do": "cell", "cell": 15, "rank": 4 }));
    let frame = viewer.until("frame", |frame| {
        frame["cells"][15] == 4
            && frame["opinion"]["values"].as_array().is_some_and(|v| v.len() > 1)
    });
    assert_eq!((&frame["at"], &frame["paused"]), (&json!(0), &json!(true)));
    // The worst legal move.
    let values = frame["opinion"]["values"].as_array().unwrap();
    let worst = values.iter().min_by(|a, b| a[1].as_f64().partial_cmp(&b[1].as_f64()).unwrap());
    let action = worst.unwrap()[0].clone();
    server.order(id, &json!({ "do": "act", "action": action }));
    let frame = viewer.until("frame", |frame| frame["at"] == 1);
    assert_eq!(frame["person"], json!(true), "the person has taken over");
    assert_eq!(frame["last"]["action"], action);
    assert!(frame["verdict"]["loss"].as_f64().unwrap() >= 0.0, "{frame}");
    // Another player has not judged the move.
    server.order(id, &json!({ "do": "agent", "agent": "random" }));
    viewer.until("frame", |frame| frame["at"] == 1 && frame["verdict"].is_null());
    // The position stays until the person moves or hands back.
    server.order(id, &json!({ "do": "speed", "place": 9 }));
    server.order(id, &json!({ "do": "take-over" }));
    viewer.until("frame", |frame| frame["over"] == json!(true));
    // A review judges the move of the person alone.
    server.order(id, &json!({ "do": "cancel" }));
    server.order(id, &json!({ "do": "agent", "agent": "expectimax(depth: 1)" }));
    server.order(id, &json!({ "do": "review" }));
    let review = viewer.until("review", |review| review["result"].is_object());
    assert_eq!((&review["moves"], &review["of_person"]), (&json!(1), &json!(true)));
    let losses = review["result"]["losses"].as_array().unwrap();
    assert!(losses.len() > 1 && losses[0].is_number(), "{review}");
    assert!(losses[1..].iter().all(Value::is_null), "{review}");
}

#[test]
fn other_player_and_review_of_a_game() {
    let (place, server) = serve();
    let id = server.open("2048(rows: 3, cols: 3)", "random");
    let mut viewer = server.watch(id);
    server.order(id, &json!({ "do": "speed", "place": 9 }));
    let over = viewer.until("frame", |frame| frame["over"] == json!(true));
    server.order(id, &json!({ "do": "cancel" }));
    let replaced = server.order(id, &json!({ "do": "agent", "agent": "expectimax(depth: 2)" }));
    assert_eq!(replaced.status, 204, "{}", replaced.text());
    viewer.until("about", |about| about["agent"] == "expectimax(depth: 2)");
    server.order(id, &json!({ "do": "review" }));
    let review = viewer.until("review", |review| review["result"].is_object());
    let moves = over["at"].as_u64().unwrap();
    assert_eq!(review["moves"].as_u64(), Some(moves));
    let result = &review["result"];
    assert_eq!(result["losses"].as_array().unwrap().len() as u64, moves);
    assert!(result["summary"]["matches"].as_u64().unwrap() < moves);
    assert!(result["worst"][0]["loss"].as_f64() >= result["worst"][1]["loss"].as_f64());
    // A step back shows what the recorded move lost.
    let at = result["worst"][0]["number"].as_u64().unwrap() - 1;
    server.order(id, &json!({ "do": "seek", "at": at }));
    let frame = viewer.until("frame", |frame| {
        frame["at"].as_u64() == Some(at) && frame["next"]["loss"].is_number()
    });
    assert!(frame["next"]["loss"].as_f64() > Some(0.0), "{frame}");
    // The review is of this player and these moves.
    let gone = |order: Value, viewer: &mut Viewer| {
        server.order(id, &json!({ "do": "review" }));
        viewer.until("review", |review| review["result"].is_object());
        assert_eq!(server.order(id, &order).status, 204, "{order}");
        viewer.until("review", Value::is_null);
    };
    gone(json!({ "do": "agent", "agent": "greedy" }), &mut viewer);
    // The saved game is the one that was played.
    let record = server.get(&format!("/api/games/{id}/record"));
    assert!(record.head.contains("attachment"), "{}", record.head);
    fs::write(place.path("saved.rec"), &record.body).unwrap();
    place.done("replay verify saved.rec");
    gone(json!({ "do": "new" }), &mut viewer);
}

#[test]
fn recorded_games_are_listed_and_opened() {
    let (place, server) = serve();
    // On one thread the games lie in the file in the order of their numbers.
    place.done("eval --game threes --agent random --games 3 --threads 1 --records a.rec");
    let bytes = fs::read(place.path("a.rec")).unwrap();
    let octets = "Content-Type: application/octet-stream";
    let send = |path: &str, bytes: &[u8]| server.send(&format!("POST {path}"), &[octets], bytes);
    let listed = send("/api/uploads/list", &bytes).json();
    assert_eq!(listed["games"].as_array().unwrap().len(), 3);
    assert!(listed["games"][0]["moves"].as_u64() > Some(10), "{listed}");
    let opened = send("/api/uploads?agent=greedy&number=1", &bytes);
    assert_eq!(opened.status, 200, "{}", opened.text());
    let frame = server.watch(opened.json()["id"].as_u64().unwrap()).until("frame", |_| true);
    assert_eq!(frame["moves"], listed["games"][1]["moves"], "{frame}");
    send("/api/uploads?agent=greedy&number=9", &bytes).expect_refusal(400, &["no game 9"]);
    for path in ["/api/uploads/list", "/api/uploads?agent=greedy"] {
        send(path, b"no record").expect_refusal(422, &["the file"]);
        send(path, &vec![0; 33 << 20]).expect_refusal(413, &["33554432"]);
    }
    // The games before the damage are listed and opened.
    let truncated = &bytes[..bytes.len() - 40];
    let sent = send("/api/uploads/list", truncated).json();
    assert_eq!(sent["games"].as_array().unwrap()[..], listed["games"].as_array().unwrap()[..2]);
    assert!(sent["damage"].as_str().unwrap().contains("after 2 complete games"), "{sent}");
    assert_eq!(send("/api/uploads?agent=greedy&number=1", truncated).status, 200);
}

#[test]
fn games_as_text_are_opened_and_refused_at_their_line() {
    let (_place, server) = serve();
    let send = |text: &str| {
        let octets = "Content-Type: application/octet-stream";
        server.send("POST /api/uploads?agent=greedy&game=2048", &[octets], text.as_bytes())
    };
    let start = "0,0,0,0/0,0,0,0/0,0,0,0/2,2,0,0";
    let opened = send(&format!("{start}\nleft 2@1,1\nd 4@1,4\n"));
    assert_eq!(opened.status, 200, "{}", opened.text());
    let frame = server.watch(opened.json()["id"].as_u64().unwrap()).until("frame", |_| true);
    assert_eq!((&frame["moves"], &frame["own"]), (&json!(2), &json!(false)));
    send(&format!("{start}\nleft 8@1,1")).expect_refusal(400, &["the text, line 2: no 8"]);
}

#[test]
fn offered_players_play_their_game() {
    let (_place, server) = serve();
    for game in ["2048", "threes", "2048(rows: 3, cols: 3)"] {
        let encoded = game.replace(' ', "%20");
        let offer = server.get(&format!("/api/offer?game={encoded}")).json();
        let names = ["Strongest", "Strong", "Medium", "Beginner"];
        for (level, name) in offer["levels"].as_array().unwrap().iter().zip(names) {
            assert_eq!(level["name"], name);
            assert_eq!(level["mean"].is_number(), !game.contains('('), "{level}");
            server.open(game, level["agent"].as_str().unwrap());
        }
        assert_eq!(offer["models"][0]["agent"], "expectimax(depth: 1)");
        let players = server.get(&format!("/api/players?game={encoded}")).json();
        let has = |name: &str| players.as_array().unwrap().contains(&json!(name));
        assert!(has("expectimax") && has("rows") && !has("process") && !has("exact"), "{players}");
        assert_eq!(has("trained"), !game.contains('('));
    }
    server.get("/api/offer?game=2047").expect_refusal(400, &["did you mean `2048`"]);
}

#[test]
fn models_of_the_data_folder_are_offered_for_their_game() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 3)";
    fs::create_dir_all(place.path("data/runner/models")).unwrap();
    let model = "data/runner/models/small.model";
    place.done(format!("train --game '{game}' --agent td-ntuple --moves 9 --model {model}"));
    let server = Server::start(&place, &["--agent", "random"]);
    let offered = |game: &str| {
        let game = game.replace(' ', "%20");
        let models = server.get(&format!("/api/offer?game={game}")).json()["models"].clone();
        models.as_array().unwrap().iter().any(|model| model["name"] == "small")
    };
    assert!(offered(game) && !offered("2048"));
}

#[cfg(unix)]
#[test]
fn open_starts_the_browser_with_the_address() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let browser = place.path("browser");
    fs::write(&browser, "#!/bin/sh\nprintf %s \"$1\" > started && mv started opened\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start_with(&place, &["--open"], &[("BROWSER", browser.to_str().unwrap())]);
    let began = Instant::now();
    while !place.path("opened").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "no browser was started");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(place.text("opened"), format!("http://{}/", server.address));
}

#[test]
fn files_that_stall_take_a_limited_number_of_places() {
    let (_place, server) = serve();
    let octets = "Content-Type: application/octet-stream";
    let send = || server.send("POST /api/uploads/list", &[octets], b"no record");
    let stalled: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = server.connect();
            let host = &server.address;
            write!(
                stream,
                "POST /api/uploads/list HTTP/1.1\r\nHost: {host}\r\n{octets}\r\n\
                 Content-Length: 1000\r\n\r\n"
            )
            .unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    let mut refused = send();
    while refused.status != 503 && begun.elapsed() < Duration::from_secs(5) {
        refused = send();
    }
    refused.expect_refusal(503, &["4 files", "later"]);
    assert!(refused.head.contains("retry-after: 10"), "{}", refused.head);
    // Other requests are answered meanwhile.
    assert_eq!(server.get("/api/start").status, 200);
    drop(stalled);
    let begun = Instant::now();
    while send().status == 503 {
        assert!(begun.elapsed() < Duration::from_secs(30), "no place is free again");
        std::thread::sleep(Duration::from_millis(50));
    }
    send().expect_refusal(422, &["the file"]);
}

#[test]
fn many_viewers_see_one_game_which_ends_when_all_have_gone() {
    let (_place, server) = serve();
    let id = server.open("2048", "expectimax(depth: 1)");
    let mut viewers: Vec<_> = (0..VIEWERS).map(|_| server.watch(id)).collect();
    for viewer in &mut viewers {
        viewer.until("frame", |frame| frame["at"].as_u64() > Some(2));
    }
    let listed = server.get("/api/games").json();
    assert_eq!(listed[0]["viewers"].as_u64(), Some(VIEWERS as u64), "{listed}");
    viewers.truncate(1);
    let began = Instant::now();
    let left = || server.get("/api/games").json()[0]["viewers"].as_u64();
    while left() != Some(1) {
        assert!(began.elapsed() < Duration::from_secs(60), "viewers stay: {:?}", left());
        std::thread::sleep(Duration::from_millis(50));
    }
    viewers[0].until("frame", |_| true);
    viewers.clear();
    while server.get("/api/games").json() != json!([]) {
        assert!(began.elapsed() < Duration::from_secs(120), "the game stays");
        std::thread::sleep(Duration::from_millis(200));
    }
    server.order(id, &json!({ "do": "pause" })).expect_refusal(404, &["over"]);
}

#[test]
fn faults_of_players_and_games_are_shown_and_the_server_continues() {
    let place = Place::with_library("test-faulty");
    let server = Server::start(&place, &[]);
    // The player is replaced after a fault, and the game continues.
    let id = server.open("2048", "faulty-agent(at: act)");
    let mut viewer = server.watch(id);
    let failed = |frame: &Value| frame["message"].as_str().unwrap().contains("faulty-agent");
    let frame = viewer.until("frame", failed);
    assert_eq!(frame["paused"], json!(true), "{frame}");
    assert_eq!(server.order(id, &json!({ "do": "agent", "agent": "random" })).status, 204);
    server.order(id, &json!({ "do": "pause" }));
    viewer.until("frame", |frame| frame["at"].as_u64() > Some(1));
    // A player that never answers does not stop its game.
    let id = server.open("2048", "faulty-agent(at: endless)");
    let mut viewer = server.watch(id);
    viewer.until("frame", |frame| frame["thinking"] == json!(true));
    server.order(id, &json!({ "do": "take-over" }));
    viewer.until("frame", |frame| frame["person"] == json!(true));
    let refused =
        server.post("/api/games", &json!({ "game": "2048", "agent": "faulty-agent(at: new)" }));
    refused.expect_refusal(422, &["faulty-agent"]);
    let copied =
        server.post("/api/games", &json!({ "game": "2048", "agent": "faulty-agent(at: copy)" }));
    assert!([200, 422].contains(&copied.status), "{}", copied.text());
    // A game that is over at its start waits for the viewer.
    let id = server.open("faulty(at: over)", "random");
    server.watch(id).until("frame", |frame| frame["over"] == json!(true));
    // A game that fails ends with the reason.
    let id = server.open("faulty(at: write)", "random");
    let reason = server.watch(id).until("ended", |_| true);
    assert!(reason.as_str().unwrap().contains("faulty"), "{reason}");
    assert_eq!(server.get("/api/games").status, 200);
}

#[test]
fn number_of_games_is_limited_to_those_with_viewers() {
    let (_place, server) = serve();
    for _ in 0..16 {
        server.open("2048", "random");
    }
    let open = || server.post("/api/games", &json!({ "game": "2048", "agent": "random" }));
    open().expect_refusal(503, &["16 games", "close the page of one"]);
    let began = Instant::now();
    while open().status != 200 {
        assert!(began.elapsed() < Duration::from_secs(120), "no game ends");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[cfg(unix)]
#[test]
fn silent_connections_do_not_stop_a_viewer() {
    crate::harness::allow_many_open_files();
    let (_place, server) = serve();
    let id = server.open("2048", "random");
    let mut watching: Vec<_> = (0..VIEWERS - 1).map(|_| server.watch(id)).collect();
    watching.iter_mut().for_each(|viewer| drop(viewer.until("frame", |_| true)));
    let silent: Vec<_> = (0..SILENT).map(|_| server.connect()).collect();
    server.watch(id).until("frame", |_| true);
    // Those who watched go on.
    for viewer in &mut watching {
        viewer.until("frame", |_| true);
    }
    // The head of a request may not take for ever.
    let mut last = silent.last().unwrap();
    last.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    assert_eq!(last.read(&mut [0; 1]).unwrap_or(0), 0, "it is closed");
}

#[test]
fn server_that_cannot_start_says_why() {
    let (place, server) = serve();
    let port = server.address.rsplit(':').next().unwrap();
    let used = place.sh(format!("serve --port {port}"));
    assert_eq!((used.code, used.out.as_str()), (Some(1), ""), "{used:?}");
    assert!(used.error().contains(port) && used.error().contains("--port"), "{used:?}");
    // No machine has an address that is reserved for documentation.
    let foreign = place.sh("serve --address 192.0.2.1 --port 0");
    assert!(
        foreign.error().ends_with("name an address of this machine with --address"),
        "{foreign:?}"
    );
    assert_snapshot!(place.transcript("serve --game 2047"));
}

#[cfg(target_os = "linux")]
#[test]
fn interrupt_ends_the_server() {
    use crate::harness::signals::interrupt;
    let (_place, mut server) = serve();
    let id = server.open("2048", "random");
    let mut viewer = server.watch(id);
    viewer.until("frame", |_| true);
    interrupt(&server.child);
    assert!(server.child.wait().unwrap().success());
}
