//! Errors in specs and documents, with their place in the text: on one line, or with the
//! place underlined. Functions that make text of plugins and files safe to show.

use std::fmt;
use std::ops::Range;

/// Maximum number of characters of the text that a one-line message quotes.
const MAX_QUOTED: usize = 60;
/// Maximum width of the rendering with carets, in characters.
const MAX_WIDTH: usize = 80;

/// An error in the text of a spec or of a RON document.
///
/// `Display` writes one line; [`caret`](SpecError::caret) shows the place.
///
/// ```
/// # use runner_spec::Spec;
/// let error = "2048(rows: 3".parse::<Spec>().unwrap_err();
/// assert_eq!(error.to_string(), "`(` is not closed (at character 5 of `2048(rows: 3`)");
/// assert_eq!(error.caret(), "2048(rows: 3\n    ^");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.line())]
pub struct SpecError {
    /// Message without the place.
    pub message: String,
    /// Whole text that the user typed.
    pub text: String,
    /// Bytes of the text that the message is about.
    pub span: Range<usize>,
    /// Known names, if the error is an unknown name.
    pub allowed: Vec<String>,
}

impl SpecError {
    /// Returns an error about these bytes of a text.
    pub fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), text: text.into(), span, allowed: Vec::new() }
    }

    /// Returns the line of the text that contains the error, and below it carets under the
    /// error. Every character takes one column.
    pub fn caret(&self) -> String {
        let line = Line::of(self);
        let (shown, at) = line.clipped(MAX_WIDTH);
        let width = line.width.clamp(1, MAX_WIDTH.saturating_sub(at).max(1));
        format!("{shown}\n{}{}", " ".repeat(at), "^".repeat(width))
    }

    fn line(&self) -> String {
        let line = Line::of(self);
        let (shown, _) = line.clipped(MAX_QUOTED);
        let character = line.at + 1;
        let mut all = match line.number {
            Some(number) => {
                format!("{} (at line {number}, character {character}: `{shown}`)", self.message)
            }
            None => format!("{} (at character {character} of `{shown}`)", self.message),
        };
        if !self.allowed.is_empty() {
            all += "; allowed: ";
            all += &self.allowed.join(", ");
            let typed = self.text.get(self.span.clone()).unwrap_or_default();
            if let Some(name) = nearest(typed, self.allowed.iter().map(String::as_str)) {
                all += &format!("; did you mean `{name}`?");
            }
        }
        all.replace(char::is_control, " ")
    }
}

/// The line that contains the beginning of an error.
struct Line {
    chars: Vec<char>,
    /// Line number from 1, if the text has several lines.
    number: Option<usize>,
    /// Number of characters before the error.
    at: usize,
    /// Number of characters of the error.
    width: usize,
}

impl Line {
    fn of(error: &SpecError) -> Self {
        let text = &error.text;
        let start = text.floor_char_boundary(error.span.start);
        let end = text.floor_char_boundary(error.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let number = text[..line_start].matches('\n').count() + 1;
        let at = text[line_start..start].chars().count();
        let line = &text[line_start..line_end];
        // Space at the end of the line is left out, unless the error is behind it.
        let length = line.trim_end().chars().count().max(at);
        // Every character takes one column, control characters too.
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        Self {
            chars: line.chars().map(visible).take(length).collect(),
            number: text.trim_end().contains('\n').then_some(number),
            at,
            width: text[start..end.min(line_end)].chars().count(),
        }
    }

    /// Returns at most `columns` characters around the error, and the index in them at which the
    /// error begins.
    fn clipped(&self, columns: usize) -> (String, usize) {
        let length = self.chars.len();
        // An error can be behind the last character.
        let needed = length.max(self.at + 1);
        if needed <= columns {
            return (self.chars.iter().collect(), self.at);
        }
        // The error begins in the middle of the clipped line, unless it is near an end of the line.
        let from = self.at.saturating_sub(columns / 2).min(needed - columns);
        let mut shown = self.chars[from..length.min(from + columns)].to_vec();
        if from > 0 {
            shown[0] = '…';
        }
        if from + columns < length {
            shown[columns - 1] = '…';
        }
        (shown.iter().collect(), self.at - from)
    }
}

/// Returns the candidate that is most similar to a mistyped name, if at most one letter in
/// three differs. Hyphens count as underscores.
///
/// ```
/// # use runner_spec::nearest;
/// assert_eq!(nearest("tc_ntupel", ["td-net", "tc-ntuple"]), Some("tc-ntuple"));
/// assert_eq!(nearest("chess", ["2048", "threes"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |text: &str| text.to_lowercase().replace('_', "-");
    let name = fold(name);
    let length = name.chars().count();
    let mut nearest = None;
    let mut least_distance = usize::MAX;
    for candidate in candidates {
        let other = fold(candidate);
        let other_length = other.chars().count();
        let limit = length.max(other_length) / 3;
        // Comparing lengths first avoids computing the distance of long texts.
        if length.abs_diff(other_length) > limit {
            continue;
        }
        let distance = strsim::osa_distance(&name, &other);
        if distance <= limit && distance < least_distance {
            nearest = Some(candidate);
            least_distance = distance;
        }
    }
    nearest
}

