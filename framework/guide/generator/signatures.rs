//! Traits and structs as the sources declare them, without bodies, for the chapters about
//! writing plugins.

use crate::root;
use std::collections::BTreeMap;
use std::fs;
use std::io;

/// The items to show: the name of the part, the file, and the line with which the item begins.
const ITEMS: &[(&str, &str, &str)] = &[
    ("trait Plugin", "plugin.rs", "pub trait Plugin"),
    ("trait Game", "game.rs", "pub trait Game"),
    ("trait GamePlugin", "plugin.rs", "pub trait GamePlugin"),
    ("trait Value", "value.rs", "pub trait Value"),
    ("trait ValuePlugin", "plugin.rs", "pub trait ValuePlugin"),
    ("struct BuildContext", "host.rs", "pub struct BuildContext"),
    ("trait Learner", "value.rs", "pub trait Learner"),
    ("struct TrainingSession", "value.rs", "pub struct TrainingSession"),
    ("trait LearnerPlugin", "plugin.rs", "pub trait LearnerPlugin"),
    ("trait Agent", "agent.rs", "pub trait Agent"),
    ("struct Turn", "agent.rs", "pub struct Turn"),
    ("trait AgentPlugin", "plugin.rs", "pub trait AgentPlugin"),
];

/// Returns the declaration of every item by the name of its part.
pub fn parts() -> io::Result<BTreeMap<&'static str, String>> {
    let mut parts = BTreeMap::new();
    for (name, file, beginning) in ITEMS {
        let path = root().join("framework/core/src").join(file);
        let text = fs::read_to_string(path)?;
        let item = excerpt(&text, beginning)
            .ok_or_else(|| io::Error::other(format!("{file} has no `{beginning}`")))?;
        parts.insert(*name, format!("```rust,ignore\n{item}```\n"));
    }
    Ok(parts)
}

/// Returns an item with the first paragraph of each doc comment, and `{ .. }` for each body.
fn excerpt(source: &str, beginning: &str) -> Option<String> {
    let follows = |line: &str| {
        line.strip_prefix(beginning).is_some_and(|rest| rest.starts_with([':', '<', ' ']))
    };
    let lines: Vec<&str> = source.lines().skip_while(|line| !follows(line)).collect();
    let end = lines.iter().position(|line| *line == "}")?;
    let mut out = String::new();
    let (mut in_body, mut after_first_paragraph) = (false, false);
    for line in &lines[..=end] {
        let text = line.trim_start();
        let is_doc = text.starts_with("///");
        if !is_doc {
            after_first_paragraph = false;
        }
        match () {
            () if in_body => in_body = *line != "    }",
            () if is_doc && (after_first_paragraph || text == "///") => {
                after_first_paragraph = true
            }
            // Attributes and comments are for the reader of the sources.
            () if text.starts_with("#[") || text.starts_with("// ") => {}
            () if line.starts_with("    ") && line.ends_with('{') && !line.starts_with("     ") => {
                // A method with a body has a default.
                out.push_str(line);
                out.push_str(" .. }\n");
                in_body = true;
            }
            () if text.is_empty() && out.ends_with("\n\n") => {}
            () => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_has_signatures_and_first_paragraphs() {
        let source = "/// Before.\npub trait Rule: Send {\n    /// Plays.\n    ///\n    /// At length.\n    \
                      fn play(&self);\n\n    /// Counts.\n    #[inline]\n    fn count(\n        &self,\n    ) -> u32 {\n        \
                      if self.empty() {\n            0\n        } else {\n            1\n        }\n    }\n}\npub struct Other {}\n";
        let expected = "pub trait Rule: Send {\n    /// Plays.\n    fn play(&self);\n\n    \
                        /// Counts.\n    fn count(\n        &self,\n    ) -> u32 { .. }\n}\n";
        assert_eq!(excerpt(source, "pub trait Rule").unwrap(), expected);
        assert_eq!(excerpt(source, "pub trait Ru"), None);
    }
}
