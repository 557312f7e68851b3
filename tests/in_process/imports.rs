//! Imports point one way, and so do flags: only commands name them. Crates depend on each other in a fixed order, with the games, the agents
//! and the program apart from each other. Within a crate, files import each other without circles: an
//! engineer can read them in one order. Tests do not count, nor do re-exports of a module's own
//! submodules.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use syn::visit::{self, Visit};
use syn::{
    Attribute, ImplItemFn, Item, ItemMod, ItemUse, Lit, LitStr, Macro, Meta, UseTree, Visibility,
};

/// The names of a path, such as `crate`, `board`, `Cells`. That of a module starts below
/// the root of its crate.
type Names = Vec<String>;

/// A path that code refers to.
struct Reference {
    module: Names,
    path: Names,
    is_reexport: bool,
}

/// The modules of a crate and the paths that they refer to.
#[derive(Default)]
struct Crate {
    /// Modules that are files.
    files: BTreeSet<Names>,
    references: Vec<Reference>,
    /// Re-exported paths, by module and name.
    reexports: BTreeMap<(Names, String), Reference>,
    /// The texts in the code, by file.
    texts: Vec<(PathBuf, String)>,
}

impl Crate {
    fn read(root: &Path) -> Self {
        let mut crate_ = Self::default();
        crate_.read_file(root, root.parent().unwrap(), Names::new());
        crate_
    }

    /// Reads the file of a module, whose submodules are in `folder`.
    fn read_file(&mut self, path: &Path, folder: &Path, module: Names) {
        let text = std::fs::read_to_string(path).unwrap();
        let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self.files.insert(module.clone());
        let (own, submodules) = (module.clone(), Vec::new());
        let mut reader = Reader { path, module: own, submodules, found: self };
        reader.visit_file(&file);
        for name in reader.submodules {
            let folder = folder.join(&name);
            let path = Some(folder.with_extension("rs")).filter(|path| path.is_file());
            let module = [&module[..], &[name]].concat();
            self.read_file(&path.unwrap_or(folder.join("mod.rs")), &folder, module);
        }
    }

    /// Returns the path from the crate's root; `None` for a path of another crate.
    fn absolute(&self, Reference { module, path, .. }: &Reference) -> Option<Names> {
        let supers = path.iter().take_while(|name| *name == "super").count();
        match path[0].as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([&module[..module.len() - supers], &path[supers..]].concat()),
            name => {
                let submodule = [&module[..], &[name.to_owned()]].concat();
                self.files.contains(&submodule).then(|| [module, &path[..]].concat())
            }
        }
    }

    /// Returns the file that a path leads into.
    fn file(&self, path: &[String]) -> Names {
        let ends = (0..=path.len()).rev();
        let end = ends.into_iter().find(|&end| self.files.contains(&path[..end])).unwrap();
        path[..end].to_vec()
    }

    /// Returns the file that defines the item at a path, through all re-exports.
    fn definition(&self, mut path: Names) -> Names {
        loop {
            let file = self.file(&path);
            let Some(name) = path.get(file.len()) else { return file };
            let rest = path[file.len() + 1..].to_vec();
            let reexport = self.reexports.get(&(file.clone(), name.clone()));
            match reexport.and_then(|reference| self.absolute(reference)) {
                Some(to) if [&to[..], &rest].concat() != path => path = [to, rest].concat(),
                _ => return file,
            }
        }
    }

    /// Returns the files that each file refers to.
    fn arrows(&self) -> BTreeMap<Names, BTreeSet<Names>> {
        let mut arrows: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
        for reference in &self.references {
            let from = self.file(&reference.module);
            let Some(path) = self.absolute(reference) else { continue };
            let to = self.definition(path);
            if to != from && !(reference.is_reexport && to.starts_with(&from)) {
                arrows.entry(from).or_default().insert(to);
            }
        }
        arrows
    }

    /// Returns the files in circles, if there are any: those that remain when files that import
    /// none of the others, or that none of them imports, are removed again and again.
    fn circle(&self) -> Option<Vec<String>> {
        let mut arrows = self.arrows();
        loop {
            let before = arrows.clone();
            let imported: BTreeSet<&Names> = before.values().flatten().collect();
            arrows.retain(|file, to| {
                to.retain(|to| before.contains_key(to));
                !to.is_empty() && imported.contains(file)
            });
            if arrows == before {
                break;
            }
        }
        let name = |file: &Names| [&["crate".into()], &file[..]].concat().join("::");
        (!arrows.is_empty()).then(|| arrows.keys().map(name).collect())
    }
}

