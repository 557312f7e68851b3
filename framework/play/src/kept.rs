//! A file that keeps the games of an evaluation or a comparison, so that it can continue:
//! [`Kept`]. The first line says what the games depend on; each further line is a game that is
//! over. An evaluation that is recorded continues from its record instead.

use crate::failure::Failure;
use crate::inputs::{InputFiles, Inputs, ReplacedInput};
use crate::registry::{LoadedGame, Registry};
use runner_core::{Game, Seed, Spec, catch, locked};
use runner_files::{FileLock, LineError, LineFile, Lines, LockedLines, Objects};
use runner_records::{GameError, GameRecord, RecordReader, RecordWriter, replay};
use runner_stats::GameResult;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The games of each player, by number. The index of a player is that in [`Job::players`].
type Games = Vec<BTreeMap<u64, GameResult>>;

/// The inputs that determine the games of a file.
pub struct Job<'a> {
    /// Name of the command that plays them.
    pub command: &'a str,
    pub game: &'a Spec,
    /// The players, each with the name of its setting.
    pub players: Vec<(&'a str, &'a Spec)>,
    pub seed: Seed,
    /// The value that measures luck.
    pub luck: Option<&'a Spec>,
    /// The file of first positions.
    pub starts: Option<&'a PathBuf>,
    /// Further settings by name; `None` if a setting is not given.
    pub settings: Vec<(&'a str, Option<String>)>,
}

/// The settings and inputs of the games: the first line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    command: String,
    settings: BTreeMap<String, String>,
    inputs: Inputs,
}

#[derive(Serialize, Deserialize)]
struct Line {
    player: usize,
    game: GameResult,
}

/// The open file of the games of a job.
pub struct Kept {
    /// The games that the file held when it was opened.
    before: Games,
    /// `None` if the file is a record, to which its writer adds the games.
    file: Option<Mutex<LineFile>>,
}

impl Job<'_> {
    /// Finds the files that the games depend on.
    pub fn input_files(&self, registry: &Registry) -> InputFiles {
        let specs = self.players.iter().map(|(_, spec)| *spec).chain(self.luck);
        InputFiles::find([self.game], specs, self.starts, registry)
    }

    /// Returns what the games depend on as the text that a record holds.
    pub fn text(&self, registry: &Registry) -> Result<String, Failure> {
        Ok(serde_json::to_string(&self.definition(registry)?)?)
    }

    fn definition(&self, registry: &Registry) -> Result<Definition, Failure> {
        let Self { game, players, seed, luck, starts, settings, .. } = self;
        let common = [
            ("game", Some(game.to_string())),
            ("seed", Some(seed.0.to_string())),
            ("luck", luck.map(Spec::to_string)),
            ("starts", starts.map(|file| file.display().to_string())),
        ];
        let of_players = players.iter().map(|(name, spec)| (*name, Some(spec.to_string())));
        let all = of_players.chain(common).chain(settings.iter().cloned());
        Ok(Definition {
            command: self.command.to_owned(),
            settings: all.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
            inputs: self.input_files(registry).read()?,
        })
    }
}

impl Definition {
    fn refuse_other(
        &self,
        held: &Self,
        path: &Path,
        replaced: ReplacedInput<'_>,
    ) -> Result<(), Failure> {
        let Some(difference) = self.difference_from(held, replaced) else { return Ok(()) };
        Err(Failure::usage(format!(
            "{} holds other games: {difference}; name another file",
            path.display()
        )))
    }

    /// Describes the first difference from the definition that a file holds.
    fn difference_from(&self, held: &Self, replaced: ReplacedInput<'_>) -> Option<String> {
        if held.command != self.command {
            return Some(format!("it is of `runner {}`", held.command));
        }
        let text = |value: Option<&String>| value.map_or("not given".into(), |v| format!("`{v}`"));
        for name in held.settings.keys().chain(self.settings.keys()) {
            let (before, now) = (held.settings.get(name), self.settings.get(name));
            if before != now {
                return Some(format!("its {name} is {}, and now {}", text(before), text(now)));
            }
        }
        self.inputs.difference_from(&held.inputs, replaced)
    }
}

impl Kept {
    /// Opens or creates the file of the games of a job. If `continues` is true, its games are
    /// read, otherwise they are deleted.
    pub fn open(
        path: &Path,
        job: &Job<'_>,
        continues: bool,
        replaced: ReplacedInput<'_>,
        registry: &Registry,
    ) -> Result<Self, Failure> {
        let definition = job.definition(registry)?;
        let locked = LockedLines::lock(path)?;
        let mut before = vec![BTreeMap::new(); job.players.len()];
        // The bytes of the file that stay.
        let mut kept_bytes = 0..0;
        if continues && locked.lines.length() > 0 {
            let mut first = locked.lines.objects::<Definition>();
            let Some(Ok((_, held))) = first.next() else {
                return Err(Failure::usage(format!(
                    "{} is no file of games; name another file",
                    path.display()
                )));
            };
            definition.refuse_other(&held, path, replaced)?;
            let mut games = first.followed_by();
            read(&locked.lines, &mut games, &mut before)?;
            kept_bytes = games.range();
        }
        let file = Some(Mutex::new(locked.begin_with(&definition, kept_bytes)?));
        Ok(Self { before, file })
    }

