//! The files of a new plugin's crate, filled in.

use super::names::Names;
use super::template::Template;
use runner_play::names::quoted;
use runner_play::registry::library_name;

pub struct CrateFile {
    pub path: &'static str,
    pub text: String,
}

/// Returns all files of a plugin. Its dependencies on the framework's crates are TOML values;
/// `play` is the command that plays the plugin.
pub fn crate_files(
    template: Template,
    names: &Names,
    [core, plugin, files, learning, laws, sliding]: &[String; 6],
    play: &str,
) -> Vec<CrateFile> {
    let (about, guide) = template.description();
    // Only a learner trains and writes files.
    let further = match template {
        Template::Sliding => format!("runner-sliding = {sliding}\n"),
        Template::Value => format!("runner-files = {files}\nrunner-learning = {learning}\n"),
        Template::Game | Template::Agent | Template::Process => String::new(),
    };
    let blanks = [
        ("name", names.plugin.clone()),
        ("Type", names.type_name.clone()),
        ("crate", names.crate_name()),
        ("library", library_name(&names.package())),
        ("core", core.clone()),
        ("plugin", plugin.clone()),
        ("further", further),
        ("laws", laws.clone()),
        ("about", about.into()),
        ("guide", guide.replace("__name__", &names.plugin)),
        ("play", play.to_owned()),
    ];
    let filled =
        template.files().map(|&(path, text)| CrateFile { path, text: fill(text, &blanks) });
    filled.collect()
}

/// Specs of games and of a player for the command that plays a new plugin.
#[derive(Clone, Copy, Debug)]
pub struct Examples {
    pub game: &'static str,
    /// A game with few enough positions for a table.
    pub small_game: &'static str,
    /// An agent that plays every game.
    pub agent: &'static str,
}

/// Returns the command that plays the new plugin, in parts that stay on one line.
pub fn play_command(
    template: Template,
    name: &str,
    program: &str,
    examples: Examples,
) -> Vec<String> {
    let process = r#"process(command: ["python3", "agent.py"])"#;
    let (game, agent) = match template {
        Template::Sliding | Template::Game => (name, examples.agent),
        Template::Value => (examples.small_game, name),
        Template::Agent => (examples.game, name),
        Template::Process => (examples.game, process),
    };
    let game_and_agent = [format!("--game {}", quoted(game)), format!("--agent {}", quoted(agent))];
    let library = template.is_crate().then(|| "--plugin-path target/release".into());
    [program.to_owned()].into_iter().chain(library).chain(game_and_agent).collect()
}

/// Fills in blanks. Two underscores stand before and behind each, and nowhere else. The inserted
/// text is not searched again, because a path can contain a blank.
fn fill(text: &str, blanks: &[(&str, String)]) -> String {
    let mut filled = String::new();
    for (number, part) in text.split("__").enumerate() {
        let blank = blanks.iter().find(|(blank, _)| number % 2 == 1 && *blank == part);
        filled += blank.map_or(part, |(_, word)| word);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(template: Template) -> Vec<CrateFile> {
        let paths = ["/tmp/__name__/core", "/p", "/f", "/n", "/l", "/s"];
        let paths = paths.map(|path| format!("\"{path}\""));
        crate_files(template, &Names::new(template, "dice-2").unwrap(), &paths, "runner")
    }

    #[test]
    fn every_blank_is_filled_in_once() {
        use Template::{Agent, Game, Process, Sliding, Value};
        for template in [Sliding, Game, Value, Agent, Process] {
            for CrateFile { path, text } in files(template) {
                let rest = text.replace("/tmp/__name__/core", "");
                assert!(!rest.contains("__"), "{path}: {rest}");
                assert_eq!(path == "Cargo.toml", text.contains("/tmp/__name__/core"), "{path}");
                assert!(template.is_crate() || !path.ends_with(".rs"), "{path}");
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
            }
        }
    }
}