/// Collects the references of a file.
struct Reader<'a> {
    path: &'a Path,
    /// The module of the code that is visited: the file's, or one inside of the file.
    module: Names,
    /// Submodules with files of their own.
    submodules: Names,
    found: &'a mut Crate,
}

impl Reader<'_> {
    /// Collects the texts among the arguments of a macro.
    fn read_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.read_tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Lit::Str(text) = Lit::new(literal) {
                        self.visit_lit_str(&text);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn refer(&mut self, path: Names, is_reexport: bool) {
        self.found.references.push(Reference { module: self.module.clone(), path, is_reexport });
    }

    fn import(&mut self, tree: &UseTree, mut path: Names, public: bool) {
        let name = match tree {
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, path.clone(), public));
                return;
            }
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.import(&tree.tree, path, public);
            }
            UseTree::Glob(_) => None,
            // `a::{self}` imports `a`.
            UseTree::Name(tree) if tree.ident == "self" => path.last().cloned(),
            UseTree::Name(tree) => {
                path.push(tree.ident.to_string());
                Some(tree.ident.to_string())
            }
            UseTree::Rename(tree) => {
                path.push(tree.ident.to_string());
                Some(tree.rename.to_string())
            }
        };
        if let (true, Some(name)) = (public, name) {
            let (module, path) = (self.module.clone(), path.clone());
            let reexport = Reference { module: module.clone(), path, is_reexport: true };
            self.found.reexports.insert((module, name), reexport);
        }
        self.refer(path, public);
    }
}

impl Visit<'_> for Reader<'_> {
    fn visit_item(&mut self, item: &Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    // Documentation is an attribute.
    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_lit_str(&mut self, text: &LitStr) {
        self.found.texts.push((self.path.to_owned(), text.value()));
    }

    fn visit_macro(&mut self, called: &Macro) {
        visit::visit_macro(self, called);
        self.read_tokens(called.tokens.clone());
    }

    fn visit_impl_item_fn(&mut self, function: &ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &ItemMod) {
        match &module.content {
            None => self.submodules.push(module.ident.to_string()),
            Some(_) => {
                self.module.push(module.ident.to_string());
                visit::visit_item_mod(self, module);
                self.module.pop();
            }
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        self.import(&item.tree, Names::new(), !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names: Names = path.segments.iter().map(|name| name.ident.to_string()).collect();
        // A single `self` is a value.
        if names.len() > 1 && ["crate", "self", "super"].contains(&names[0].as_str()) {
            self.refer(names, false);
        }
        visit::visit_path(self, path);
    }
}

/// Returns the attributes of the items that tests consist of.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns true for code that is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test" || condition.starts_with("all (test")
        }
        _ => false,
    })
}

/// Returns the packages of the workspace as cargo describes them.
fn packages() -> Vec<serde_json::Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Returns the root files of all libraries and programs of the workspace.
fn roots() -> Vec<PathBuf> {
    let packages = packages();
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().unwrap());
    let is_code = |kind: &serde_json::Value| {
        ["lib", "rlib", "cdylib", "bin"].contains(&kind.as_str().unwrap())
    };
    targets
        .filter(|target| target["kind"].as_array().unwrap().iter().any(is_code))
        .map(|target| target["src_path"].as_str().unwrap().into())
        .collect()
}

/// Returns the words of the lines of a file.
fn table(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').collect())
}

