//! Generated parts inside of hand-written documents.
//!
//! A part stands between the lines `<!-- generated: NAME -->` and `<!-- end -->`.

use std::collections::BTreeMap;

const END: &str = "<!-- end -->";

/// The document with every generated part replaced by the one of that name.
pub fn filled(text: &str, parts: &BTreeMap<&str, String>) -> Result<String, String> {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let name = line.strip_prefix("<!-- generated: ").and_then(|l| l.strip_suffix(" -->"));
        let Some(name) = name else { continue };
        let part = parts.get(name).ok_or_else(|| format!("there is no generated part `{name}`"))?;
        out.push('\n');
        out.push_str(part.trim_end());
        out.push_str("\n\n");
        if !lines.by_ref().any(|line| line == END) {
            return Err(format!("the generated part `{name}` has no `{END}`"));
        }
        out.push_str(END);
        out.push('\n');
    }
    Ok(out)
}
