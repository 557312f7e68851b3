//! A game that was played ([`PlayedGame`]), and a player's opinion of each move ([`GameReview`]).

use crate::analysis::{Judged, Made, Summary};
use crate::failure::Failure;
use crate::luck::{self, Events, Luck};
use crate::player::NamedPlayer;
use crate::position::{find, open};
use crate::registry::{LoadedGame, Registry};
use crate::watched::WatchedGame;
use crate::written::{self, WrittenGame};
use runner_core::{Analysis, Spec, Start, State, catch};
use runner_records::{ReadErrorKind, RecordError, RecordReader, ReplayedMove, replay};
use serde::Serialize;
use std::path::Path;

/// Number of moves that are listed as the worst.
const MISTAKES: usize = 10;

/// A game from a file.
pub struct PlayedGame {
    pub game: LoadedGame,
    /// Its number in a file of records; `None` if the file is a game as text.
    pub number: Option<u64>,
    first: Start,
    moves: Vec<ReplayedMove>,
}

impl PlayedGame {
    /// Reads a game from a file of records (that with this number, by default the lowest), or a
    /// text. A text is played by the rules of `game`, or else of `default_game`.
    pub fn open(
        file: &Path,
        number: Option<u64>,
        game: Option<&Spec>,
        default_game: impl FnOnce() -> Result<Spec, Failure>,
        registry: &Registry,
    ) -> Result<Self, Failure> {
        let opened = RecordReader::open(file);
        if let Err(RecordError { problem: ReadErrorKind::Foreign, .. }) = opened {
            let spec = game.cloned().map_or_else(default_game, Ok)?;
            return Self::written(file, registry.game(&spec)?, registry);
        }
        if opened.is_ok() && game.is_some() {
            return Err(Failure::usage(format!(
                "{}: a file of records names its game: leave out `game`",
                file.display()
            )));
        }
        Self::recorded(file, number, registry)
    }

    fn recorded(file: &Path, number: Option<u64>, registry: &Registry) -> Result<Self, Failure> {
        let (reader, game) = open(file, registry)?;
        let record = find(reader, file, number)?;
        let rules = WatchedGame::of(&game);
        let replayed: Result<Vec<_>, _> = catch(|| replay(&rules, &record).collect())?;
        let moves = replayed.map_err(|error| Failure::in_file(file, error))?;
        let first = catch(|| record.first(&rules))?;
        Ok(Self { number: Some(record.number), first, moves, game })
    }

    fn written(file: &Path, game: LoadedGame, registry: &Registry) -> Result<Self, Failure> {
        let text = runner_files::read_text(file)?;
        let WrittenGame { start, moves } =
            written::read(&game, &text, &file.display().to_string(), registry)?;
        let first = catch(|| Start::new(&WatchedGame::of(&game), start))?;
        Ok(Self { number: None, first, moves, game })
    }

    /// Returns the positions in which moves were made.
    pub fn positions(&self) -> Vec<State> {
        self.moves.iter().map(|made| made.state).collect()
    }
}

/// The result of a review. Serialized, it is the document of `runner analyse`.
#[derive(Serialize)]
pub struct GameReview {
    pub game: String,
    pub agent: String,
    pub number: Option<u64>,
    /// Score at the end of the game.
    pub score: f64,
    #[serde(flatten)]
    pub summary: Summary,
    pub moves: Vec<Judged>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<luck::Summary>,
}

impl GameReview {
    /// Judges the moves of a game by the analyses of [`PlayedGame::positions`].
    pub fn new(
        played: &PlayedGame,
        player: &NamedPlayer,
        analyses: &[Analysis],
        registry: &Registry,
    ) -> Result<Self, Failure> {
        let PlayedGame { game, number, first, moves } = played;
        let mut score = first.score;
        let mut made = Vec::with_capacity(moves.len());
        for &ReplayedMove { state, action, reward, chance_reward, .. } in moves {
            made.push(Made { state, action, score });
            score += f64::from(reward) + f64::from(chance_reward);
        }
        let chances = registry.chances(&game.spec, &player.spec);
        let judged = catch(|| Judged::all(game, &made, analyses, &chances))?;
        let luck = catch(|| {
            let rules = WatchedGame::of(game);
            let mut events = Events::new(Luck::of_player(game, player)?, &rules);
            let chance = moves.iter().map(|made| (made.afterstate, made.next));
            events.measure(&rules, first.state, chance, None);
            events.summary(moves.len())
        })?;
        Ok(Self {
            game: game.spec.to_string(),
            agent: player.spec.to_string(),
            number: *number,
            score,
            summary: Summary::of(&judged, MISTAKES),
            moves: judged,
            luck,
        })
    }
}
