//! Parses a text into a tree.

use crate::error::SpecError;
use crate::tree::{Content, Field, Name, Span, Spec, SpecValue, is_number, is_quantity};
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum nesting depth of groups, lists and maps. It bounds the use of the stack.
const MAX_DEPTH: usize = 50;

/// Parses a text that is one value.
pub fn parse(source: &Arc<str>) -> Result<SpecValue, SpecError> {
    let mut parser = Parser { source, pos: 0, depth: 0 };
    parser.skip_space();
    let value = parser.value()?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => {
            parser.refuse(parser.here(), format!("unexpected {} after the end", parser.found()))
        }
    }
}

struct Parser<'a> {
    source: &'a Arc<str>,
    /// The byte of the source that is read next.
    pos: usize,
    /// Number of open groups, lists and maps.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes a character and returns true, if it comes next.
    fn eat(&mut self, c: char) -> bool {
        let is_next = self.rest().starts_with(c);
        if is_next {
            self.pos += c.len_utf8();
        }
        is_next
    }

    fn refuse<T>(&self, span: Span, message: impl Into<String>) -> Result<T, SpecError> {
        Err(SpecError::new(self.source, span, message))
    }

    /// Returns the place of the next word or character.
    fn here(&self) -> Span {
        let word = self.word_length();
        let length = if word > 0 { word } else { self.peek().map_or(0, char::len_utf8) };
        self.pos..self.pos + length
    }

    /// Returns what is at this place, for "expected ..., found ...".
    fn found(&self) -> String {
        match self.here() {
            place if place.is_empty() => "the end of the text".into(),
            place => format!("`{}`", &self.source[place]),
        }
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            // Some editors write a byte order mark at the beginning of a file.
            let text = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.pos += rest.len() - text.len();
            if !text.starts_with("//") {
                return;
            }
            self.pos += text.find('\n').unwrap_or(text.len());
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

    /// Returns the word at this place as a name, without the `r#` that `ron` writes before the name
    /// of a variant with a hyphen.
    fn name(&self, span: Span) -> Name {
        let word = &self.source[span.clone()];
        Name { text: word.strip_prefix("r#").unwrap_or(word).to_owned(), span }
    }

    fn value(&mut self) -> Result<SpecValue, SpecError> {
        let start = self.pos;
        let content = match self.peek() {
            Some('"') => self.string()?,
            Some('(') => match self.group()? {
                (fields, items) if items.is_empty() => Content::Struct(fields),
                (_, items) => Content::Tuple(items),
            },
            Some('[') => {
                let mut items = Vec::new();
                self.separated('[', ']', |parser| {
                    items.push(parser.value()?);
                    Ok(None)
                })?;
                Content::List(items)
            }
            Some('{') => self.map()?,
            _ => return self.word(),
        };
        Ok(SpecValue::typed(start..self.pos, content))
    }

    fn word(&mut self) -> Result<SpecValue, SpecError> {
        let span = self.here();
        if self.word_length() == 0 {
            return self.refuse(span, format!("expected a value, found {}", self.found()));
        }
        let name = self.name(span.clone());
        self.pos = span.end;
        self.skip_space();
        if self.peek() == Some('(') {
            return self.call(name);
        }
        self.pos = span.end;
        let content = match name.text.as_str() {
            "Some" => return self.refuse(span, "`Some` takes one value"),
            "None" => Content::None,
            "true" => Content::Bool(true),
            "false" => Content::Bool(false),
            word if is_number(word) || is_quantity(word) => Content::Number(name.text),
            word if is_word(word) => self.spec(name, Vec::new()),
            word => {
                let message =
                    format!("`{word}` is neither a number nor a name (text needs quotes)");
                return self.refuse(span, message);
            }
        };
        Ok(SpecValue::typed(span, content))
    }

    /// Parses the parentheses behind a name.
    fn call(&mut self, name: Name) -> Result<SpecValue, SpecError> {
        self.check_name(&name)?;
        let (fields, mut items) = self.group()?;
        match name.text.as_str() {
            "Some" if items.len() == 1 => return Ok(items.remove(0)),
            "Some" => return self.refuse(name.span, "`Some` takes one value"),
            word @ ("true" | "false" | "None") => {
                return self.refuse(name.span, format!("`{word}` takes no parentheses"));
            }
            _ => {}
        }
        if let Some(first) = items.first() {
            return self.refuse(first.span.clone(), expected_parameter(first));
        }
        Ok(SpecValue::typed(name.span.start..self.pos, self.spec(name, fields)))
    }

    fn check_name(&self, name: &Name) -> Result<(), SpecError> {
        if is_word(&name.text) {
            return Ok(());
        }
        self.refuse(name.span.clone(), format!("`{}` is not a name", name.text))
    }

    /// Returns the spec that begins with this name and ends here.
    fn spec(&self, name: Name, fields: Vec<Field>) -> Content {
        let span = name.span.start..self.pos;
        Content::Spec(Spec { source: self.source.clone(), span, name, fields, preset: None })
    }

    /// Parses parentheses. Either all values in them have names, or none has.
    fn group(&mut self) -> Result<(Vec<Field>, Vec<SpecValue>), SpecError> {
        let mut named = Vec::new();
        let mut positional = Vec::new();
        let mut keys = HashSet::new();
        self.separated('(', ')', |parser| {
            if let Some(key) = parser.key()? {
                if !keys.insert(key.text.clone()) {
                    return parser.refuse(key.span, format!("`{}` is given twice", key.text));
                }
                parser.skip_space();
                let value = parser.value()?;
                if !positional.is_empty() {
                    let message = "an earlier value has no name; name all values or none";
                    return parser.refuse(key.span, message);
                }
                named.push((key, value));
                return Ok(None);
            }
            let value = parser.value()?;
            if value.as_text().is_some() && parser.rest().starts_with(':') {
                return parser.refuse(value.span, "the name of a parameter needs no quotes");
            }
            if !named.is_empty() {
                return parser.refuse(value.span.clone(), expected_parameter(&value));
            }
            let span = value.span.clone();
            positional.push(value);
            Ok(is_word(&parser.source[span.clone()]).then_some(span))
        })?;
        Ok((named, positional))
    }

    /// Consumes the name of a field and its colon, if they come next.
    fn key(&mut self) -> Result<Option<Name>, SpecError> {
        let start = self.pos;
        let key = self.name(start..start + self.word_length());
        if !key.span.is_empty() {
            self.pos = key.span.end;
            self.skip_space();
            if self.eat(':') {
                self.check_name(&key)?;
                return Ok(Some(key));
            }
            self.pos = start;
        }
        Ok(None)
    }

    fn map(&mut self) -> Result<Content, SpecError> {
        let mut entries = Vec::new();
        self.separated('{', '}', |parser| {
            let key = parser.value()?;
            parser.skip_space();
            if !parser.eat(':') {
                return parser
                    .refuse(parser.here(), format!("expected `:`, found {}", parser.found()));
            }
            parser.skip_space();
            entries.push((key, parser.value()?));
            Ok(None)
        })?;
        Ok(Content::Map(entries))
    }

    /// Parses items in brackets, separated by commas. `item` parses one. If the item may be a name
    /// whose colon is missing, it returns the place of the name, so that no comma is reported as
    /// missing.
    fn separated(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<Option<Span>, SpecError>,
    ) -> Result<(), SpecError> {
        let opening = self.pos..self.pos + 1;
        self.pos += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.refuse(opening, format!("nesting is deeper than {MAX_DEPTH}"));
        }
        let mut name_before = None;
        let mut is_separated = true;
        loop {
            self.skip_space();
            if self.peek().is_none() {
                return self.refuse(opening, format!("`{open}` is not closed"));
            }
            if self.eat(close) {
                break;
            }
            if !is_separated {
                let found = self.found();
                let message = match name_before {
                    Some(name) => {
                        format!("expected `:` after `{}`, found {found}", &self.source[name])
                    }
                    None => format!("expected `,` or `{close}`, found {found}"),
                };
                return self.refuse(self.here(), message);
            }
            name_before = item(self)?;
            self.skip_space();
            is_separated = self.eat(',');
        }
        self.depth -= 1;
        Ok(())
    }

    fn string(&mut self) -> Result<Content, SpecError> {
        let start = self.pos;
        let mut is_escaped = false;
        let length_in_quotes = self.rest()[1..].find(|c| {
            let is_closing = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_closing
        });
        let Some(length) = length_in_quotes else {
            return self.refuse(start..start + 1, "the string is not closed");
        };
        let span = start..start + length + 2;
        self.pos = span.end;
        let message = match ron::from_str(&self.source[span.clone()]) {
            Ok(text) => return Ok(Content::Text(text)),
            Err(error) => match error.code {
                ron::Error::InvalidEscape(what) => format!("invalid escape: {what}"),
                code => code.to_string(),
            },
        };
        self.refuse(span, message.to_lowercase())
    }
}

fn expected_parameter(found: &SpecValue) -> String {
    format!("expected `parameter: value`, found {}", found.describe())
}

/// Returns true for words that may be names of parameters or variants, of which
/// [`is_name`](crate::tree::is_name) may refuse some for a game, value or agent.
fn is_word(word: &str) -> bool {
    let word = word.strip_prefix("r#").unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
