//! Access to the parameters of a spec, and of the specs nested in it, by path:
//! `value.empty`, or with the index of an item of a list or tuple, `values.0.empty`.

use crate::error::SpecError;
use crate::print::{Style, print, print_word};
use crate::spec::Spec;
use crate::tree::{self, Fields, Node, NodeKind};

/// A numeric parameter of a spec.
#[derive(Clone, PartialEq, Debug)]
pub struct SpecNumber {
    /// Path of the parameter: `value.empty`.
    pub path: String,
    /// Value of the parameter.
    pub value: f64,
    /// True if the number is written without a fraction. In a
    /// [resolved](Spec::resolved) spec, this means that the parameter is an integer.
    pub is_whole: bool,
}

impl Spec {
    /// Returns the spec, on one line, with a parameter set to `value`, which is RON text.
    ///
    /// All steps of the path but the last must exist.
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
            NodeKind::Group(_, fields) => fields,
            _ => &none,
        };
        let fields = self.fields_with(&root, fields, path, value)?;
        format!("{}{fields}", self.name()).parse()
    }

    /// Returns the spec on one line, without these of its direct parameters.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "expectimax(depth: 2, value: rows(empty: 270))".parse()?;
    /// assert_eq!(spec.without(&["depth"])?.to_string(), "expectimax(value: rows(empty: 270))");
    /// assert_eq!(spec.without(&["depth", "value"])?.to_string(), "expectimax");
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn without(&self, parameters: &[&str]) -> Result<Self, SpecError> {
        let mut texts = Vec::new();
        if let NodeKind::Group(_, Fields::Named(fields)) = &self.tree()?.kind {
            for (key, field) in fields {
                let key = &self.source[key.clone()];
                if !parameters.contains(&tree::name_of(key)) {
                    texts.push(format!("{key}: {}", self.printed(field)));
                }
            }
        }
        match texts.is_empty() {
            true => self.name().parse(),
            false => format!("{}({})", self.name(), texts.join(", ")).parse(),
        }
    }

    /// Returns the value of a parameter as RON text, or `None` if the spec does not set it.
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

    /// Returns all numeric parameters of the spec and of nested specs, in the order of the
    /// text.
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
            if let NodeKind::Word = node.kind
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

    /// Returns the texts in quotes among the parameters with their paths, in the order of the
    /// text. Those inside nested specs are not listed; those of a map have its path.
    ///
    /// ```
    /// # use runner_spec::Spec;
    /// let spec: Spec = "a(rows: [\"x\"], value: b(model: \"y\"), time: \"1s\")".parse()?;
    /// let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    /// assert_eq!(spec.texts(), [text("rows.0", "x"), text("time", "1s")]);
    /// # Ok::<(), runner_spec::SpecError>(())
    /// ```
    pub fn texts(&self) -> Vec<(String, String)> {
        let nested: Vec<_> = self.nested().into_iter().map(|(path, _)| path).collect();
        let mut texts = Vec::new();
        self.walk(&mut |path, node| {
            let is_nested = nested.iter().any(|known| known == path);
            match &node.kind {
                NodeKind::Text(text) => texts.push((path.to_owned(), text.clone())),
                NodeKind::Map(_) => collect_texts(path, node, &mut texts),
                _ => {}
            }
            !is_nested
        });
        texts
    }

    /// Returns the specs among the parameters with their paths. Specs inside these are not
    /// listed.
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
            let is_spec = match &node.kind {
                NodeKind::Word => tree::is_name_word(&self.source[node.span.clone()]),
                NodeKind::Group(Some(name), Fields::Named(_)) => {
                    tree::is_name(tree::name_of(&self.source[name.clone()]))
                }
                _ => false,
            };
            match is_spec.then(|| Self::from_node(&self.source, node)) {
                Some(Ok(spec)) => {
                    nested.push((path.to_owned(), spec));
                    false
                }
                _ => true,
            }
        });
        nested
    }

    /// Calls `visit` with the path and the value of every parameter. It returns true if
    /// the walk should descend into the value.
    fn walk(&self, visit: &mut dyn FnMut(&str, &Node) -> bool) {
        // Parsing cannot fail: the text was parsed when the spec was created.
        if let Ok(Node { kind: NodeKind::Group(_, fields), .. }) = self.tree() {
            self.walk_fields("", &fields, visit);
        }
    }

    fn walk_fields(
        &self,
        before: &str,
        fields: &Fields,
        visit: &mut dyn FnMut(&str, &Node) -> bool,
    ) {
        match fields {
            Fields::Named(fields) => {
                for (key, node) in fields {
                    let name = tree::name_of(&self.source[key.clone()]);
                    self.walk_node(format!("{before}{name}"), node, visit);
                }
            }
            Fields::Positional(items) => self.walk_items(before, items, visit),
        }
    }

    fn walk_items(&self, before: &str, items: &[Node], visit: &mut dyn FnMut(&str, &Node) -> bool) {
        for (index, node) in items.iter().enumerate() {
            self.walk_node(format!("{before}{index}"), node, visit);
        }
    }

    fn walk_node(&self, path: String, node: &Node, visit: &mut dyn FnMut(&str, &Node) -> bool) {
        let node = tree::implied(node, &self.source).unwrap_or(node);
        if !visit(&path, node) {
            return;
        }
        match &node.kind {
            NodeKind::Group(_, fields) => self.walk_fields(&format!("{path}."), fields, visit),
            NodeKind::List(items) => self.walk_items(&format!("{path}."), items, visit),
            // Entries of a map have no path, because a key can be any value.
            NodeKind::Word | NodeKind::Text(_) | NodeKind::Char(_) | NodeKind::Map(_) => {}
        }
    }

    /// Returns the text of a node with the parameter at `path` replaced.
    fn node_with(&self, node: &Node, path: &str, value: &str) -> Result<String, SpecError> {
        let node = tree::implied(node, &self.source).unwrap_or(node);
        let none = Fields::Named(Vec::new());
        let (name, fields) = match &node.kind {
            NodeKind::List(items) => {
                return Ok(format!("[{}]", self.items_with(node, items, path, value)?));
            }
            NodeKind::Word if tree::is_name_word(&self.source[node.span.clone()]) => {
                (Some(&node.span), &none)
            }
            NodeKind::Group(name, fields) => (name.as_ref(), fields),
            _ => return Err(self.missing(node, path)),
        };
        let mut text = String::new();
        if let Some(name) = name {
            print_word(&self.source[name.clone()], false, Style::Spec, &mut text);
        }
        Ok(text + &self.fields_with(node, fields, path, value)?)
    }

    /// Returns the text of fields in parentheses with the parameter at `path` replaced.
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
            (false, Some(_)) => return Err(self.missing(node, path)),
        }
        Ok(format!("({})", texts.join(", ")))
    }

    /// Returns the text of items with the item at `path` replaced.
    fn items_with(
        &self,
        node: &Node,
        items: &[Node],
        path: &str,
        value: &str,
    ) -> Result<String, SpecError> {
        let (step, rest) = first_step(path);
        let mut texts: Vec<_> = items.iter().map(|item| self.printed(item)).collect();
        let index = step.parse::<usize>().ok().filter(|&index| index < items.len());
        let index = index.ok_or_else(|| self.missing(node, path))?;
        texts[index] = match rest {
            None => value.to_owned(),
            Some(rest) => self.node_with(&items[index], rest, value)?,
        };
        Ok(texts.join(", "))
    }

    fn missing(&self, node: &Node, path: &str) -> SpecError {
        let (step, _) = first_step(path);
        let what = tree::describe(node, &self.source);
        SpecError::new(&self.source, node.span.clone(), format!("{what} has no parameter `{step}`"))
    }

    fn printed(&self, node: &Node) -> String {
        let mut text = String::new();
        print(node, &self.source, Style::Spec, &mut text);
        text
    }
}

/// Splits a path after its first step.
fn first_step(path: &str) -> (&str, Option<&str>) {
    match path.split_once('.') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    }
}

/// Adds all texts inside a value, whatever it is.
fn collect_texts(path: &str, node: &Node, texts: &mut Vec<(String, String)>) {
    let mut all = |nodes: &mut dyn Iterator<Item = &Node>| {
        nodes.for_each(|node| collect_texts(path, node, texts));
    };
    match &node.kind {
        NodeKind::Text(text) => texts.push((path.to_owned(), text.clone())),
        NodeKind::List(items) | NodeKind::Group(_, Fields::Positional(items)) => {
            all(&mut items.iter());
        }
        NodeKind::Group(_, Fields::Named(fields)) => all(&mut fields.iter().map(|(_, node)| node)),
        NodeKind::Map(entries) => all(&mut entries.iter().flat_map(|(key, value)| [key, value])),
        NodeKind::Word | NodeKind::Char(_) => {}
    }
}
