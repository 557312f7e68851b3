//! The shape of a RON text: names, literals, groups, lists and maps, each with
//! its place in what the user typed.
//!
//! It differs from plain RON in one point: names may begin with a digit and hold
//! hyphens, so they need no `r#`. What a literal means is left to `ron`.

use super::SpecError;
use std::collections::HashSet;
use std::ops::Range;

/// How deep groups, lists and maps may lie in each other: far beyond any use,
/// and far within the stack of any thread.
const MAX_DEPTH: usize = 50;

/// Words that mean a value, not a name.
const KEYWORDS: [&str; 4] = ["true", "false", "Some", "None"];

/// A piece of RON and its bytes in the source.
#[derive(Debug)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A number, `true`, `None`, or a name without parentheses.
    Word,
    Text(String),
    Char(char),
    /// `name(...)` or `(...)`.
    Group(Option<Word>, Fields),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

#[derive(Debug)]
pub(super) enum Fields {
    Named(Vec<(Word, Node)>),
    Positional(Vec<Node>),
}

/// The bytes of a word, with its `r#` if it has one.
pub(super) type Word = Range<usize>;

impl Fields {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Named(fields) => fields.is_empty(),
            Self::Positional(items) => items.is_empty(),
        }
    }
}

/// A word as a name: without the `r#` of a raw identifier.
pub(super) fn name_of(word: &str) -> &str {
    word.strip_prefix("r#").unwrap_or(word)
}

/// Whether a game, value or agent can have this name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

/// Whether a word names something, where a value is expected: it is no number and no
/// keyword, unless it was written as a raw identifier.
pub(super) fn names(word: &str) -> bool {
    let is_raw = word.starts_with("r#");
    is_name(name_of(word)) && (is_raw || !is_number(word) && !KEYWORDS.contains(&word))
}

/// A word as a number of whatever type, if it is one.
pub(super) fn number_of(word: &str) -> Option<ron::Number> {
    match ron::from_str(word) {
        Ok(ron::Value::Number(number)) => Some(number),
        _ => None,
    }
}

pub(super) fn is_number(word: &str) -> bool {
    number_of(word).is_some()
}

/// Returns true for numbers with units, such as `1.5k`, `60s` and `1h30m`.
fn is_quantity(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(unit);
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let starts_with_digit = number.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_digit || !is_number(number) || !(1..=3).contains(&end) {
            return false;
        }
        rest = &after[end..];
    }
    !word.is_empty()
}

/// What a node is, for the end of "expected ..., found ...".
pub(super) fn describe(node: &Node, source: &str) -> String {
    match &node.kind {
        Kind::Word => {
            let word = &source[node.span.clone()];
            match word {
                _ if is_number(word) => format!("the number {word}"),
                _ if is_quantity(word) => format!("the quantity `{word}`"),
                _ if KEYWORDS.contains(&word) => format!("`{word}`"),
                _ => format!("the name `{}`", name_of(word)),
            }
        }
        Kind::Text(_) => "a string".into(),
        Kind::Char(_) => "a character".into(),
        Kind::Group(Some(name), _) => format!("`{}(...)`", name_of(&source[name.clone()])),
        Kind::Group(None, _) => "a group in parentheses".into(),
        Kind::List(_) => "a list".into(),
        Kind::Map(_) => "a map".into(),
    }
}

/// Reads the one value that `span` holds.
pub(super) fn parse(source: &str, span: Range<usize>) -> Result<Node, SpecError> {
    let mut reader = Reader { source, pos: span.start, end: span.end, depth: 0 };
    reader.skip_space()?;
    let node = reader.value()?;
    reader.skip_space()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => {
            let found = reader.found();
            Err(reader.refuse(reader.here(), format!("unexpected {found} after the end")))
        }
    }
}

