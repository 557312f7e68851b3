//! The parameters of a spec, and of the specs nested in it, by path: `value.empty`, or with the
//! index of an item of a list or tuple, `values.0.empty`.

use crate::error::{ReadError, SpecError};
use crate::tree::{self, Content, Name, Spec, SpecValue};

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
    /// exist.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "mean(values: [rows, tc-ntuple])".parse()?;
    /// assert_eq!(spec.with("values.1.model", "x.model")?.to_string(),
    ///     "mean(values: [rows, tc-ntuple(model: \"x.model\")])");
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
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
        let mut found = None;
        self.walk(&mut |here, value| {
            if here == path {
                found = Some(value);
            }
            true
        });
        found
    }

    /// Returns all numeric parameters of the spec and of nested specs, in their order.
    pub fn numbers(&self) -> Vec<SpecNumber> {
        let mut numbers = Vec::new();
        self.walk(&mut |path, value| {
            if let Content::Number(word) = &value.content
                && let Some(number) = tree::number_of(word)
            {
                numbers.push(SpecNumber {
                    path: path.to_owned(),
                    is_whole: !matches!(number, ron::Number::F32(_) | ron::Number::F64(_)),
                    value: number.into_f64(),
                });
            }
            true
        });
        numbers
    }

    /// Returns the texts in quotes among the parameters with their paths, in their order. Those
    /// inside nested specs are not listed; all those inside a map have its path.
    pub fn texts(&self) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        self.walk(&mut |path, value| {
            collect_texts(path, value, &mut texts);
            !matches!(value.content, Content::Spec(_))
        });
        texts
    }

    /// Returns the specs among the parameters with their paths. Specs inside these are not
    /// listed.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "mean(values: [tc-ntuple(model: \"a\"), rows])".parse()?;
    /// let [(path, learner), (_, rows)] = &spec.nested()[..] else { panic!() };
    /// assert_eq!((path.as_str(), learner.name(), rows.name()), ("values.0", "tc-ntuple", "rows"));
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn nested(&self) -> Vec<(String, &Spec)> {
        let mut nested = Vec::new();
        self.walk(&mut |path, value| match &value.content {
            Content::Spec(spec) if tree::is_name(spec.name()) => {
                nested.push((path.to_owned(), spec));
                false
            }
            _ => true,
        });
        nested
    }

    /// Calls `visit` with the path and the value of every parameter. It returns true if
    /// the walk should descend into the value.
    fn walk<'a>(&'a self, visit: &mut dyn FnMut(&str, &'a SpecValue) -> bool) {
        for (key, value) in &self.fields {
            walk(&key.text, value, visit);
        }
    }
}

fn walk<'a>(path: &str, value: &'a SpecValue, visit: &mut dyn FnMut(&str, &'a SpecValue) -> bool) {
    if !visit(path, value) {
        return;
    }
    match &value.content {
        Content::Struct(fields) | Content::Spec(Spec { fields, .. }) => {
            for (key, value) in fields {
                walk(&format!("{path}.{}", key.text), value, visit);
            }
        }
        Content::List(items) | Content::Tuple(_, items) => {
            for (index, item) in items.iter().enumerate() {
                walk(&format!("{path}.{index}"), item, visit);
            }
        }
        // Entries of a map have no path, because a key can be any value.
        _ => {}
    }
}

/// Sets the value at a path inside another value.
fn set(within: &mut SpecValue, path: &str, value: SpecValue) -> Result<(), ReadError> {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let missing = ReadError::new(format!("{} has no parameter `{step}`", within.describe()));
    let missing = missing.at(&within.span);
    let found = match &mut within.content {
        Content::Struct(fields) | Content::Spec(Spec { fields, .. }) => {
            let place = fields.iter().position(|(key, _)| key.text == step);
            if place.is_none() && rest.is_none() {
                fields.push((Name { text: step.to_owned(), span: value.span.clone() }, value));
                return Ok(());
            }
            place.map(|place| &mut fields[place].1)
        }
        Content::List(items) | Content::Tuple(_, items) => {
            step.parse().ok().and_then(|index: usize| items.get_mut(index))
        }
        _ => None,
    };
    let found = found.ok_or(missing)?;
    match rest {
        Some(rest) => set(found, rest, value),
        None => {
            (found.content, found.is_inserted) = (value.content, true);
            Ok(())
        }
    }
}

/// Adds a text, or all texts inside a map.
fn collect_texts(path: &str, value: &SpecValue, texts: &mut Vec<(String, String)>) {
    match &value.content {
        Content::Text(text) => texts.push((path.to_owned(), text.clone())),
        Content::Map(entries) => {
            for part in entries.iter().flat_map(|(key, value)| [key, value]) {
                walk(path, part, &mut |_, part| {
                    collect_texts(path, part, texts);
                    true
                });
            }
        }
        _ => {}
    }
}
