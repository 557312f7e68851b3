//! A tournament with its games and agents built: [`BuiltTournament`].

use super::definition::{AgentEntry, ResolvedPlayer, Tournament};
use runner_core::{Random, Seed, Spec};
use runner_play::arena::Cell;
use runner_play::evaluation::Limits;
use runner_play::failure::Failure;
use runner_play::inputs::{InputFiles, ReplacedInput};
use runner_play::luck::Luck;
use runner_play::player::NamedPlayer;
use runner_play::registry::Registry;
use runner_play::threads::Threads;
use runner_spec::quantity::{Count, PositiveTime};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub struct BuiltTournament {
    /// The tournament, with resolved specs.
    pub tournament: Tournament,
    /// Every agent in every game: all agents in the first game, then all in the second, and so on.
    pub cells: Vec<Cell>,
    pub threads: Threads,
}

impl BuiltTournament {
    /// Builds every game and every agent, and refuses the tournament if one of them is wrong.
    pub fn new(
        mut tournament: Tournament,
        threads: Option<usize>,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let threads = Threads::new(threads)?;
        tournament.fill_labels();
        tournament.rounds = Some(Count::new(tournament.rounds()));
        tournament.seed = Some(Count::new(tournament.seed()));
        let mut wrong = tournament.wrong_labels();
        let (part, rounds) = (tournament.part(), tournament.rounds());
        if part.last > rounds {
            let message = format!("{part} are more than the {rounds} games of each agent");
            wrong.push(("rounds".into(), Failure::usage(message)));
        }
        let mut games = Vec::new();
        for entry in &mut tournament.games {
            match registry.game(&entry.game) {
                Ok(game) => {
                    entry.game = game.spec.clone();
                    games.push((entry.label.clone(), game));
                }
                Err(error) => wrong.push((format!("game `{}`", entry.label), error)),
            }
        }
        let mut agents = Vec::new();
        for entry in &tournament.agents {
            match registry.player(entry.agent.name()) {
                Ok(_) => agents.push(entry),
                Err(error) => wrong.push((format!("agent `{}`", entry.label), error)),
            }
        }
        let limits = tournament.limits();
        let (mut cells, mut resolved) = (Vec::new(), Vec::new());
        for (game_label, game) in &games {
            let mut players = Vec::new();
            for AgentEntry { label, agent } in &agents {
                match NamedPlayer::trained(registry, agent, game, &threads) {
                    Ok(player) => {
                        let seed = seed_of(tournament.seed(), game_label, label);
                        resolved.push(ResolvedPlayer {
                            game: game_label.clone(),
                            agent: label.clone(),
                            spec: player.spec.clone(),
                            seed,
                        });
                        players.push((player, Seed(seed)));
                    }
                    Err(failure) => {
                        wrong.push((format!("agent `{label}` in {game_label}"), failure));
                    }
                }
            }
            let mut luck = None;
            if let Some(spec) = &tournament.luck {
                let of_game: Vec<_> = players.iter().map(|(player, _)| player).collect();
                match Luck::new(registry, spec, game, &[], &of_game, &threads) {
                    Ok(built) => luck = Some(built),
                    Err(failure) => wrong.push((format!("luck in {game_label}"), failure)),
                }
            }
            for (player, seed) in players {
                cells.push(Cell::new(game, player, seed, limits, &[], luck.clone()));
            }
        }
        Failure::refuse(wrong)?;
        tournament.players = resolved;
        tournament.inputs = tournament.input_files(registry).read()?;
        Ok(Self { tournament, cells, threads })
    }

    /// Returns the number of games of all cells that have these numbers.
    pub fn games_of(&self, numbers: &Range<u64>) -> u64 {
        (numbers.end - numbers.start) * self.cells.len() as u64
    }

    pub fn game_and_agent(&self, cell: usize) -> [usize; 2] {
        let agents = self.tournament.agents.len();
        [cell / agents, cell % agents]
    }

