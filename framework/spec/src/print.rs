//! Prints a tree on one line: no comments, uniform spacing, strings with escapes.

use crate::tree::{Fields, KEYWORDS, Node, NodeKind, implied, is_number, name_of};

/// Form of names that are not identifiers of plain RON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As typed: `tc-ntuple`.
    Spec,
    /// As raw identifiers of plain RON: `r#tc-ntuple`.
    Ron,
}

/// Appends a node.
pub fn print(node: &Node, source: &str, style: Style, out: &mut String) {
    if let Some(value) = implied(node, source) {
        return print(value, source, style, out);
    }
    match &node.kind {
        NodeKind::Word => print_word(&source[node.span.clone()], true, style, out),
        NodeKind::Text(text) => *out += &format!("\"{}\"", text.escape_debug()),
        NodeKind::Char(c) => *out += &format!("'{}'", c.escape_debug()),
        NodeKind::Group(name, fields) => {
            if let Some(name) = name {
                print_word(&source[name.clone()], false, style, out);
            }
            print_fields(fields, source, style, out);
        }
        NodeKind::List(items) => {
            out.push('[');
            print_all(items, out, |item, out| print(item, source, style, out));
            out.push(']');
        }
        NodeKind::Map(entries) => {
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

/// Appends the fields of a group with its parentheses.
pub fn print_fields(fields: &Fields, source: &str, style: Style, out: &mut String) {
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

/// Appends a word. In the place of a value, a raw identifier that would otherwise be a
/// number or a keyword keeps its `r#`.
pub fn print_word(word: &str, is_value: bool, style: Style, out: &mut String) {
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
