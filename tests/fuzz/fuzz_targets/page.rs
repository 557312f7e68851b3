//! Requests to `serve`, as a whole and as the body of a command: each is answered, or its
//! connection is closed, and the server stays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_core::Seed;
use runner_play::registry::Registry;
use runner_play::threads::Threads;
use runner_serve::{Flags, Setup, serve};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

/// The server, with a game and its viewer, without whom it would end.
static SERVER: LazyLock<(SocketAddr, TcpStream)> = LazyLock::new(|| {
    let mut registry = Registry::new();
    runner_plugins::plugins().into_iter().for_each(|root| registry.link(root));
    let registry = Arc::new(registry);
    let setup = Setup {
        address: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        hosts: Vec::new(),
        game: "2048".parse().unwrap(),
        agents: vec!["random".parse().unwrap()],
        model_players: Vec::new(),
        levels: runner_plugins::levels,
        seed: Seed(1),
        threads: Threads::new(Some(1)).unwrap(),
        flags: Flags { address: "--address", port: "--port", host: "--host", agent: "--agent" },
    };
    let (sender, opened) = mpsc::channel();
    std::thread::spawn(move || {
        let opened_at = move |address| {
            sender.send(address).unwrap();
            Ok(())
        };
        serve(setup, &registry, &AtomicBool::new(false), opened_at).unwrap();
        panic!("the server ended");
    });
    let address = opened.recv().unwrap();
    let answer = ask(address, &post("/api/games", br#"{"game":"2048","agent":"random"}"#), false);
    assert!(answer.contains("{\"id\":1}"), "{answer}");
    let mut viewer = TcpStream::connect(address).unwrap();
    viewer.write_all(b"GET /api/games/1/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    (address, viewer)
});

fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends requests, and returns the answers. The server does not answer a client that has ended
/// before.
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
                assert!(!is_late, "no answer");
                break;
            }
        }
    }
    assert!(!answers.contains("HTTP/1.1 500"), "{answers}");
    answers
}

fuzz_target!(|data: &[u8]| {
    let address = SERVER.0;
    ask(address, data, true);
    ask(address, &post("/api/games", data), false);
    ask(address, &post("/api/games/1", data), false);
});
