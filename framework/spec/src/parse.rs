//! Parses a text into a tree.

use crate::error::SpecError;
use crate::tree::{Fields, Node, NodeKind, Word, describe, is_number, is_quantity, name_of};
use std::collections::HashSet;
use std::ops::Range;

/// Maximum nesting depth of groups, lists and maps. It bounds the use of the stack.
const MAX_DEPTH: usize = 50;

/// Parses the single value in `span`.
pub fn parse(source: &str, span: Range<usize>) -> Result<Node, SpecError> {
    let mut parser = Parser { source, pos: span.start, end: span.end, depth: 0 };
    parser.skip_space()?;
    let node = parser.value()?;
    parser.skip_space()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => {
            let found = parser.found();
            Err(parser.error(parser.here(), format!("unexpected {found} after the end")))
        }
    }
}

/// Returns the offset behind attributes such as `#![enable(implicit_some)]`, which have no
/// effect here.
pub fn after_attributes(source: &str) -> Result<usize, SpecError> {
    let mut parser = Parser { source, pos: 0, end: source.len(), depth: 0 };
    loop {
        parser.skip_space()?;
        if !parser.rest().starts_with("#![") {
            return Ok(parser.pos);
        }
        match parser.rest().find(']') {
            Some(length) => parser.pos += length + 1,
            None => {
                let start = parser.pos;
                return Err(parser.error(start..start + 3, "`#![` is not closed"));
            }
        }
    }
}