    /// Opens a record to which a job adds its games, and reads the games that it holds.
    pub fn resume_record(
        path: &Path,
        job: &Job<'_>,
        game: &LoadedGame,
        replaced: ReplacedInput<'_>,
        registry: &Registry,
    ) -> Result<(RecordWriter, Self), Failure> {
        let definition = job.definition(registry)?;
        let lock = FileLock::acquire(path)?;
        let mut reader = RecordReader::open(path)?;
        let Ok(held) = serde_json::from_str(&reader.metadata().definition) else {
            return Err(Failure::usage(format!(
                "{} was not written by `runner eval`, which alone continues a record; name another \
                 file",
                path.display()
            )));
        };
        definition.refuse_other(&held, path, replaced)?;
        let mut games = BTreeMap::new();
        for record in &mut reader {
            match record {
                Ok(record) => games.insert(record.number, result(&record, game, path)?),
                Err(error) if error.lacks_end() => break,
                Err(error) => return Err(error.into()),
            };
        }
        let writer = RecordWriter::resume(path, reader.metadata(), reader.end(), lock)?;
        Ok((writer, Self { before: vec![games], file: None }))
    }

    /// Returns the games of a player with numbers below `games` that the file held when it was
    /// opened.
    pub fn before(&self, player: usize, games: u64) -> impl Iterator<Item = GameResult> {
        self.before[player].range(..games).map(|(_, game)| *game)
    }

    /// Returns the number of games that the file held when it was opened.
    pub fn count(&self) -> u64 {
        self.before.iter().map(BTreeMap::len).sum::<usize>() as u64
    }

    /// Adds a game. It is in the file after the next [`flush`](Self::flush).
    pub fn add(&self, player: usize, game: &GameResult) {
        if let Some(file) = &self.file {
            locked(file).add(&Line { player, game: *game });
        }
    }

    pub fn flush(&self) -> Result<(), Failure> {
        Ok(self.file.as_ref().map_or(Ok(()), |file| locked(file).flush())?)
    }

    /// Writes the last games, and waits until all are on the disk.
    pub fn finish(&self) -> Result<(), Failure> {
        Ok(self.file.as_ref().map_or(Ok(()), |file| locked(file).sync())?)
    }
}

/// Replays a recorded game for its result.
fn result(record: &GameRecord, game: &LoadedGame, path: &Path) -> Result<GameResult, Failure> {
    let replayed = catch(|| {
        let mut last = record.start;
        for step in replay(&*game.rules, record) {
            last = step?.next;
        }
        Ok(game.rules.max_tile(last))
    })?;
    let max_tile = replayed.map_err(|error: GameError| Failure::in_file(path, error))?;
    let (number, score, moves) = (record.number, record.score, record.moves());
    Ok(GameResult { number, score, moves, max_tile, luck: None })
}

/// Adds the games of the lines to those of each player.
fn read(
    lines: &Lines,
    games: &mut Objects<'_, Line>,
    players: &mut Games,
) -> Result<(), LineError> {
    for line in games {
        let (number, Line { player, game }) = line?;
        let Some(of_player) = players.get_mut(player) else {
            return Err(lines.refuse(number, format!("there is no player {player}")));
        };
        if of_player.insert(game.number, game).is_some() {
            return Err(lines.refuse(number, format!("game {} is there twice", game.number)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn game(number: u64) -> GameResult {
        let luck = (number == 1).then_some(-0.5);
        GameResult { number, score: 12.5, moves: 3, max_tile: Some(8), luck }
    }

    #[test]
    fn games_are_read_back_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.jsonl");
        let (rules, player): (Spec, Spec) = ("2048".parse().unwrap(), "rows".parse().unwrap());
        let open = |seed, continues| {
            let job = Job {
                command: "eval",
                game: &rules,
                players: vec![("a", &player), ("b", &player)],
                seed: Seed(seed),
                luck: None,
                starts: None,
                settings: vec![("tile", None)],
            };
            Kept::open(&path, &job, continues, ReplacedInput::Refused, &Registry::new())
        };
        let refused = |seed| open(seed, true).err().unwrap().to_string();
        let kept = open(1, true).unwrap();
        kept.add(0, &game(1));
        kept.add(1, &game(7));
        kept.finish().unwrap();
        assert!(refused(1).contains("is in use"));
        drop(kept);
        assert!(refused(2).contains("its seed is `1`, and now `2`; name another file"));
        let text = fs::read_to_string(&path).unwrap();
        // A line that was not written to its end is no game.
        fs::write(&path, format!("{text}{{\"player\":0")).unwrap();
        let kept = open(1, true).unwrap();
        assert_eq!(kept.before(0, 9).collect::<Vec<_>>(), [game(1)]);
        assert_eq!((kept.before(1, 7).count(), kept.before(1, 8).count()), (0, 1));
        drop(kept);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let twice = text.lines().last().unwrap();
        for (broken, why) in [
            (format!("{text}{twice}\n"), "line 4 is damaged: game 7 is there twice"),
            (text.replace("eval", "evil"), "it is of `runner evil`; name another file"),
            ("bread\n".to_owned(), "games.jsonl is no file of games"),
        ] {
            fs::write(&path, broken).unwrap();
            let message = refused(1);
            assert!(message.contains(why), "{message}");
        }
        assert_eq!(open(2, false).unwrap().count(), 0);
        assert_eq!(open(2, true).unwrap().count(), 0);
    }
}
