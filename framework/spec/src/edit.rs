//! Finds and sets the parameters of a spec and of the specs nested in it by their paths. A path has
//! a step for each parameter, such as `value.empty`, and for the index of an item of a list or
//! tuple, such as `values.0.empty`.

use crate::error::{ReadError, SpecError};
use crate::tree::{self, Content, Name, Spec, SpecValue};
use std::fmt;

/// A numeric parameter of a spec.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecNumber {
    /// Path of the parameter: `value.empty`.
    pub path: String,
    /// Its value.
    pub value: f64,
    /// True if the number is written without a fraction. In a
    /// [resolved](Spec::resolved) spec, this means that the parameter is an integer.
    pub is_whole: bool,
}

impl Spec {
    /// Returns the spec with a parameter set to a value. All steps of the path but the last must
    /// exist: `value.model`, or `values.1.model` in a list.
    pub fn with(&self, path: &str, value: impl Into<SpecValue>) -> Result<Self, SpecError> {
        let value = SpecValue { span: self.span.clone(), is_inserted: true, ..value.into() };
        let mut root = SpecValue::typed(self.span.clone(), Content::Spec(self.clone()));
        set(&mut root, path, value).map_err(|error| error.in_text(&self.source))?;
        match root.content {
            Content::Spec(spec) => Ok(spec),
            _ => unreachable!("only a parameter was set"),
        }
    }

    /// Returns the spec without these of its direct parameters.
    #[must_use]
    pub fn without(&self, parameters: &[&str]) -> Self {
        let mut spec = self.clone();
        spec.fields.retain(|(key, _)| !parameters.contains(&key.text.as_str()));
        spec
    }

    /// Returns the value of a parameter, or `None` if the spec does not set it.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "expectimax(depth: 2, value: rows(empty: 270))".parse()?;
    /// assert_eq!(spec.get("value.empty").unwrap().to_string(), "270");
    /// assert_eq!(spec.get("value.order"), None);
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn get(&self, path: &str) -> Option<&SpecValue> {
        let parts = self.parts(is_map);
        parts.into_iter().find(|(part, _)| part == path).map(|(_, value)| value)
    }

    /// Returns all numeric parameters of the spec and of nested specs, in their order.
    pub fn numbers(&self) -> Vec<SpecNumber> {
        let mut numbers = Vec::new();
        for (path, value) in self.parts(is_map) {
            if let Content::Number(word) = &value.content
                && let Some(number) = tree::number_of(word)
            {
                let is_whole = !matches!(number, ron::Number::F32(_) | ron::Number::F64(_));
                numbers.push(SpecNumber { path, value: number.into_f64(), is_whole });
            }
        }
        numbers
    }

    /// Returns the texts in quotes among the parameters with their paths, in their order. Those
    /// inside nested specs are not listed.
    pub fn texts(&self) -> Vec<(String, String)> {
        let parts = self.parts(|content| matches!(content, Content::Spec(_)));
        parts.into_iter().filter_map(|(path, part)| Some((path, part.as_text()?.into()))).collect()
    }

    /// Returns the specs among the parameters with their paths. Specs inside these are not
    /// listed.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "mix(values: [tc-ntuple(model: \"a\"), rows])".parse()?;
    /// let [(path, learner), (_, rows)] = &spec.nested()[..] else { panic!() };
    /// assert_eq!((path.as_str(), learner.name(), rows.name()), ("values.0", "tc-ntuple", "rows"));
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn nested(&self) -> Vec<(String, &Spec)> {
        let parts = self.parts(|content| is_map(content) || named(content).is_some());
        parts.into_iter().filter_map(|(path, part)| Some((path, named(&part.content)?))).collect()
    }

    /// Returns the spec with each of its [nested](Self::nested) specs, with their paths, changed.
    pub fn map_nested(&self, change: impl Fn(&str, &Spec) -> Spec) -> Spec {
        let mut spec = self.clone();
        for (path, nested) in self.nested() {
            let changed = change(&path, nested);
            if changed != *nested {
                spec = spec.with(&path, changed).unwrap_or(spec);
            }
        }
        spec
    }

    /// Returns the values of all parameters and of their parts, with their paths. If `is_leaf` is
    /// true for a value, the parts of this value are left out.
    fn parts(&self, is_leaf: fn(&Content) -> bool) -> Vec<(String, &SpecValue)> {
        let mut parts = Vec::new();
        for (key, value) in &self.fields {
            collect(key.text.clone(), value, is_leaf, &mut parts);
        }
        parts
    }
}

fn is_map(content: &Content) -> bool {
    matches!(content, Content::Map(_))
}

/// Returns the spec of a game, value or agent; `None` for any other value.
fn named(content: &Content) -> Option<&Spec> {
    match content {
        Content::Spec(spec) if tree::is_name(spec.name()) => Some(spec),
        _ => None,
    }
}

/// Adds a value and its parts, each with its path, to `parts`.
fn collect<'a>(
    path: String,
    value: &'a SpecValue,
    is_leaf: fn(&Content) -> bool,
    parts: &mut Vec<(String, &'a SpecValue)>,
) {
    parts.push((path.clone(), value));
    let mut add = |step: &dyn fmt::Display, value| {
        collect(format!("{path}.{step}"), value, is_leaf, parts);
    };
    match &value.content {
        content if is_leaf(content) => {}
        Content::Struct(fields) | Content::Spec(Spec { fields, .. }) => {
            fields.iter().for_each(|(key, value)| add(&key.text, value));
        }
        Content::List(items) | Content::Tuple(items) => {
            items.iter().enumerate().for_each(|(index, item)| add(&index, item));
        }
        // Entries have the path of their map, because a key can be any value.
        Content::Map(entries) => {
            let inside = entries.iter().flat_map(|(key, value)| [key, value]);
            inside.for_each(|part| collect(path.clone(), part, is_leaf, parts));
        }
        _ => {}
    }
}

/// Sets the value at a path inside another value.
fn set(within: &mut SpecValue, path: &str, value: SpecValue) -> Result<(), ReadError> {
    let (step, rest) = match path.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    };
    let missing =
        ReadError::new(format!("{} has no parameter `{step}`", within.describe())).at(&within.span);
    let found = match &mut within.content {
        Content::Struct(fields) | Content::Spec(Spec { fields, .. }) => {
            let index = fields.iter().position(|(key, _)| key.text == step);
            if index.is_none() && rest.is_none() {
                fields.push((Name { text: step.to_owned(), span: value.span.clone() }, value));
                return Ok(());
            }
            index.map(|index| &mut fields[index].1)
        }
        Content::List(items) | Content::Tuple(items) => {
            step.parse().ok().and_then(|index: usize| items.get_mut(index))
        }
        _ => None,
    };
    let found = found.ok_or(missing)?;
    if let Some(rest) = rest {
        return set(found, rest, value);
    }
    // The place of the replaced value stays.
    found.content = value.content;
    found.is_inserted = true;
    Ok(())
}