/// Where the value of a document begins: behind attributes such as
/// `#![enable(implicit_some)]`, which change nothing here.
pub(super) fn after_attributes(source: &str) -> Result<usize, SpecError> {
    let mut reader = Reader { source, pos: 0, end: source.len(), depth: 0 };
    loop {
        reader.skip_space()?;
        if !reader.rest().starts_with("#![") {
            return Ok(reader.pos);
        }
        match reader.rest().find(']') {
            Some(length) => reader.pos += length + 1,
            None => {
                let start = reader.pos;
                return Err(reader.refuse(start..start + 3, "`#![` is not closed"));
            }
        }
    }
}

struct Reader<'a> {
    source: &'a str,
    pos: usize,
    end: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
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

    fn refuse(&self, span: Range<usize>, message: impl Into<String>) -> SpecError {
        SpecError::new(self.source, span, message)
    }

    /// The word or character at which the reader stands.
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
            // The byte order mark is no part of a text, but editors leave it there.
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
                    None => return Err(self.refuse(start..start + 2, "`/*` is not closed")),
                }
            }
        }
    }

    /// How many bytes of a word lie ahead. Signs and points are taken along: they
    /// belong to numbers (`1e-5`), and in names (`x.model`) it is better to refuse
    /// the whole than what comes after.
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
            Some('(') => Kind::Group(None, self.group()?),
            Some('[') => Kind::List(self.list()?),
            Some('{') => Kind::Map(self.map()?),
            Some('r') if self.raw_string_hashes().is_some() => self.raw_string()?,
            _ => self.word()?,
        };
        Ok(Node { span: start..self.pos, kind })
    }

    fn word(&mut self) -> Result<Kind, SpecError> {
        let span = self.here();
        let length = self.word_length();
        if length == 0 {
            return Err(self.refuse(span, format!("expected a value, found {}", self.found())));
        }
        self.pos += length;
        if self.peek() == Some('"') && matches!(&self.source[span.clone()], "b" | "br") {
            return Err(self.refuse(span, "bytes are written as a list of numbers: [1, 2]"));
        }
        let before_space = self.pos;
        self.skip_space()?;
        if self.peek() == Some('(') {
            self.check_word(&span, false)?;
            let fields = self.group()?;
            let one = matches!(&fields, Fields::Positional(items) if items.len() == 1);
            return match &self.source[span.clone()] {
                "Some" if !one => Err(self.refuse(span, "`Some` takes one value")),
                word @ ("true" | "false" | "None") => {
                    let message = format!("`{word}` takes no parentheses");
                    Err(self.refuse(span, message))
                }
                _ => Ok(Kind::Group(Some(span), fields)),
            };
        }
        self.pos = before_space;
        self.check_word(&span, true)?;
        if &self.source[span.clone()] == "Some" {
            return Err(self.refuse(span, "`Some` takes one value"));
        }
        Ok(Kind::Word)
    }

    /// Refuses what is neither a number nor a name: `1.2.3`, `-x`.
    fn check_word(&self, span: &Word, may_be_number: bool) -> Result<(), SpecError> {
        let word = &self.source[span.clone()];
        let named = word.starts_with("r#")
            || word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                && !word.contains(['.', '+']);
        if named || may_be_number && (is_number(word) || is_quantity(word)) {
            return Ok(());
        }
        let nor = if may_be_number {
            "neither a number nor a name (text takes quotes)"
        } else {
            "no name"
        };
        Err(self.refuse(span.clone(), format!("`{word}` is {nor}")))
    }

    fn group(&mut self) -> Result<Fields, SpecError> {
        let mut named = Vec::new();
        let mut positional = Vec::new();
        let mut seen = HashSet::new();
        self.separated('(', ')', |reader| {
            let key = reader.key()?;
            if let Some(key) = key {
                let name = name_of(&reader.source[key.clone()]);
                if !seen.insert(name) {
                    return Err(reader.refuse(key, format!("`{name}` is given twice")));
                }
                reader.skip_space()?;
                let value = reader.value()?;
                if positional.is_empty() {
                    named.push((key, value));
                    return Ok(None);
                }
                let message = "a value without a name stands before this field: name all or none";
                return Err(reader.refuse(key, message));
            }
            let value = reader.value()?;
            if matches!(value.kind, Kind::Text(_)) && reader.rest().starts_with(':') {
                return Err(reader.refuse(value.span, "the name of a parameter takes no quotes"));
            }
            if !named.is_empty() {
                let found = describe(&value, reader.source);
                let message = format!("expected `parameter: value`, found {found}");
                return Err(reader.refuse(value.span, message));
            }
            let word = matches!(value.kind, Kind::Word).then(|| value.span.clone());
            positional.push(value);
            Ok(word)
        })?;
        Ok(if positional.is_empty() {
            Fields::Named(named)
        } else {
            Fields::Positional(positional)
        })
    }

    /// The name of a field, if one is ahead, and its colon.
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
        self.separated('[', ']', |reader| {
            items.push(reader.value()?);
            Ok(None)
        })?;
        Ok(items)
    }

    fn map(&mut self) -> Result<Vec<(Node, Node)>, SpecError> {
        let mut entries = Vec::new();
        self.separated('{', '}', |reader| {
            let key = reader.value()?;
            reader.skip_space()?;
            if !reader.eat(':') {
                let message = format!("expected `:`, found {}", reader.found());
                return Err(reader.refuse(reader.here(), message));
            }
            reader.skip_space()?;
            entries.push((key, reader.value()?));
            Ok(None)
        })?;
        Ok(entries)
    }

    /// Items between brackets, with commas between them. An item that was a lone
    /// word is returned, so that a forgotten colon can be told from a comma.
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
            return Err(self.refuse(start, format!("nested more than {MAX_DEPTH} deep")));
        }
        loop {
            self.skip_space()?;
            if self.eat(close) {
                break;
            }
            let at_end = |reader: &Self| {
                (reader.peek().is_none())
                    .then(|| reader.refuse(start.clone(), format!("`{open}` is not closed")))
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
            return Err(self.refuse(self.here(), message));
        }
        self.depth -= 1;
        Ok(())
    }

    fn string(&mut self, prefix: usize) -> Result<Kind, SpecError> {
        let start = self.pos;
        let mut escaped = false;
        let length = self.rest()[prefix + 1..].find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(length) = length else {
            return Err(self.refuse(start..start + 1, "the string is not closed"));
        };
        self.literal(start..start + prefix + length + 2).map(Kind::Text)
    }

    /// The number of `#` in the beginning of a raw string, if one is ahead.
    fn raw_string_hashes(&self) -> Option<usize> {
        let after = self.rest().strip_prefix('r')?;
        let quoted = after.trim_start_matches('#');
        quoted.starts_with('"').then(|| after.len() - quoted.len())
    }

    fn raw_string(&mut self) -> Result<Kind, SpecError> {
        let start = self.pos;
        let hashes = self.raw_string_hashes().unwrap_or_default();
        let open = 1 + hashes + 1;
        let ending = format!("\"{}", "#".repeat(hashes));
        let Some(length) = self.rest()[open..].find(&ending) else {
            return Err(self.refuse(start..start + open, "the string is not closed"));
        };
        self.literal(start..start + open + length + ending.len()).map(Kind::Text)
    }

    fn character(&mut self) -> Result<Kind, SpecError> {
        let start = self.pos;
        let rest = self.rest();
        let after = if rest.starts_with("'\\") { 3 } else { 2 };
        // The quote that ends it is not the one that it may hold.
        let from = rest.char_indices().nth(after.min(rest.len())).map_or(rest.len(), |(at, _)| at);
        let Some(length) = rest[from..].find('\'') else {
            return Err(self.refuse(start..start + 1, "the character is not closed"));
        };
        self.literal(start..start + from + length + 1).map(Kind::Char)
    }

    fn literal<T: serde::de::DeserializeOwned>(&mut self, span: Word) -> Result<T, SpecError> {
        let value = ron::from_str(&self.source[span.clone()])
            .map_err(|error| self.refuse(span.clone(), literal_fault(&error.code)))?;
        self.pos = span.end;
        Ok(value)
    }
}

