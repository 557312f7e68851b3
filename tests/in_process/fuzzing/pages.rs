//! Requests to `serve`: each is answered, or its connection is closed, and the server stays.

use super::fuzz;
use runner_core::Seed;
use runner_play::registry::Registry;
use runner_play::threads::Threads;
use runner_serve::{Flags, Setup, serve};
use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

const COMMANDS: [&str; 8] = [
    r#"{"do":"act","action":1}"#,
    r#"{"do":"seek","at":12}"#,
    r#"{"do":"take-over"}"#,
    r#"{"do":"speed","place":3}"#,
    r#"{"do":"cell","cell":5,"rank":3}"#,
    r#"{"do":"position","text":"2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2"}"#,
    r#"{"do":"agent","agent":"random"}"#,
    r#"{"do":"review"}"#,
];

const REQUESTS: [&str; 5] = [
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/start HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
    "GET /api/games/1/events HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n",
    "GET /style.css HTTP/1.0\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n\r\n",
    "POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
     Transfer-Encoding: chunked\r\n\r\n20\r\n{\"game\":\"2048\",\"agent\":\"random\"}\r\n0\r\n\r\n",
    "POST /api/uploads?agent=random&number=1 HTTP/1.1\r\nHost: localhost\r\n\
     Content-Type: application/octet-stream\r\nContent-Length: 9\r\n\r\nrunnerrec",
];

fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends requests, and returns the answers. The server does not answer a client that has ended before.
fn ask(address: SocketAddr, requests: &[u8], ends: bool) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server closes the connection of a request that it cannot read.
    let _ = stream.write_all(requests);
    if ends {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let (mut answers, mut part) = (String::new(), [0; 1 << 16]);
    // The events of a game do not end.
    while !answers.contains("text/event-stream") {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(size) => answers += &String::from_utf8_lossy(&part[..size]),
            Err(error) => {
                let is_late = [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind());
                assert!(!is_late, "no answer to {:?}", String::from_utf8_lossy(requests));
                break;
            }
        }
    }
    assert!(!answers.contains("HTTP/1.1 500"), "{answers}");
    answers
}

/// A game that is watched, so that it does not end.
struct Watched {
    path: String,
    _viewer: TcpStream,
}

impl Watched {
    fn open(address: SocketAddr) -> Self {
        loop {
            let opened = post("/api/games", br#"{"game":"2048","agent":"random"}"#);
            let answer = ask(address, &opened, false);
            let Some((_, number)) = answer.rsplit_once("{\"id\":") else {
                // There are as many games as can be.
                assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
                thread::sleep(Duration::from_secs(1));
                continue;
            };
            let path = format!("/api/games/{}", number.trim_end_matches('}'));
            let mut viewer = TcpStream::connect(address).unwrap();
            let head = format!("GET {path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
            viewer.write_all(head.as_bytes()).unwrap();
            return Self { path, _viewer: viewer };
        }
    }
}

/// Ends the server, also after a panic.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

pub fn pages(registry: &Arc<Registry>) {
    let setup = Setup {
        address: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        hosts: Vec::new(),
        game: "2048".parse().unwrap(),
        agents: vec!["random".parse().unwrap()],
        kept: Vec::new(),
        levels: runner_plugins::levels,
        seed: Seed(1),
        threads: Threads::new(Some(1)).unwrap(),
        flags: Flags { address: "--address", port: "--port", host: "--host", agent: "--agent" },
    };
    let stop = AtomicBool::new(false);
    let (sender, opened) = mpsc::channel();
    thread::scope(|scope| {
        let _ends = Ends(&stop);
        let opened_at = move |address| {
            sender.send(address).unwrap();
            Ok(())
        };
        scope.spawn(|| serve(setup, registry, &stop, opened_at).unwrap());
        let address = opened.recv().unwrap();
        fuzz("requests of HTTP", &REQUESTS, &|bytes| drop(ask(address, bytes, true)));
        let game = RefCell::new(Watched::open(address));
        fuzz("commands of the page", &COMMANDS, &|bytes| {
            let answer = ask(address, &post(&game.borrow().path, bytes), false);
            let status = answer.get(9..12).unwrap_or_else(|| panic!("no answer: {answer}"));
            if ["404", "503"].contains(&status) {
                game.replace(Watched::open(address));
            }
        });
        let last = ask(address, REQUESTS[2].as_bytes(), false);
        assert!(last.starts_with("HTTP/1.0 200"), "{last}");
    });
}
