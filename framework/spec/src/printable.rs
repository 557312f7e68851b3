//! Text of plugins and files, made safe to show.

/// Replaces control characters, with which text of a plugin or a file could steer the
/// terminal, and the two noncharacters that XML forbids, by their escapes; white space becomes a
/// blank.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\r' => printable.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                printable.extend(c.escape_default());
            }
            c => printable.push(c),
        }
    }
    printable
}
