//! Requests that are refused, as JSON with a status.

use axum::Json;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use runner_play::failure::Failure;
use serde::Serialize;

/// The type of documents in JSON.
const JSON: &str = "application/json";

/// The reason why a request has no result.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    /// The mistake and the allowed values, on one line.
    pub message: String,
    /// The typed text with the place underlined.
    pub place: Option<String>,
}

impl Refusal {
    pub fn new(status: StatusCode, message: impl ToString) -> Self {
        Self { status, message: message.to_string(), place: None }
    }

    /// Returns the refusal of a request that is wrong.
    pub fn wrong(message: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Returns the refusal of something that is not there.
    pub fn missing(message: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// Returns the refusal of a request for which there is no room now.
    pub fn busy(message: impl ToString) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let message = failure.to_string();
        match failure {
            Failure::Usage { place, .. } => Self { place, ..Self::wrong(message) },
            _ => Self::new(StatusCode::UNPROCESSABLE_ENTITY, message),
        }
    }
}

/// Largest text of a refusal, in bytes.
const TEXT: usize = 64 << 10;

/// Makes JSON of the refusals that the router answers itself, such as that of a path with a wrong
/// number.
pub async fn refusals_as_json(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let allowed = response.headers().get(ALLOW).cloned();
    let text = to_bytes(response.into_body(), TEXT).await.unwrap_or_default();
    let text = match String::from_utf8_lossy(&text).trim() {
        "" => status.canonical_reason().unwrap_or("the request is refused").to_owned(),
        text => text.to_owned(),
    };
    let mut refusal = Refusal::new(status, text).into_response();
    refusal.headers_mut().extend(allowed.map(|methods| (ALLOW, methods)));
    refusal
}

/// The JSON document of a refusal.
#[derive(Serialize)]
struct Body {
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self { status, message, place } = self;
        (status, Json(Body { error: message, place })).into_response()
    }
}
