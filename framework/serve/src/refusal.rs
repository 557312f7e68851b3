//! Responses to requests that are refused: JSON with an HTTP status.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use runner_play::failure::Failure;
use serde::Serialize;

/// Seconds until a refused client may try again: by then, bodies that do not arrive have timed out.
const RETRY_SECONDS: u64 = 10;

/// The reason why a request has no result.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    /// The mistake and the allowed values, on one line.
    pub message: String,
    /// The spec of the request with the wrong place underlined.
    pub place: Option<String>,
}

impl Refusal {
    pub fn new(status: StatusCode, message: impl ToString) -> Self {
        Self { status, message: message.to_string(), place: None }
    }

    pub fn wrong(message: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn missing(message: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The request may be repeated later.
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

#[derive(Serialize)]
struct Body {
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self { status, message, place } = self;
        let mut response = (status, Json(Body { error: message, place })).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, RETRY_SECONDS.into());
        }
        response
    }
}
