//! The parameters of a spec and of what is nested in it, by their paths:
//! `value.empty`; in a list or a tuple by their places, `values.0.empty`.

use super::tree::{self, Fields, Kind, Node, Style};
use super::{Spec, SpecError};

/// A parameter of a spec that is a number.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecNumber {
    /// Where it is: `value.empty`.
    pub path: String,
    /// Its value.
    pub value: f64,
    /// Whether it is written without a fraction. In a
    /// [resolved](Spec::resolved) spec that tells the type.
    pub is_whole: bool,
}

impl Spec {
    /// The same with a parameter set to `value`, which is written as one would
    /// type it; on one line. What the path leads through must be there, what it
    /// leads to need not.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "tc-ntuple(lambda: 0.5)".parse()?;
    /// let played = spec.with("model", "\"x.model\"")?;
    /// assert_eq!(played.to_string(), "tc-ntuple(lambda: 0.5, model: \"x.model\")");
    /// assert_eq!(played.with("lambda", "1")?.with("model", "None")?.to_string(),
    ///     "tc-ntuple(lambda: 1, model: None)");
    ///
    /// let nested: Spec = "mean(values: [rows, smooth])".parse()?;
    /// assert_eq!(nested.with("values.0.empty", "270")?.to_string(),
    ///     "mean(values: [rows(empty: 270), smooth])");
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn with(&self, path: &str, value: &str) -> Result<Self, SpecError> {
        let none = Fields::Named(Vec::new());
        let root = self.tree()?;
        let fields = match &root.kind {
            Kind::Group(_, fields) => fields,
            _ => &none,
        };
        let fields = self.fields_with(&root, fields, path, value)?;
        format!("{}{fields}", self.name()).parse()
    }

    /// What a parameter is set to, as [`with`](Spec::with) takes it; nothing if it is
    /// not given.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "expectimax(depth: 2, value: rows(empty: 270))".parse()?;
    /// assert_eq!(spec.get("value.empty").as_deref(), Some("270"));
    /// assert_eq!(spec.get("value.order"), None);
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn get(&self, path: &str) -> Option<String> {
        let mut found = None;
        self.walk(&mut |here, node| {
            if here == path {
                found = Some(self.printed(node));
            }
            true
        });
        found
    }