/// Returns a message on one line and without characters that [steer the terminal](steers_terminal).
pub fn one_line(message: &str) -> String {
    let message = message.replace(steers_terminal, " ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true for characters with which text of a plugin, a program or a file could steer the
/// terminal: control characters, separators of lines, and those that turn the direction of writing.
pub fn steers_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces characters that [steer the terminal](steers_terminal), and the two noncharacters that
/// XML forbids, by their escapes; white space becomes a blank.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\r' => printable.push(' '),
            c if steers_terminal(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                printable.extend(c.escape_default());
            }
            c => printable.push(c),
        }
    }
    printable
}

/// An error in a value, without the text. The functions that read the value and those that call
/// them add its place ([`at`](Self::at)) and the name of its parameter ([`of`](Self::of)).
#[derive(Debug)]
pub struct ReadError {
    pub message: String,
    pub span: Option<Range<usize>>,
    pub allowed: Vec<String>,
    /// True if the message names the parameter.
    pub names_parameter: bool,
}

impl ReadError {
    pub fn new(message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self { message, span: None, allowed: Vec::new(), names_parameter: false }
    }

    /// Sets the place, unless it is set.
    pub fn at(mut self, span: &Range<usize>) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    /// Adds the name of the parameter to the message, unless the message names one.
    pub fn of(mut self, parameter: &str) -> Self {
        if !self.names_parameter {
            self.message = format!("parameter `{parameter}`: {}", self.message);
            self.names_parameter = true;
        }
        self
    }

    pub fn unknown_parameter(name: &str, allowed: &[&str]) -> Self {
        let hint = if allowed.is_empty() { ": there are no parameters here" } else { "" };
        Self {
            allowed: allowed.iter().map(|&name| name.to_owned()).collect(),
            names_parameter: true,
            ..Self::new(format!("unknown parameter `{name}`{hint}"))
        }
    }

    pub fn in_text(self, text: &str) -> SpecError {
        let span = self.span.unwrap_or(0..text.len());
        SpecError { message: self.message, text: text.into(), span, allowed: self.allowed }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message)
    }

    fn invalid_type(found: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Self::new(format_args!("expected {expected}, found {found}"))
    }

    fn invalid_value(found: serde::de::Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn serde::de::Expected) -> Self {
        let plural = if length == 1 { "" } else { "s" };
        Self::new(format_args!("expected {expected}, found {length} element{plural}"))
    }

    fn unknown_variant(variant: &str, allowed: &'static [&'static str]) -> Self {
        let allowed = allowed.iter().map(|&name| name.to_owned()).collect();
        Self { allowed, ..Self::new(format_args!("unknown choice `{variant}`")) }
    }

    fn unknown_field(field: &str, allowed: &'static [&'static str]) -> Self {
        Self::unknown_parameter(field, allowed)
    }

    fn missing_field(field: &'static str) -> Self {
        Self { names_parameter: true, ..Self::new(format_args!("parameter `{field}` is missing")) }
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self { names_parameter: true, ..Self::new(format_args!("`{field}` is given twice")) }
    }
}
