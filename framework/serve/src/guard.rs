//! Refuses requests that do not come from the server's own page, and bodies that are too large or
//! too slow. Every request passes [`guard`] before its route is looked up.
//!
//! A page of another site must not reach the server through the browser of its user. So the `Host`
//! header must be an address, or a name that the command line allows: the DNS entry of a foreign
//! name can point to this machine (DNS rebinding). The `Origin` header must name this server.

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

/// Largest body of a request that is no upload, in bytes.
const MAX_BODY: usize = 64 << 10;
/// Largest upload, a file of recorded games, in bytes.
const MAX_UPLOAD: usize = 32 << 20;
/// Largest number of uploads that are received or read at once. Each is held in memory.
const MAX_UPLOADS: usize = 4;
/// Longest time until the body of a request has arrived.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Path to which a browser sends a file to open one of its games.
pub const UPLOAD: &str = "/api/uploads";
/// Path to which a browser sends a file to list its games.
pub const UPLOAD_LIST: &str = "/api/uploads/list";

pub struct Guard {
    hosts: Hosts,
    /// A permit for each upload that may be received or read now.
    uploads: Semaphore,
}

impl Guard {
    pub fn new(hosts: Hosts) -> Self {
        Self { hosts, uploads: Semaphore::new(MAX_UPLOADS) }
    }
}

/// The hosts for which the server answers: addresses, `localhost`, and `names`.
pub struct Hosts {
    /// True if the server listens at a loopback address, so that only this machine can reach it.
    pub loopback: bool,
    pub names: Vec<String>,
    /// The option that adds a name.
    pub flag: &'static str,
}

impl Hosts {
    /// Returns true if the server answers for the value of a `Host` header. The port is not
    /// compared: it differs where a connection is forwarded.
    pub fn allow(&self, host: &str) -> bool {
        let name = without_port(host);
        if let Ok(address) = name.parse::<IpAddr>() {
            // An address needs no DNS, so rebinding cannot have led it here.
            return address.is_loopback() || !self.loopback;
        }
        name.eq_ignore_ascii_case("localhost")
            || self.names.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
    }
}

/// Returns the name or the address of `localhost:2048`, `127.0.0.1`, or `[::1]:2048`.
fn without_port(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(rest, |(address, _)| address),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

/// Reads the whole body of a request that passes the checks, and hands it to its route.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(refusal) = check_headers(&guard.hosts, &parts) {
        return refusal.into_response();
    }
    let is_upload = [UPLOAD, UPLOAD_LIST].contains(&parts.uri.path());
    // An upload holds its permit until this function returns its response.
    let (max_body, _permit) = if is_upload {
        let Ok(permit) = guard.uploads.try_acquire() else {
            let message =
                format!("{MAX_UPLOADS} files are being read already: send this one later");
            return Refusal::busy(message).into_response();
        };
        (MAX_UPLOAD, Some(permit))
    } else {
        (MAX_BODY, None)
    };
    let body = match timeout(BODY_TIMEOUT, to_bytes(body, max_body)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let message = format!("the body of the request is larger than {max_body} bytes");
            return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
        }
        Err(_) => {
            let message = "the body of the request did not arrive in time";
            return Refusal::new(StatusCode::REQUEST_TIMEOUT, message).into_response();
        }
    };
    next.run(Request::from_parts(parts, Body::from(body))).await
}

fn check_headers(hosts: &Hosts, request: &Parts) -> Result<(), Refusal> {
    let headers = &request.headers;
    // A value that is not ASCII becomes `?`, and is refused.
    let header = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let forbidden = |message: String| Err(Refusal::new(StatusCode::FORBIDDEN, message));
    let host = header(&HOST).unwrap_or("");
    if !hosts.allow(host) {
        return forbidden(format!(
            "this server does not answer for the host {host:?}; use its address, or allow the \
             name with {}",
            hosts.flag
        ));
    }
    if let Some(origin) = header(&ORIGIN)
        && origin != format!("http://{host}")
    {
        return forbidden(format!("requests of {origin} are refused"));
    }
    // Browsers send `Sec-Fetch-Site` with every request, `Origin` only with some. The page, `/`, is
    // allowed because other sites may link to it.
    if let Some(site) = headers.get("sec-fetch-site")
        && (site == "cross-site" || site == "same-site")
        && request.uri.path() != "/"
    {
        return forbidden("requests of other sites are refused".into());
    }
    // The forms of other sites cannot send these types.
    if request.method == Method::POST
        && !["application/json", "application/octet-stream"]
            .contains(&header(&CONTENT_TYPE).unwrap_or(""))
    {
        let message = "the body must be application/json, or application/octet-stream";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
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
        for (host, allowed_by_local, allowed_by_open) in [
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
            assert_eq!(local.allow(host), allowed_by_local, "{host}");
            assert_eq!(open.allow(host), allowed_by_open, "{host}");
        }
    }
}
