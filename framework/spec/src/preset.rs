//! Presets: named sets of parameters that a plugin offers.

use crate::error::SpecError;
use crate::parse::parse;
use crate::tree::{Content, Field, Name, Spec, SpecValue, fields_of};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
        Ok(self.fields()?.into_iter().map(|(name, _)| name.text).collect())
    }

    fn fields(&self) -> Result<Vec<Field>, SpecError> {
        let value = parse(&Arc::from(self.text.as_str()))?;
        let fields = fields_of(&value, "parameters in parentheses");
        fields.map(<[Field]>::to_vec).map_err(|error| error.in_text(&self.text))
    }
}

impl Spec {
    /// Replaces the parameter `preset` by the parameters of the preset that it names. Errors in
    /// them have the place of this name. Other parameters of the spec take precedence over those of
    /// the preset. A spec that names no preset stays as it is, and so does every spec if `presets`
    /// is empty.
    ///
    /// ```
    /// # use runner_spec::{Preset, Spec};
    /// let presets = [Preset::new("slow", "// A slow one.\n(lambda: 0.5, beta: 0.1)")];
    /// let spec: Spec = "tc-ntuple(beta: 1, preset: \"slow\")".parse()?;
    /// let completed = spec.with_preset(&presets)?;
    /// assert_eq!(completed.to_string(), "tc-ntuple(beta: 1, lambda: 0.5)");
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn with_preset(&self, presets: &[Preset]) -> Result<Self, SpecError> {
        let Some(value) = self.field(Preset::PARAMETER).filter(|_| !presets.is_empty()) else {
            return Ok(self.clone());
        };
        let refuse = |message: String| self.refused(Some(Preset::PARAMETER), message);
        let (name, mut fields) = match &value.content {
            Content::None => ("", Vec::new()),
            Content::Text(name) => {
                let Some(preset) = presets.iter().find(|preset| preset.name == *name) else {
                    return Err(self.unknown_preset(value, name, presets));
                };
                let fields = preset.fields().map_err(|error| {
                    refuse(format!("the preset `{name}` of the plugin is wrong: {error}"))
                })?;
                (name.as_str(), fields)
            }
            _ => return Err(refuse(format!("expected a string, found {}", value.describe()))),
        };
        fields.retain(|(key, _)| self.field(&key.text).is_none());
        for (key, field) in &mut fields {
            key.span = value.span.clone();
            field.span = value.span.clone();
            field.is_inserted = true;
        }
        let preset = Some(Name { text: name.to_owned(), span: value.span.clone() });
        let mut spec = Self { preset, ..self.without(&[Preset::PARAMETER]) };
        spec.fields.append(&mut fields);
        Ok(spec)
    }

    fn unknown_preset(&self, value: &SpecValue, name: &str, presets: &[Preset]) -> SpecError {
        let message = format!("there is no preset `{name}`");
        let mut error = self.refused(Some(Preset::PARAMETER), message);
        // Without the quotes, so that the message can name the preset that is most similar.
        if self.source[value.span.clone()].starts_with('"') {
            error.span = value.span.start + 1..value.span.end - 1;
        }
        SpecError { allowed: presets.iter().map(|preset| preset.name.clone()).collect(), ..error }
    }
}
