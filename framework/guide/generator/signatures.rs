//! Traits and structs as the sources declare them, without bodies, and an example of parameters,
//! for the chapters about writing plugins.

use super::root;
use std::collections::BTreeMap;
use std::fs;
use std::io;

/// The items to show. The line that declares one begins with `pub` and these words.
const ITEMS: [&str; 15] = [
    "trait Agent",
    "trait AgentPlugin",
    "trait Game",
    "trait GamePlugin",
    "trait Learner",
    "trait LearnerPlugin",
    "trait Plugin",
    "trait Value",
    "trait ValuePlugin",
    "struct BuildContext",
    "struct GameContext",
    "struct Start",
    "struct TrainingProgress",
    "struct TrainingSession",
    "struct Turn",
];

/// The declaration of every item by its name.
pub fn parts() -> io::Result<BTreeMap<&'static str, String>> {
    let mut files = fs::read_dir(root().join("framework/core/src"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let sources = files.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()?;
    let part = |item: &&'static str| {
        let beginning = format!("pub {item}");
        let found = sources.iter().find_map(|source| excerpt(source, &beginning));
        let missing = || io::Error::other(format!("framework/core/src has no `{beginning}`"));
        found.ok_or_else(missing).map(|text| (*item, format!("```rust,ignore\n{text}```\n")))
    };
    let mut parts = ITEMS.iter().map(part).collect::<io::Result<BTreeMap<_, _>>>()?;
    let source = fs::read_to_string(root().join("framework/spec/src/parameter.rs"))?;
    parts.insert("example of parameters", format!("```rust,ignore\n{}```\n", example(&source)));
    Ok(parts)
}

/// The declaration in the documentation of `parameters!`, which is compiled as its test.
fn example(source: &str) -> String {
    let lines = source.lines().filter_map(|line| line.strip_prefix("/// "));
    let mut example: String = lines
        .skip_while(|line| !line.ends_with("parameters! {"))
        .take_while(|line| *line != "}")
        .map(|line| line.to_owned() + "\n")
        .collect();
    example.push_str("}\n");
    example
}

/// The item with the first paragraph of each doc comment, and `{ .. }` for each body.
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
        // Attributes and comments are for the reader of the sources.
        let is_left_out = text.starts_with("#[") || text.starts_with("// ");
        let is_second_blank = text.is_empty() && out.ends_with("\n\n");
        if in_body {
            in_body = *line != "    }";
        } else if is_doc && (after_first_paragraph || text == "///") {
            after_first_paragraph = true;
        } else if line.starts_with("    ") && line.ends_with('{') && !line.starts_with("     ") {
            // A method with a body has a default.
            out.push_str(line);
            out.push_str(" .. }\n");
            in_body = true;
        } else if !is_left_out && !is_second_blank {
            out.push_str(line);
            out.push('\n');
        }
    }
    Some(out)
}
