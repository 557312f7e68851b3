//! Presets: named sets of parameters that a plugin offers.

use crate::error::SpecError;
use crate::parse::{after_attributes, parse};
use crate::print::{Style, print};
use crate::spec::Spec;
use crate::tree::{self, Fields, Node, NodeKind, Word};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A named set of parameters, as a RON file: a group of parameters with comments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preset {
    /// Name in a spec: `tc-ntuple(preset: "NAME")`.
    pub name: String,
    /// The file. Its first comment line is the description.
    pub text: String,
}

impl Preset {
    /// Name of the parameter that selects a preset.
    pub const PARAMETER: &str = "preset";

    /// Returns the preset with this name and file.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    /// Returns the description, on one line: the first comment line of the file.
    pub fn about(&self) -> &str {
        let comment = self.text.lines().find_map(|line| line.trim_start().strip_prefix("//"));
        comment.unwrap_or_default().trim()
    }

    /// Returns the names of the parameters that the preset sets.
    ///
    /// # Errors
    ///
    /// If the file is not a group of named parameters.
    pub fn parameters(&self) -> Result<Vec<String>, SpecError> {
        Ok(self.fields()?.into_iter().map(|(name, _)| name).collect())
    }

    /// Returns the parameters with their values as RON text.
    fn fields(&self) -> Result<Vec<(String, String)>, SpecError> {
        let text = &self.text;
        let node = parse(text, after_attributes(text)?..text.len())?;
        let NodeKind::Group(None, fields) = &node.kind else {
            let found = tree::describe(&node, text);
            let message = format!("expected parameters in parentheses, found {found}");
            return Err(SpecError::new(text, node.span, message));
        };
        match fields {
            Fields::Positional(items) => {
                let found = tree::describe(&items[0], text);
                let message = format!("expected `parameter: value`, found {found}");
                Err(SpecError::new(text, items[0].span.clone(), message))
            }
            Fields::Named(fields) => Ok(fields
                .iter()
                .map(|(key, value)| {
                    let mut printed = String::new();
                    print(value, text, Style::Spec, &mut printed);
                    (tree::name_of(&text[key.clone()]).to_owned(), printed)
                })
                .collect()),
        }
    }
}

/// A spec whose preset was replaced by its parameters. The text before them is as long as the
/// typed one, so that places in it are places in the typed text.
#[derive(Clone, Debug)]
pub struct CompletedSpec {
    /// The spec with all parameters.
    pub spec: Spec,
    /// The typed text.
    typed: String,
    /// Offset of the preset's parameters in the text of `spec`.
    added: usize,
    /// Name of the preset, and its place in the typed text.
    preset: (String, Range<usize>),
}

impl CompletedSpec {
    /// Turns an error in the completed spec into an error in the typed text. An error in a
    /// parameter of the preset points at the preset's name.
    pub fn in_typed_text(&self, error: SpecError) -> SpecError {
        let (name, place) = &self.preset;
        let text = self.typed.clone();
        match error.span.start >= self.added {
            true => SpecError {
                message: format!("preset `{name}`: {}", error.message),
                span: place.clone(),
                text,
                ..error
            },
            false if error.span.end > self.added => {
                SpecError { span: error.span.start..text.len(), text, ..error }
            }
            false => SpecError { text, ..error },
        }
    }
}

impl Spec {
    /// Replaces the parameter `preset` by the parameters of the preset that it names. Other
    /// parameters of the spec take precedence over those of the preset. Returns `None` if the
    /// spec names no preset, or if there are none.
    ///
    /// ```
    /// # use runner_spec::{Preset, Spec};
    /// let presets = [Preset::new("slow", "// A slow one.\n(lambda: 0.5, beta: 0.1)")];
    /// let spec: Spec = "tc-ntuple(beta: 1, preset: \"slow\")".parse()?;
    /// let completed = spec.with_preset(&presets)?.unwrap().spec;
    /// assert_eq!(completed, "tc-ntuple(beta: 1, lambda: 0.5)".parse()?);
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn with_preset(&self, presets: &[Preset]) -> Result<Option<CompletedSpec>, SpecError> {
        if presets.is_empty() {
            return Ok(None);
        }
        let typed = self.typed().to_owned();
        let NodeKind::Group(_, Fields::Named(fields)) = parse(&typed, 0..typed.len())?.kind else {
            return Ok(None);
        };
        let name_of = |key: &Word| tree::name_of(&typed[key.clone()]);
        let Some(index) = fields.iter().position(|(key, _)| name_of(key) == Preset::PARAMETER)
        else {
            return Ok(None);
        };
        let value = tree::implied(&fields[index].1, &typed).unwrap_or(&fields[index].1);
        let (name, added) = match &value.kind {
            NodeKind::Word if &typed[value.span.clone()] == "None" => (String::new(), Vec::new()),
            NodeKind::Text(name) => {
                let fields = find(name, presets, value, &typed)?.fields();
                let damaged = |error| {
                    let message = format!("preset `{name}` of the plugin is wrong: {error}");
                    SpecError::new(&typed, value.span.clone(), message)
                };
                (name.clone(), fields.map_err(damaged)?)
            }
            _ => {
                let found = tree::describe(value, &typed);
                let message = format!("parameter `preset`: expected a string, found {found}");
                return Err(SpecError::new(&typed, value.span.clone(), message));
            }
        };
        let own: Vec<_> = fields.iter().map(|(key, _)| name_of(key)).collect();
        let added = added.iter().filter(|(name, _)| !own.contains(&name.as_str()));
        let added: Vec<_> = added.map(|(name, value)| format!("{name}: {value}")).collect();
        let (mut text, is_empty) = without_field(&typed, &fields, index);
        let close = text.len();
        if !is_empty && !added.is_empty() {
            text += ", ";
        }
        text += &added.join(", ");
        text.push(')');
        let preset = (name, value.span.clone());
        Ok(Some(CompletedSpec { spec: text.parse()?, typed, added: close, preset }))
    }
}

fn find<'p>(
    name: &str,
    presets: &'p [Preset],
    value: &Node,
    typed: &str,
) -> Result<&'p Preset, SpecError> {
    presets.iter().find(|preset| preset.name == name).ok_or_else(|| {
        // Without the quotes, so that the message can name the most similar one.
        let is_quoted = typed[value.span.clone()].starts_with('"');
        let span = match is_quoted {
            true => value.span.start + 1..value.span.end - 1,
            false => value.span.clone(),
        };
        let message = format!("parameter `preset`: there is no preset `{name}`");
        let allowed = presets.iter().map(|preset| preset.name.clone()).collect();
        SpecError { allowed, ..SpecError::new(typed, span, message) }
    })
}

/// Returns the text of a spec up to its closing parenthesis, with a field and the comma after
/// the last other field replaced by blanks; true if no other field is left.
fn without_field(typed: &str, fields: &[(Word, Node)], index: usize) -> (String, bool) {
    let close = typed.len() - 1;
    let end = fields.get(index + 1).map_or(close, |(key, _)| key.start);
    let last = fields.iter().enumerate().rfind(|(other, _)| *other != index);
    let blanks = [Some(fields[index].0.start..end), last.map(|(_, (_, v))| v.span.end..close)];
    let mut text = typed[..close].to_owned();
    for span in blanks.into_iter().flatten() {
        text.replace_range(span.clone(), &" ".repeat(span.len()));
    }
    (text, last.is_none())
}