struct Parser<'a> {
    source: &'a str,
    pos: usize,
    end: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.pos..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let there = self.rest().starts_with(c);
        if there {
            self.pos += c.len_utf8();
        }
        there
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> SpecError {
        SpecError::new(self.source, span, message)
    }

    /// Returns the next word or character.
    fn here(&self) -> Range<usize> {
        let word = self.word_length();
        let length = if word > 0 { word } else { self.peek().map_or(0, char::len_utf8) };
        self.pos..self.pos + length
    }

    fn found(&self) -> String {
        match self.here() {
            place if place.is_empty() => "the end of the text".into(),
            place => format!("`{}`", &self.source[place]),
        }
    }

    fn skip_space(&mut self) -> Result<(), SpecError> {
        loop {
            let rest = self.rest();
            // Some editors write a byte order mark at the beginning of a file.
            let text = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.pos += rest.len() - text.len();
            if text.starts_with("//") {
                self.pos += text.find('\n').unwrap_or(text.len());
            } else if text.starts_with("/*") {
                self.skip_block_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_block_comment(&mut self) -> Result<(), SpecError> {
        let start = self.pos;
        let mut open = 0usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                open += 1;
                self.pos += 2;
            } else if rest.starts_with("*/") {
                open -= 1;
                self.pos += 2;
                if open == 0 {
                    return Ok(());
                }
            } else {
                match rest.chars().next() {
                    Some(c) => self.pos += c.len_utf8(),
                    None => return Err(self.error(start..start + 2, "`/*` is not closed")),
                }
            }
        }
    }

    /// Returns the length in bytes of the next word. Signs and points are included: they
    /// belong to numbers (`1e-5`), and an error about a name (`x.model`) should show all of
    /// it.
    fn word_length(&self) -> usize {
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let run = |text: &str| text.find(|c| !belongs(c)).unwrap_or(text.len());
        match self.rest().strip_prefix("r#").map(run) {
            Some(raw) if raw > 0 => 2 + raw,
            _ => run(self.rest()),
        }
    }

    fn value(&mut self) -> Result<Node, SpecError> {
        let start = self.pos;
        let kind = match self.peek() {
            Some('"') => self.string(0)?,
            Some('\'') => self.character()?,
            Some('(') => NodeKind::Group(None, self.group()?),
            Some('[') => NodeKind::List(self.list()?),
            Some('{') => NodeKind::Map(self.map()?),
            Some('r') if self.raw_string_hashes().is_some() => self.raw_string()?,
            _ => self.word()?,
        };
        Ok(Node { span: start..self.pos, kind })
    }

    fn word(&mut self) -> Result<NodeKind, SpecError> {
        let span = self.here();
        let length = self.word_length();
        if length == 0 {
            return Err(self.error(span, format!("expected a value, found {}", self.found())));
        }
        self.pos += length;
        if self.peek() == Some('"') && matches!(&self.source[span.clone()], "b" | "br") {
            return Err(
                self.error(span, "byte strings are not supported; write a list of numbers: [1, 2]")
            );
        }
        let before_space = self.pos;
        self.skip_space()?;
        if self.peek() == Some('(') {
            self.check_word(&span, false)?;
            let fields = self.group()?;
            let one = matches!(&fields, Fields::Positional(items) if items.len() == 1);
            return match &self.source[span.clone()] {
                "Some" if !one => Err(self.error(span, "`Some` takes one value")),
                word @ ("true" | "false" | "None") => {
                    let message = format!("`{word}` takes no parentheses");
                    Err(self.error(span, message))
                }
                _ => Ok(NodeKind::Group(Some(span), fields)),
            };
        }
        self.pos = before_space;
        self.check_word(&span, true)?;
        if &self.source[span.clone()] == "Some" {
            return Err(self.error(span, "`Some` takes one value"));
        }
        Ok(NodeKind::Word)
    }

    /// Rejects words that are neither numbers nor names: `1.2.3`, `-x`.
    fn check_word(&self, span: &Word, may_be_number: bool) -> Result<(), SpecError> {
        let word = &self.source[span.clone()];
        let named = word.starts_with("r#")
            || word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                && !word.contains(['.', '+']);
        if named || may_be_number && (is_number(word) || is_quantity(word)) {
            return Ok(());
        }
        let what = if may_be_number {
            "neither a number nor a name (text needs quotes)"
        } else {
            "not a name"
        };
        Err(self.error(span.clone(), format!("`{word}` is {what}")))
    }

    fn group(&mut self) -> Result<Fields, SpecError> {
        let mut named = Vec::new();
        let mut positional = Vec::new();
        let mut seen = HashSet::new();
        self.separated('(', ')', |parser| {
            let key = parser.key()?;
            if let Some(key) = key {
                let name = name_of(&parser.source[key.clone()]);
                if !seen.insert(name) {
                    return Err(parser.error(key, format!("`{name}` is given twice")));
                }
                parser.skip_space()?;
                let value = parser.value()?;
                if positional.is_empty() {
                    named.push((key, value));
                    return Ok(None);
                }
                let message = "an earlier value has no name; name all values or none";
                return Err(parser.error(key, message));
            }
            let value = parser.value()?;
            if matches!(value.kind, NodeKind::Text(_)) && parser.rest().starts_with(':') {
                return Err(parser.error(value.span, "the name of a parameter needs no quotes"));
            }
            if !named.is_empty() {
                let found = describe(&value, parser.source);
                let message = format!("expected `parameter: value`, found {found}");
                return Err(parser.error(value.span, message));
            }
            let word = matches!(value.kind, NodeKind::Word).then(|| value.span.clone());
            positional.push(value);
            Ok(word)
        })?;
        Ok(if positional.is_empty() {
            Fields::Named(named)
        } else {
            Fields::Positional(positional)
        })
    }

    /// Consumes the name of a field and its colon, if they come next.
    fn key(&mut self) -> Result<Option<Word>, SpecError> {
        let start = self.pos;
        let word = start..start + self.word_length();
        if !word.is_empty() && self.raw_string_hashes().is_none() {
            self.pos = word.end;
            self.skip_space()?;
            if self.eat(':') {
                self.check_word(&word, false)?;
                return Ok(Some(word));
            }
            self.pos = start;
        }
        Ok(None)
    }

    fn list(&mut self) -> Result<Vec<Node>, SpecError> {
        let mut items = Vec::new();
        self.separated('[', ']', |parser| {
            items.push(parser.value()?);
            Ok(None)
        })?;
        Ok(items)
    }

    fn map(&mut self) -> Result<Vec<(Node, Node)>, SpecError> {
        let mut entries = Vec::new();
        self.separated('{', '}', |parser| {
            let key = parser.value()?;
            parser.skip_space()?;
            if !parser.eat(':') {
                let message = format!("expected `:`, found {}", parser.found());
                return Err(parser.error(parser.here(), message));
            }
            parser.skip_space()?;
            entries.push((key, parser.value()?));
            Ok(None)
        })?;
        Ok(entries)
    }

    /// Parses items in brackets, separated by commas. `item` returns an item that is a
    /// single word, so that a missing colon is not reported as a missing comma.
    fn separated(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<Option<Word>, SpecError>,
    ) -> Result<(), SpecError> {
        let start = self.pos..self.pos + 1;
        self.pos += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(start, format!("nesting is deeper than {MAX_DEPTH}")));
        }
        loop {
            self.skip_space()?;
            if self.eat(close) {
                break;
            }
            let at_end = |parser: &Self| {
                (parser.peek().is_none())
                    .then(|| parser.error(start.clone(), format!("`{open}` is not closed")))
            };
            if let Some(error) = at_end(self) {
                return Err(error);
            }
            let word = item(self)?;
            self.skip_space()?;
            if self.eat(',') || self.peek() == Some(close) {
                continue;
            }
            if let Some(error) = at_end(self) {
                return Err(error);
            }
            let found = self.found();
            let message = match word {
                Some(word) => format!("expected `:` after `{}`, found {found}", &self.source[word]),
                None => format!("expected `,` or `{close}`, found {found}"),
            };
            return Err(self.error(self.here(), message));
        }
        self.depth -= 1;
        Ok(())
    }

    fn string(&mut self, prefix: usize) -> Result<NodeKind, SpecError> {
        let start = self.pos;
        let mut escaped = false;
        let length = self.rest()[prefix + 1..].find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(length) = length else {
            return Err(self.error(start..start + 1, "the string is not closed"));
        };
        self.literal(start..start + prefix + length + 2).map(NodeKind::Text)
    }

    /// Returns the number of `#` of a raw string, if one comes next.
    fn raw_string_hashes(&self) -> Option<usize> {
        let after = self.rest().strip_prefix('r')?;
        let quoted = after.trim_start_matches('#');
        quoted.starts_with('"').then(|| after.len() - quoted.len())
    }

    fn raw_string(&mut self) -> Result<NodeKind, SpecError> {
        let start = self.pos;
        let hashes = self.raw_string_hashes().unwrap_or_default();
        let open = 1 + hashes + 1;
        let ending = format!("\"{}", "#".repeat(hashes));
        let Some(length) = self.rest()[open..].find(&ending) else {
            return Err(self.error(start..start + open, "the string is not closed"));
        };
        self.literal(start..start + open + length + ending.len()).map(NodeKind::Text)
    }

    fn character(&mut self) -> Result<NodeKind, SpecError> {
        let start = self.pos;
        let rest = self.rest();
        let after = if rest.starts_with("'\\") { 3 } else { 2 };
        // Skips the character itself, which may be a quote.
        let from = rest.char_indices().nth(after.min(rest.len())).map_or(rest.len(), |(at, _)| at);
        let Some(length) = rest[from..].find('\'') else {
            return Err(self.error(start..start + 1, "the character is not closed"));
        };
        self.literal(start..start + from + length + 1).map(NodeKind::Char)
    }

    fn literal<T: serde::de::DeserializeOwned>(&mut self, span: Word) -> Result<T, SpecError> {
        let value = ron::from_str(&self.source[span.clone()])
            .map_err(|error| self.error(span.clone(), literal_message(&error.code)))?;
        self.pos = span.end;
        Ok(value)
    }
}

fn literal_message(error: &ron::Error) -> String {
    match error {
        ron::Error::InvalidEscape(what) => {
            format!("invalid escape: {}", what.to_lowercase())
        }
        ron::Error::ExpectedChar => "expected one character between `'` and `'`".into(),
        error => error.to_string().to_lowercase(),
    }
}