    pub fn labels(&self, cell: usize) -> [&str; 2] {
        let [game, agent] = self.game_and_agent(cell);
        [&self.tournament.games[game].label, &self.tournament.agents[agent].label]
    }
}

fn or_none(limit: Option<impl fmt::Debug>) -> String {
    limit.map_or("none".into(), |limit| format!("{limit:?}"))
}

/// Returns the seed of the games of an agent in a game. It depends on their labels only, so it
/// stays when other games and agents are added. It has 53 bits, which are exact in the numbers of
/// every JSON reader.
fn seed_of(seed: u64, game: &str, agent: &str) -> u64 {
    // The 64-bit hash FNV-1a of Fowler, Noll and Vo. No UTF-8 text contains the separator.
    const SEPARATOR: u8 = 0xff;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in game.bytes().chain([SEPARATOR]).chain(agent.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    Random::stream(Seed(seed), hash).word() >> 11
}

impl Tournament {
    /// Finds the files that the games of a resolved tournament depend on.
    pub fn input_files(&self, registry: &Registry) -> InputFiles {
        let games = self.games.iter().map(|entry| &entry.game);
        let specs = self.players.iter().map(|player| &player.spec).chain(&self.luck);
        InputFiles::find(games, specs, &[], registry)
    }

    fn limits(&self) -> Limits {
        Limits {
            moves: self.move_limit.map(Count::get),
            time: self.game_time.map(PositiveTime::get),
        }
    }

    /// Describes the first difference that would change results of `before`, the resolved
    /// tournament that a folder holds: games, agents and rounds may be added. In the description,
    /// "it" is `before`.
    pub fn difference_from(&self, before: &Self, replaced: ReplacedInput<'_>) -> Option<String> {
        let of_inputs = self.inputs.difference_from(&before.inputs, replaced);
        of_inputs.or_else(|| self.difference_of_settings(before))
    }

    /// Describes the first such difference of the settings, and not of the files and plugins.
    pub fn difference_of_settings(&self, before: &Self) -> Option<String> {
        let (old, new) = (before.limits(), self.limits());
        for (setting, held, wanted) in [
            ("seed", before.seed().to_string(), self.seed().to_string()),
            ("move limit", or_none(old.moves), or_none(new.moves)),
            ("time limit of games", or_none(old.time), or_none(new.time)),
        ] {
            if held != wanted {
                return Some(format!("its {setting} is {held}, not {wanted}"));
            }
        }
        if self.luck != before.luck {
            let by = |luck: &Option<Spec>| luck.as_ref().map_or("none".into(), Spec::to_string);
            return Some(format!("its luck is by {}, not {}", by(&before.luck), by(&self.luck)));
        }
        if self.rounds() < before.rounds() {
            return Some(format!(
                "it plays {} games of each agent, not {}",
                before.rounds(),
                self.rounds()
            ));
        }
        let (part, of_before) = (self.part(), before.part());
        if part.first > of_before.first || part.last < of_before.last {
            return Some(format!("it plays the rounds {of_before}, not {part}"));
        }
        for old in &before.games {
            match self.games.iter().find(|new| new.label == old.label) {
                None => return Some(format!("it has the game `{}`", old.label)),
                Some(new) if new.game != old.game => {
                    return Some(format!("its game `{}` is {}", old.label, old.game));
                }
                Some(_) => {}
            }
        }
        for old in &before.agents {
            match self.agents.iter().find(|new| new.label == old.label) {
                None => return Some(format!("it has the agent `{}`", old.label)),
                Some(new) if new.agent != old.agent => {
                    return Some(format!("its agent `{}` is {}", old.label, old.agent));
                }
                Some(_) => {}
            }
        }
        for ResolvedPlayer { game, agent, spec, .. } in &before.players {
            match self.players.iter().find(|new| (&new.game, &new.agent) == (game, agent)) {
                None => return Some(format!("`{agent}` plays {game} in it")),
                Some(new) if new.spec != *spec => {
                    return Some(format!("its `{agent}` in {game} is {spec}"));
                }
                Some(_) => {}
            }
        }
        None
    }
}