/// Returns the folder of a path's crate in the order, and its line.
fn line(folder: &str) -> Option<(&'static str, usize)> {
    let is_in = |place: &str| folder == place || folder.starts_with(&format!("{place}/"));
    let lines = table(include_str!("order.txt")).enumerate();
    let places =
        lines.flat_map(|(number, places)| places.into_iter().map(move |place| (place, number)));
    places.filter(|(place, _)| is_in(place)).max_by_key(|(place, _)| place.len())
}

/// Returns what is wrong with an arrow from a crate to a dependency, which has a folder if it is a
/// crate of the workspace.
fn refusal(from: &str, name: &str, to: Option<&str>) -> Option<String> {
    let place = table(include_str!("places.txt")).find(|row| row[0] == name);
    if let Some(row) = place {
        let folders = &row[1..];
        return (!folders.contains(&from))
            .then(|| format!("{from} depends on {name}; only {} may", folders.join(", ")));
    }
    let to = to?;
    let ((from_place, from_line), (to_place, to_line)) = match (line(from), line(to)) {
        (Some(from), Some(to)) => (from, to),
        (None, _) => return Some(format!("{from} has no line in the order of the crates")),
        (_, None) => return Some(format!("{to} has no line in the order of the crates")),
    };
    // The guide draws pictures of games.
    let is_above_plugins =
        |place: &str| place == "." || place.starts_with("framework/") && place != "framework/guide";
    let is_plugin = ["games", "agents", "plugins", "tests"].contains(&to_place);
    let is_allowed = if from_place == to_place {
        ["games", "agents", "plugins", "tests"].contains(&from_place)
    } else {
        to_line < from_line && !(is_plugin && is_above_plugins(from_place))
    };
    (!is_allowed).then(|| format!("{from} depends on {to}"))
}

