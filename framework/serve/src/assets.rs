//! The page, which is part of the program, and the headers of all responses.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub const PAGE: &str = include_str!("page/page.html");
pub const STYLE: &str = include_str!("page/style.css");
/// Its program: one script, whose parts are files in dependency order.
pub const PROGRAM: &str = concat!(
    include_str!("page/program/base.js"),
    include_str!("page/program/stream.js"),
    include_str!("page/program/board.js"),
    include_str!("page/program/frame.js"),
    include_str!("page/program/charts.js"),
    include_str!("page/program/forms.js"),
    include_str!("page/program/controls.js"),
);

/// The page may load from this server and connect to it, and to nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

pub fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// Adds the headers of all responses.
pub async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-frame-options"), "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_small_and_loads_nothing_from_elsewhere() {
        let remote = include_str!("page/remote.js");
        let size = PAGE.len() + STYLE.len() + PROGRAM.len() + remote.len();
        assert!(size < 150_000, "{size} bytes");
        // The name of a format, which is not loaded.
        let program = PROGRAM.replace("http://www.w3.org/2000/svg", "");
        for text in [PAGE, STYLE, &program] {
            for foreign in ["http://", "https://", "@import", "innerHTML", "eval("] {
                assert!(!text.contains(foreign), "{foreign}");
            }
        }
    }
}