fn literal_fault(error: &ron::Error) -> String {
    match error {
        ron::Error::InvalidEscape(what) => {
            format!("bad escape: {}", what.to_lowercase())
        }
        ron::Error::ExpectedChar => "expected one character between `'` and `'`".into(),
        error => error.to_string().to_lowercase(),
    }
}

/// How names that plain RON would refuse are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As they are.
    Spec,
    /// As raw identifiers: plain RON.
    Ron,
}

/// Appends the one-line form of a node: no comments, one way to space, strings
/// with escapes.
pub(super) fn print(node: &Node, source: &str, style: Style, out: &mut String) {
    if let Some(value) = implied(node, source) {
        return print(value, source, style, out);
    }
    match &node.kind {
        Kind::Word => print_word(&source[node.span.clone()], true, style, out),
        Kind::Text(text) => *out += &format!("\"{}\"", text.escape_debug()),
        Kind::Char(c) => *out += &format!("'{}'", c.escape_debug()),
        Kind::Group(name, fields) => {
            if let Some(name) = name {
                print_word(&source[name.clone()], false, style, out);
            }
            print_fields(fields, source, style, out);
        }
        Kind::List(items) => {
            out.push('[');
            print_all(items, out, |item, out| print(item, source, style, out));
            out.push(']');
        }
        Kind::Map(entries) => {
            out.push('{');
            print_all(entries, out, |(key, value), out| {
                print(key, source, style, out);
                *out += ": ";
                print(value, source, style, out);
            });
            out.push('}');
        }
    }
}