#[test]
fn crates_depend_on_each_other_in_one_order() {
    let packages = packages();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = |path: &Path| match path.strip_prefix(root).unwrap().to_str().unwrap() {
        "" => ".".to_owned(),
        folder => folder.to_owned(),
    };
    let mut refused = Vec::new();
    for package in &packages {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let from = folder(manifest.parent().unwrap());
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            let to = dependency["path"].as_str().map(|path| folder(Path::new(path)));
            if dependency["kind"] != "dev" {
                refused.extend(refusal(&from, name, to.as_deref()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn files_of_a_crate_import_each_other_without_circles() {
    let roots = roots();
    assert!(roots.len() > 30, "{roots:?}");
    let circles = roots.iter().filter_map(|root| {
        let circle = Crate::read(root).circle()?;
        Some(format!("{}: {}", root.display(), circle.join(", ")))
    });
    let circles: Vec<_> = circles.collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn circles_are_found_through_reexports_and_paths_but_not_in_tests() {
    let circle = |files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Crate::read(&folder.path().join("lib.rs")).circle()
    };
    let root = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::{B, C as D};");
    let uses_b = ("a.rs", "use crate::{B, D}; pub struct A;");
    let b = "pub struct B; pub struct C;";
    assert_eq!(circle(&[root, uses_b, ("b.rs", b)]), None);
    for back in ["use super::A;", "use crate::a::{self};", "fn f(_: crate::A) {}"] {
        let names = vec!["crate::a".to_owned(), "crate::b".to_owned()];
        assert_eq!(circle(&[root, uses_b, ("b.rs", &format!("{b} {back}"))]), Some(names));
        let test = format!("{b} #[cfg(test)] mod tests {{ {} }}", back.replace("super", "crate"));
        assert_eq!(circle(&[root, uses_b, ("b.rs", &test)]), None);
    }
    // A module and its submodule.
    let root = ("lib.rs", "mod a;");
    let parent = ("a/mod.rs", "mod c; pub use c::C; pub struct A;");
    assert_eq!(circle(&[root, parent, ("a/c.rs", "use super::A; pub struct C;")]), None);
    let parent = ("a/mod.rs", "mod c; use c::C; pub struct A;");
    assert!(circle(&[root, parent, ("a/c.rs", "use super::A; pub struct C;")]).is_some());
}

/// Returns true if a file has examples. Blocks of text in documentation are none.
fn has_examples(code: &str) -> bool {
    let is_fence = |line: &&str| line.starts_with("//") && line.contains("```");
    let mut blocks = code.lines().map(str::trim).filter(is_fence).step_by(2);
    blocks.any(|line| !line.ends_with("```text"))
}

/// Manifests switch off the tests of libraries that have none, because it takes long to compile them.
#[test]
fn libraries_whose_tests_are_switched_off_have_none() {
    let packages = packages();
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().unwrap());
    let mut count = 0;
    for target in targets {
        let is = |kind: &str| target["crate_types"].as_array().unwrap().iter().any(|k| k == kind);
        if !(is("lib") || is("rlib")) {
            continue;
        }
        let (no_tests, no_examples) = (target["test"] == false, target["doctest"] == false);
        let root = Path::new(target["src_path"].as_str().unwrap()).parent().unwrap();
        let mut folders = if no_tests || no_examples { vec![root.to_owned()] } else { vec![] };
        count += folders.len();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let code = std::fs::read_to_string(&path).unwrap();
                let has_tests = code.lines().any(|line| line.trim() == "#[test]");
                assert!(!(no_tests && has_tests), "{}: `test = false`", path.display());
                assert!(
                    !(no_examples && has_examples(&code)),
                    "{}: `doctest = false`",
                    path.display()
                );
            }
        }
    }
    assert!(count >= 15, "{count}");
}

/// Files whose texts may look like flags: they write whole commands, or style sheets, or word the refusal of a
/// replaced input once for all commands.
const WITH_FLAGS: &[&str] = &[
    "framework/play/src/inputs.rs",
    "framework/play/src/learners.rs",
    "framework/plugin-kit/src/index/build.rs",
    "framework/plugin-kit/src/new/crate_files.rs",
    "framework/tournament/src/report/html.rs",
];

/// Returns true if a text names a flag, but not of another program.
fn names_flag(text: &str) -> bool {
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
    let mut parts = text.split("--");
    let mut before = parts.next().unwrap_or_default();
    parts.any(|part| {
        let is_flag = begins(part) && !before.ends_with(|c: char| c.is_alphanumeric());
        let is_of_cargo = before.contains("`cargo ");
        before = part;
        is_flag && !is_of_cargo
    })
}

#[test]
fn only_commands_name_flags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["framework/runner", "framework/guide"];
    let (mut files, mut found) = (BTreeSet::new(), Vec::new());
    for crate_root in roots() {
        let place = crate_root.strip_prefix(root).unwrap();
        if !place.starts_with("framework")
            || places.iter().any(|skipped| place.starts_with(skipped))
        {
            continue;
        }
        for (path, text) in Crate::read(&crate_root).texts {
            let file = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if names_flag(&text) && !WITH_FLAGS.contains(&file.as_str()) {
                found.push(format!("{file}: {text:?}"));
            }
            files.insert(file);
        }
    }
    assert!(files.len() > 200, "{} files have texts", files.len());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn flags_are_found_in_texts_and_in_macros_but_not_in_documentation_and_tests() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lib.rs");
    let named = |code: &str| {
        std::fs::write(&path, code).unwrap();
        Crate::read(&path).texts.iter().any(|(_, text)| names_flag(text))
    };
    for code in [
        "const A: &str = \"give --games\";",
        "fn f() { g(format!(\"{} `--seed {}`\", 1, h(\"\"))); }",
        "fn f() { g!(h(\"--out FILE\")) }",
    ] {
        assert!(named(code), "{code}");
    }
    for code in [
        "/// See --games.\nfn f() {}",
        "#[cfg(test)] mod tests { const A: &str = \"--games\"; }",
        "const A: &str = \"built with `cargo build --release`\";",
        "const A: &str = \"a -- b, a--b\";",
    ] {
        assert!(!named(code), "{code}");
    }
}
