//! Fenced blocks of Markdown.

/// A fenced block.
#[derive(Debug, PartialEq)]
pub struct Block {
    /// The first word after the fence: `sh`, `rust`, `toml`, `text`.
    pub language: String,
    /// The path in `file=PATH` after the fence: the block is all of this file.
    pub file: Option<String>,
    /// The lines between the fences.
    pub text: String,
}

pub fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut words = info.split([',', ' ']);
        let language = words.next().unwrap_or_default().to_owned();
        let file = words.find_map(|word| word.strip_prefix("file=")).map(str::to_owned);
        let mut text = String::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            text.push_str(line);
            text.push('\n');
        }
        found.push(Block { language, file, text });
    }
    found
}
