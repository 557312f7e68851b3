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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_and_the_rest_is_kept() {
        let parts = BTreeMap::from([("list", "new\n".to_owned())]);
        let old = "before\n<!-- generated: list -->\nold\n\nolder\n<!-- end -->\nafter\n";
        let new = filled(old, &parts).unwrap();
        assert_eq!(new, "before\n<!-- generated: list -->\n\nnew\n\n<!-- end -->\nafter\n");
        assert_eq!(filled(&new, &parts).unwrap(), new);
    }

    #[test]
    fn an_unknown_or_unfinished_part_is_refused() {
        let parts = BTreeMap::from([("list", String::new())]);
        assert!(filled("<!-- generated: other -->\n<!-- end -->\n", &parts).is_err());
        assert!(filled("<!-- generated: list -->\nno end\n", &parts).is_err());
    }
}
