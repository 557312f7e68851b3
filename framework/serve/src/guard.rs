//! Which requests are answered.
//!
//! A page of another site must not reach the server through the browser of its user. So the host
//! must be an address or a name that the command line allows, because a foreign name may lead here
//! (DNS rebinding), and the origin must be this server.

use super::refusal::Refusal;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Largest body of a request, in bytes.
const BODY: usize = 64 << 10;
/// Largest file of recorded games that a browser sends, in bytes.
const FILE: usize = 32 << 20;
/// Largest number of files that are received or read at once: they lie in memory.
const UPLOADS: usize = 4;
/// Time for the body of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// Paths of the files that a browser sends: to open a game, and to list all games.
pub const UPLOAD: &str = "/api/uploads";
pub const UPLOAD_LIST: &str = "/api/uploads/list";

/// What requests have to pass.
pub struct Guard {
    hosts: Hosts,
    /// Places of files that browsers send.
    uploads: Semaphore,
}

impl Guard {
    pub fn new(hosts: Hosts) -> Self {
        Self { hosts, uploads: Semaphore::new(UPLOADS) }
    }
}

/// The hosts for which the server answers.
pub struct Hosts {
    /// True if only this machine can reach the server.
    pub loopback: bool,
    /// Names beside `localhost` and addresses.
    pub names: Vec<String>,
    /// The option that adds a name.
    pub flag: &'static str,
}

impl Hosts {
    /// Returns true if the server answers for the value of a `Host` header. The port is not
    /// compared: it differs where a connection is forwarded.
    pub fn allow(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or(rest, |(address, _)| address),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        match name.parse::<IpAddr>() {
            // No foreign name leads to an address that is written as one.
            Ok(address) => address.is_loopback() || !self.loopback,
            Err(_) => {
                let known = self.names.iter().map(String::as_str).chain(["localhost"]);
                known.into_iter().any(|known| known.eq_ignore_ascii_case(name))
            }
        }
    }
}

/// Refuses requests of other sites, bodies that are too large or too slow, and too many files at once.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(refusal) = check(&guard.hosts, &parts) {
        return refusal.into_response();
    }
    let is_upload = [UPLOAD, UPLOAD_LIST].contains(&parts.uri.path());
    // A file holds its place until it is answered.
    let place = is_upload.then(|| guard.uploads.try_acquire());
    if let Some(Err(_)) = place {
        let message = format!("{UPLOADS} files are being read already: send this one later");
        return Refusal::busy(message).into_response();
    }
    let limit = if is_upload { FILE } else { BODY };
    let body = match timeout(PATIENCE, to_bytes(body, limit)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let message = format!("the body of the request is larger than {limit} bytes");
            return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
        }
        Err(_) => {
            let message = "the body of the request did not arrive in time";
            return Refusal::new(StatusCode::REQUEST_TIMEOUT, message).into_response();
        }
    };
    next.run(Request::from_parts(parts, Body::from(body))).await
}

fn check(hosts: &Hosts, request: &Parts) -> Result<(), Refusal> {
    let (headers, path) = (&request.headers, request.uri.path());
    let forbidden = |message: String| Err(Refusal::new(StatusCode::FORBIDDEN, message));
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(&HOST).unwrap_or("");
    if !hosts.allow(host) {
        return forbidden(format!(
            "this server does not answer for the host {host:?}; use its address, or allow the \
             name with {}",
            hosts.flag
        ));
    }
    if let Some(origin) = text(&ORIGIN)
        && origin != format!("http://{host}")
    {
        return forbidden(format!("requests of {origin} are refused"));
    }
    // Browsers send this header even without an origin. Links of other sites may lead to the page.
    if let Some(site) = headers.get("sec-fetch-site")
        && (site == "cross-site" || site == "same-site")
        && path != "/"
    {
        return forbidden("requests of other sites are refused".into());
    }
    if request.method == Method::POST {
        let kind = text(&CONTENT_TYPE).unwrap_or("");
        if !["application/json", "application/octet-stream"].contains(&kind) {
            let message = "the body must be application/json, or application/octet-stream";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_allowed_names_are_hosts() {
        let local = Hosts { loopback: true, names: Vec::new(), flag: "" };
        let open = Hosts { loopback: false, names: vec!["lab.example".into()], flag: "" };
        for (host, here, there) in [
            ("127.0.0.1:2048", true, true),
            ("127.0.0.1", true, true),
            ("localhost:9", true, true),
            ("LOCALHOST", true, true),
            ("[::1]:2048", true, true),
            ("192.0.2.7:2048", false, true),
            ("[2001:db8::1]:2048", false, true),
            ("lab.example:2048", false, true),
            ("evil.example:2048", false, false),
            ("127.0.0.1.evil.example", false, false),
            ("localhost.evil.example:2048", false, false),
            ("", false, false),
            ("?", false, false),
        ] {
            assert_eq!(local.allow(host), here, "{host}");
            assert_eq!(open.allow(host), there, "{host}");
        }
    }
}
