//! `runner serve` and a plain client of it.

use super::place::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Time after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A server that is killed when it is dropped.
pub struct Server {
    /// The process.
    pub child: Child,
    /// Address and port.
    pub address: String,
}

/// The response to a request.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that the request was refused with this status and a message with these words.
    #[track_caller]
    pub fn expect_refusal(&self, status: u16, words: &[&str]) {
        assert_eq!(self.status, status, "{} {}", self.head, self.text());
        let message = self.json()["error"].as_str().unwrap().to_owned();
        println!("{message}");
        for word in words {
            assert!(message.contains(word), "expected {word:?}: {message}");
        }
    }
}

impl Server {
    /// Starts a server in a folder, at a free port.
    pub fn start(place: &Place, words: &[&str]) -> Self {
        Self::start_with(place, words, &[])
    }

    /// Starts a server with these variables of the environment.
    pub fn start_with(place: &Place, words: &[&str], environment: &[(&str, &str)]) -> Self {
        let words = [&["serve", "--port", "0", "--threads", "1"], words].concat();
        let mut command = place.command(&words);
        command.envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
        Self { child, address }
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Sends a request with these header lines, and returns the response.
    pub fn send(&self, first: &str, headers: &[&str], body: &[u8]) -> Response {
        let mut stream = self.connect();
        let mut head = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|line| line.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        for line in headers {
            head += &format!("{line}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        // The server may refuse the request before it has read all of it.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a whole head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head: head.to_lowercase(), body: bytes[end + 4..].to_vec() }
    }

    pub fn get(&self, path: &str) -> Response {
        self.send(&format!("GET {path}"), &[], b"")
    }

    /// Posts a JSON document.
    pub fn post(&self, path: &str, body: &Value) -> Response {
        let json = "Content-Type: application/json";
        self.send(&format!("POST {path}"), &[json], body.to_string().as_bytes())
    }

    /// Opens a game, and returns its number.
    #[track_caller]
    pub fn open(&self, game: &str, agent: &str) -> u64 {
        let opened = self.post("/api/games", &serde_json::json!({ "game": game, "agent": agent }));
        assert_eq!(opened.status, 200, "{}", opened.text());
        opened.json()["id"].as_u64().unwrap()
    }

    /// Gives an order to a game.
    pub fn order(&self, id: u64, order: &Value) -> Response {
        self.post(&format!("/api/games/{id}"), order)
    }

    /// Watches a game.
    pub fn watch(&self, id: u64) -> Viewer {
        let mut stream = self.connect();
        let head = format!("GET /api/games/{id}/events HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        stream.write_all(head.as_bytes()).unwrap();
        Viewer { lines: BufReader::new(stream) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A viewer of a game.
pub struct Viewer {
    lines: BufReader<TcpStream>,
}

impl Viewer {
    /// Returns the name and the data of the next event.
    #[track_caller]
    pub fn next(&mut self) -> (String, Value) {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the stream has ended");
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(data).unwrap_or_else(|_| data.trim().into());
                return (name, data);
            }
        }
    }

    /// Returns the data of the first event of this name for which a condition holds.
    #[track_caller]
    pub fn until(&mut self, name: &str, condition: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let (event, data) = self.next();
            if event == name && condition(&data) {
                return data;
            }
            assert!(began.elapsed() < TIMEOUT, "it does not come about: {data}");
        }
    }
}