/// What `Some(...)` holds, where it means the same without the `Some`.
pub(super) fn implied<'t>(node: &'t Node, source: &str) -> Option<&'t Node> {
    let Kind::Group(Some(name), Fields::Positional(items)) = &node.kind else { return None };
    match items.as_slice() {
        [value] if &source[name.clone()] == "Some" => match &value.kind {
            Kind::Word if &source[value.span.clone()] == "None" => None,
            Kind::Group(Some(name), _) if &source[name.clone()] == "Some" => implied(value, source),
            _ => Some(value),
        },
        _ => None,
    }
}

/// Appends the fields of a group in their parentheses.
pub(super) fn print_fields(fields: &Fields, source: &str, style: Style, out: &mut String) {
    out.push('(');
    match fields {
        Fields::Named(fields) => print_all(fields, out, |(key, value), out| {
            print_word(&source[key.clone()], false, style, out);
            *out += ": ";
            print(value, source, style, out);
        }),
        Fields::Positional(items) => {
            print_all(items, out, |item, out| print(item, source, style, out));
        }
    }
    out.push(')');
}

fn print_all<T>(items: &[T], out: &mut String, mut print: impl FnMut(&T, &mut String)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            *out += ", ";
        }
        print(item, out);
    }
}

/// Appends a word. Where a value is expected, a word that reads as a number or a
/// keyword keeps what it was.
pub(super) fn print_word(word: &str, is_value: bool, style: Style, out: &mut String) {
    let name = name_of(word);
    let is_raw = name.len() < word.len();
    let is_keyword = KEYWORDS.contains(&name);
    let is_number = is_number(name);
    let needs_raw = if is_keyword || is_value && is_number {
        is_raw
    } else {
        let signs: &[char] = if style == Style::Ron { &['-', '.', '+'] } else { &['.', '+'] };
        name.starts_with('-')
            || name.contains(signs)
            || style == Style::Ron && (is_number || name.starts_with(|c: char| c.is_ascii_digit()))
    };
    if needs_raw {
        *out += "r#";
    }
    *out += name;
}
