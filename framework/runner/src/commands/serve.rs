//! `runner serve`: shows games in a browser.

use crate::context::{Context, Execute};
use crate::notes::note_models;
use crate::options::{ResourceOptions, game_or_default};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::threads::Threads;
use runner_serve::{Flags, Setup, serve};
use runner_spec::quantity::Count;
use std::fs;
use std::io::{Write, stdout};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{self, Stdio};
use std::thread;

/// Watch players, play yourself, and review games in a browser
///
/// The page offers all games and players. It can use only the files, such as models, and the
/// programs that --agent names.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeOptions {
    /// Game with which the page begins, like threes or '2048(rows: 3, cols: 4)' [default: 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Player that the page offers first, with its files; may be repeated
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    agent: Vec<Spec>,
    /// Port, or 0 for any that is free [default: 2048]
    #[arg(long, value_name = "N")]
    port: Option<Count<0, 65535>>,
    /// Address to listen at; others than the default let other machines in [default: 127.0.0.1]
    #[arg(long, value_name = "IP")]
    address: Option<IpAddr>,
    /// Name of this machine by which browsers may call it; may be repeated
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    host: Vec<String>,
    /// Open the page in a browser: that of the variable BROWSER, or of the desktop
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    resources: ResourceOptions,
}

/// Port by default.
const PORT: u16 = 2048;

impl Execute for ServeOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let game = game_or_default(self.game.as_ref(), &self.agent, &context.linked)?;
        let agents = if self.agent.is_empty() {
            let game = registry.game(&game)?.spec.to_string();
            vec![(context.linked.strong_agent)(&game).0.parse()?]
        } else {
            self.agent.clone()
        };
        let model_players = model_players();
        for agent in &agents {
            registry.player(agent.name())?;
            note_models(agent, registry);
        }
        let setup = Setup {
            address: self.address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            port: self.port.map_or(PORT, |port| port.get() as u16),
            hosts: self.host,
            game,
            agents,
            model_players,
            levels: context.linked.levels,
            seed: self.resources.seed(),
            threads: Threads::new(self.resources.threads())?,
            flags: Flags { address: "--address", port: "--port", host: "--host", agent: "--agent" },
        };
        serve(setup, registry, interrupt::listen(), |address| {
            let mut out = stdout().lock();
            writeln!(out, "http://{address}/ (Ctrl-C ends)")?;
            out.flush()?;
            if self.open {
                open_page(&format!("http://{address}/"));
            }
            Ok(())
        })
    }
}

/// Opens an address in a browser. A failure is only noted, because the address is printed too.
pub(super) fn open_page(address: &str) {
    let desktop = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let browser = std::env::var("BROWSER").unwrap_or_default();
    let words =
        browser_command(if browser.trim().is_empty() { desktop } else { &browser }, address);
    let program = words[0].clone();
    let mut command = process::Command::new(&program);
    command.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            note(format!("note: cannot start `{program}`, which opens a browser: {error}"));
            return;
        }
    };
    // Some programs end only when the browser does, so a thread waits for them.
    thread::spawn(move || {
        if let Ok(status) = child.wait()
            && !status.success()
        {
            note(format!("note: `{program}` opened no browser: {status}"));
        }
    });
}

/// Returns the words of the command in the variable BROWSER: the path of a program, perhaps with
/// spaces, or a program with arguments. The address replaces `%s`, or else is the last word.
fn browser_command(browser: &str, address: &str) -> Vec<String> {
    let mut words: Vec<String> = if Path::new(browser).is_file() {
        vec![browser.into()]
    } else {
        browser.split_whitespace().map(|word| word.replace("%s", address)).collect()
    };
    if !browser.contains("%s") {
        words.push(address.into());
    }
    words
}

/// Returns the players of the models that the main job has trained, in the order of their names.
fn model_players() -> Vec<Spec> {
    let files = models::folder().ok().and_then(|folder| fs::read_dir(folder).ok());
    let mut paths: Vec<_> = files.into_iter().flatten().flatten().map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "model"));
    paths.sort();
    paths.iter().filter_map(|path| models::player(path.to_str()?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::browser_command;

    #[test]
    fn browser_may_have_arguments_and_a_place_for_the_address() {
        for (browser, words) in [
            ("firefox", vec!["firefox", "URL"]),
            ("firefox --new-window", vec!["firefox", "--new-window", "URL"]),
            ("chromium --app=%s --incognito", vec!["chromium", "--app=URL", "--incognito"]),
        ] {
            assert_eq!(browser_command(browser, "URL"), words);
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a browser");
        std::fs::write(&program, "").unwrap();
        let program = program.to_str().unwrap();
        assert_eq!(browser_command(program, "URL"), [program, "URL"]);
    }
}