    /// All its numbers and those of what is nested in it, in their order.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "expectimax(depth: 2, value: rows(empty: 270.5))".parse()?;
    /// let numbers = spec.numbers();
    /// assert_eq!((numbers[0].path.as_str(), numbers[0].is_whole), ("depth", true));
    /// assert_eq!((numbers[1].path.as_str(), numbers[1].value), ("value.empty", 270.5));
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn numbers(&self) -> Vec<SpecNumber> {
        let mut numbers = Vec::new();
        self.walk(&mut |path, node| {
            if let Kind::Word = node.kind
                && let Some(number) = tree::number_of(&self.source[node.span.clone()])
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

    /// What reads as a spec in its parameters, with its path; not what is nested in
    /// these.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "mean(values: [tc-ntuple(model: \"a\"), rows])".parse()?;
    /// let nested = spec.nested();
    /// assert_eq!((nested[0].0.as_str(), nested[0].1.name()), ("values.0", "tc-ntuple"));
    /// assert_eq!((nested[1].0.as_str(), nested[1].1.name()), ("values.1", "rows"));
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn nested(&self) -> Vec<(String, Spec)> {
        let mut nested = Vec::new();
        self.walk(&mut |path, node| {
            let is_one = match &node.kind {
                Kind::Word => tree::names(&self.source[node.span.clone()]),
                Kind::Group(Some(name), Fields::Named(_)) => {
                    tree::is_name(tree::name_of(&self.source[name.clone()]))
                }
                _ => false,
            };
            match is_one.then(|| Self::at(&self.source, node)) {
                Some(Ok(spec)) => {
                    nested.push((path.to_owned(), spec));
                    false
                }
                _ => true,
            }
        });
        nested
    }

    /// Looks at every parameter with a path, and into those where `look` says so.
    fn walk(&self, look: &mut dyn FnMut(&str, &Node) -> bool) {
        // A spec was read once; it can be read again.
        if let Ok(Node { kind: Kind::Group(_, fields), .. }) = self.tree() {
            self.walk_fields("", &fields, look);
        }
    }

    fn walk_fields(
        &self,
        before: &str,
        fields: &Fields,
        look: &mut dyn FnMut(&str, &Node) -> bool,
    ) {
        match fields {
            Fields::Named(fields) => {
                for (key, node) in fields {
                    let name = tree::name_of(&self.source[key.clone()]);
                    self.walk_node(format!("{before}{name}"), node, look);
                }
            }
            Fields::Positional(items) => self.walk_items(before, items, look),
        }
    }

    fn walk_items(&self, before: &str, items: &[Node], look: &mut dyn FnMut(&str, &Node) -> bool) {
        for (place, node) in items.iter().enumerate() {
            self.walk_node(format!("{before}{place}"), node, look);
        }
    }

    fn walk_node(&self, path: String, node: &Node, look: &mut dyn FnMut(&str, &Node) -> bool) {
        let node = tree::implied(node, &self.source).unwrap_or(node);
        if !look(&path, node) {
            return;
        }
        match &node.kind {
            Kind::Group(_, fields) => self.walk_fields(&format!("{path}."), fields, look),
            Kind::List(items) => self.walk_items(&format!("{path}."), items, look),
            // The keys of a map are values like any other: no path names them.
            Kind::Word | Kind::Text(_) | Kind::Char(_) | Kind::Map(_) => {}
        }
    }

    /// A node, with what the path leads to set.
    fn node_with(&self, node: &Node, path: &str, value: &str) -> Result<String, SpecError> {
        let node = tree::implied(node, &self.source).unwrap_or(node);
        let none = Fields::Named(Vec::new());
        let (name, fields) = match &node.kind {
            Kind::List(items) => {
                return Ok(format!("[{}]", self.items_with(node, items, path, value)?));
            }
            Kind::Word if tree::names(&self.source[node.span.clone()]) => (Some(&node.span), &none),
            Kind::Group(name, fields) => (name.as_ref(), fields),
            _ => return Err(self.lacks(node, path)),
        };
        let mut text = String::new();
        if let Some(name) = name {
            tree::print_word(&self.source[name.clone()], false, Style::Spec, &mut text);
        }
        Ok(text + &self.fields_with(node, fields, path, value)?)
    }

    /// Fields in their parentheses, with what the path leads to set.
    fn fields_with(
        &self,
        node: &Node,
        fields: &Fields,
        path: &str,
        value: &str,
    ) -> Result<String, SpecError> {
        let named = match fields {
            Fields::Named(named) => named,
            Fields::Positional(items) => {
                return Ok(format!("({})", self.items_with(node, items, path, value)?));
            }
        };
        let (step, rest) = first_step(path);
        let mut texts = Vec::new();
        let mut is_there = false;
        for (key, field) in named {
            let key = &self.source[key.clone()];
            let text = match (tree::name_of(key) == step, rest) {
                (false, _) => self.printed(field),
                (true, None) => value.to_owned(),
                (true, Some(rest)) => self.node_with(field, rest, value)?,
            };
            is_there |= tree::name_of(key) == step;
            texts.push(format!("{key}: {text}"));
        }
        match (is_there, rest) {
            (true, _) => {}
            (false, None) => texts.push(format!("{step}: {value}")),
            (false, Some(_)) => return Err(self.lacks(node, path)),
        }
        Ok(format!("({})", texts.join(", ")))
    }

    /// Items, with what the path leads to set.
    fn items_with(
        &self,
        node: &Node,
        items: &[Node],
        path: &str,
        value: &str,
    ) -> Result<String, SpecError> {
        let (step, rest) = first_step(path);
        let mut texts: Vec<_> = items.iter().map(|item| self.printed(item)).collect();
        let place = step.parse::<usize>().ok().filter(|&place| place < items.len());
        let place = place.ok_or_else(|| self.lacks(node, path))?;
        texts[place] = match rest {
            None => value.to_owned(),
            Some(rest) => self.node_with(&items[place], rest, value)?,
        };
        Ok(texts.join(", "))
    }

    fn lacks(&self, node: &Node, path: &str) -> SpecError {
        let (step, _) = first_step(path);
        let what = tree::describe(node, &self.source);
        SpecError::new(&self.source, node.span.clone(), format!("{what} has no parameter `{step}`"))
    }

    fn printed(&self, node: &Node) -> String {
        let mut text = String::new();
        tree::print(node, &self.source, Style::Spec, &mut text);
        text
    }
}

/// The first step of a path, and the rest of the way.
fn first_step(path: &str) -> (&str, Option<&str>) {
    match path.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    }
}
