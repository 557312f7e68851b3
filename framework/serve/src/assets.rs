//! The files of the page, which are compiled into the program, and the headers of all responses.

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

/// Defines `MODULES`, the modules of the page's program with the names by which they are imported.
macro_rules! modules {
    ($($name:literal)*) => {
        const MODULES: &[(&str, &str)] = &[$(($name, include_str!(concat!("page/program/", $name)))),*];
    };
}

modules! {
    "base.js" "board.js" "charts.js" "completion.js" "controls.js" "editor.js" "forms.js" "frame.js" "main.js"
    "opinion.js" "palette.js" "records.js" "review.js" "server.js" "theme.js" "view.js"
}

pub fn module(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The page can load from this server and connect to it, and to nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

pub fn asset(content_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, content_type)], text).into_response()
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
        let modules = MODULES.iter().map(|(_, text)| text.len()).sum::<usize>();
        let size = PAGE.len() + STYLE.len() + modules;
        assert!(size < 150_000, "{size} bytes");
        for text in [PAGE, STYLE].into_iter().chain(MODULES.iter().map(|(_, text)| *text)) {
            // The name of a format, which is not loaded.
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for foreign in ["http://", "https://", "@import", "innerHTML", "eval(", " onclick="] {
                assert!(!text.contains(foreign), "{foreign}");
            }
        }
    }

    /// Returns the relative luminance of a colour such as `#faf8ef`, as WCAG 2 defines it.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (a, b) = (luminance(one), luminance(other));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn texts_have_the_contrast_of_wcag_aa() {
        const AA: f64 = 4.5;
        let mut tiles = 0;
        for pair in module("palette.js").unwrap().split("[\"#").skip(1) {
            let (back, fore) = (format!("#{}", &pair[..6]), &pair[10..17]);
            assert!(contrast(&back, fore) >= AA, "{back} {fore}: {}", contrast(&back, fore));
            tiles += 1;
        }
        assert_eq!(tiles, 22);
        // The skin of Threes replaces some colours of the first block.
        let blocks: Vec<&str> = STYLE.split(":root").skip(1).take(2).collect();
        let colour = |blocks: &[&str], name: &str, scheme: usize| {
            let of_block = |block: &&str| {
                let (_, rest) = block.split_once(&format!("--{name}: light-dark("))?;
                Some(rest.split(')').next()?.split(", ").nth(scheme)?.to_owned())
            };
            blocks.iter().rev().find_map(of_block).unwrap_or_else(|| panic!("--{name} is missing"))
        };
        for blocks in [&blocks[..1], &blocks[..]] {
            for scheme in [0, 1] {
                for (fore, back) in [
                    ("fore", "back"),
                    ("fore", "surface"),
                    ("faint", "back"),
                    ("faint", "surface"),
                    ("accent", "back"),
                    ("accent", "surface"),
                    ("on-card", "card"),
                    ("on-accent", "accent"),
                    ("fore", "bar"),
                    ("fore", "empty"),
                ] {
                    let (a, b) = (colour(blocks, fore, scheme), colour(blocks, back, scheme));
                    let found = contrast(&a, &b);
                    assert!(found >= AA, "{fore} {a} on {back} {b}: {found}");
                }
            }
        }
    }
}
