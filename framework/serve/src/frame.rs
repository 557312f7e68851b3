//! The view of a game, which becomes JSON for the page: [`About`] is constant until the player is
//! replaced, and there is a [`Frame`] for each position.

use runner_core::{Action, Analysis, Description, Fact, Game};
use runner_play::analysis::facts_as_map;
use runner_play::brief;
use runner_play::chances::Chances;
use runner_play::grades::{Grade, Graded};
use runner_play::position::Form;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::watched::WatchedGame;
use runner_session::session::{self, Mover, SPEEDS, Session};
use runner_session::timeline::{Move, Timeline};
use serde::Serialize;

/// The part that does not change with the position.
#[derive(Serialize)]
pub struct About {
    /// Spec of the game without defaults.
    game: String,
    /// Spec of the player without defaults; empty if there is no player.
    agent: String,
    /// The player in words; empty if there is no player.
    player: String,
    /// The agent that played a recorded game, in words. The player judges its moves.
    recorded: Option<String>,
    /// Names of the actions.
    actions: Vec<String>,
    board: Option<Board>,
    /// The tile that counts as a win.
    goal: Option<u64>,
    /// [`SPEEDS`] in moves per second; `None` is full speed.
    speeds: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct Board {
    rows: usize,
    cols: usize,
    /// The displayed value of every rank.
    values: Vec<u64>,
}

impl About {
    pub fn of(session: &Session, registry: &Registry) -> Self {
        let description = session.game().rules.description();
        let player = session.player().map(|named| &named.spec);
        let recorded = session.recorded_agent().map(|agent| match agent.parse() {
            Ok(spec) => brief::words(&spec),
            Err(_) => agent.to_owned(),
        });
        Self {
            game: brief::game(&session.game().spec, registry).to_string(),
            agent: player.map_or_else(String::new, |p| brief::player(p, registry).to_string()),
            player: player.map_or_else(String::new, brief::words),
            recorded,
            actions: description.actions.clone(),
            board: description.geometry.as_ref().map(|board| Board {
                rows: board.rows,
                cols: board.cols,
                values: board.values.clone(),
            }),
            goal: description.goal,
            speeds: SPEEDS.iter().map(|&speed| Some(speed).filter(|s| s.is_finite())).collect(),
        }
    }
}

/// The part for the position at the cursor.
#[derive(Serialize)]
pub struct Frame {
    /// Number of moves before the position.
    at: usize,
    /// Number of moves of the game.
    moves: usize,
    score: f64,
    /// The luck of the moves, if it is known.
    luck: Option<String>,
    /// The position as text.
    text: String,
    /// The position with a hexadecimal digit for each cell, if that is possible.
    hex: Option<String>,
    /// The ranks of the cells, row by row; empty if the game has no board.
    cells: Vec<u8>,
    /// Fields beside the board: the name, the text, and the rank if the field is a tile.
    fields: Vec<(String, String, Option<u8>)>,
    legal: Vec<Action>,
    last: Option<LastMove>,
    next: Option<NextMove>,
    opinion: Option<Opinion>,
    thinking: bool,
    /// True if a person makes the moves.
    person: bool,
    /// True if a person has made all moves since the start: the page keeps the best such score.
    own: bool,
    paused: bool,
    /// Index in [`SPEEDS`].
    speed: usize,
    /// Moves per second that the player has reached.
    measured: Option<f64>,
    over: bool,
    max_tile: Option<u64>,
    message: String,
    /// The player's opinion of the move before the position, if a person made it.
    verdict: Option<Verdict>,
}

/// The move before the position, for its animation.
#[derive(Serialize)]
struct LastMove {
    action: Action,
    /// The cells of the state and of the afterstate.
    before: Vec<u8>,
    after: Vec<u8>,
}

/// The move after the position, if the cursor is not at the end of the game.
#[derive(Serialize)]
struct NextMove {
    action: Action,
    /// How much less the action is worth than the player's choice.
    loss: Option<f32>,
    grade: Option<Grade>,
}

/// The player's analysis of the position.
#[derive(Serialize)]
struct Opinion {
    choice: Option<Action>,
    values: Vec<(Action, f32)>,
    /// The grade of each of `values`, if the values are points.
    grades: Vec<Option<Grade>>,
    /// The next large tiles with their chances as text; empty if they are not known.
    chances: Vec<(u64, String)>,
    #[serde(serialize_with = "facts_as_map")]
    facts: Vec<(String, Fact)>,
    /// Time that the player took.
    seconds: f64,
}

/// The player's opinion of a move of a person.
#[derive(Clone, Serialize)]
pub struct Verdict {
    pub action: Action,
    best: Action,
    /// How much less the action is worth than the best; `None` if the player gives no values.
    loss: Option<f32>,
    grade: Option<Grade>,
}

impl Verdict {
    /// Returns `None` if the player chose nothing. `score` is the score before the action.
    pub fn of(analysis: &Analysis, score: f64, action: Action) -> Option<Self> {
        let best = analysis.choice?;
        let loss = analysis.loss(best, action);
        Some(Self { action, best, loss, grade: grade(analysis, score, action) })
    }
}

fn grade(analysis: &Analysis, score: f64, action: Action) -> Option<Grade> {
    Graded::of(analysis, score, action).map(|graded| graded.grade)
}

impl NextMove {
    fn new(action: Action, analysis: Option<&Analysis>, score: f64) -> Self {
        let loss = analysis.and_then(|analysis| analysis.loss(analysis.choice?, action));
        let grade = analysis.and_then(|analysis| grade(analysis, score, action));
        Self { action, loss, grade }
    }
}

impl Opinion {
    fn new(
        opinion: &session::Opinion,
        description: &Description,
        score: f64,
        chances: &Chances,
    ) -> Self {
        let analysis = &opinion.analysis;
        let values = &analysis.action_values;
        let chances = chances.at(description.geometry.as_ref(), opinion.state, analysis);
        Self {
            choice: analysis.choice,
            values: values.clone(),
            grades: values.iter().map(|&(action, _)| grade(analysis, score, action)).collect(),
            chances: chances.iter().map(|chance| (chance.tile, chance.percent())).collect(),
            facts: analysis.facts.clone(),
            seconds: opinion.elapsed.as_secs_f64(),
        }
    }
}

impl Frame {
    /// Returns the view of a session. `is_from_start` is false if a person chose the position at
    /// which the game began. Panics if the rules of the game do.
    pub fn of(
        session: &Session,
        verdict: Option<&Verdict>,
        is_from_start: bool,
        chances: &Chances,
    ) -> Self {
        let (game, timeline) = (session.game(), session.timeline());
        let rules = WatchedGame::of(game);
        let description = game.rules.description();
        let (state, score) = (timeline.state(), timeline.score());
        let opinion = session.opinion().filter(|opinion| opinion.state == state);
        let analysis = opinion.map(|opinion| &opinion.analysis);
        Self {
            at: timeline.at(),
            moves: timeline.moves(),
            score,
            luck: session.luck().map(|luck| luck.to_string()),
            text: rules.write(state),
            hex: Form::Hex.write(game, state).ok(),
            cells: cells(description, state.bits()),
            fields: fields(description, state.bits()),
            legal: session.legal().iter().map(|legal| legal.action).collect(),
            last: last_move(game, timeline),
            next: timeline.next_move().map(|next| NextMove::new(next.action, analysis, score)),
            opinion: opinion.map(|opinion| Opinion::new(opinion, description, score, chances)),
            thinking: session.is_thinking(),
            person: session.mover() == Mover::Person,
            own: is_from_start && timeline.is_of_person(),
            paused: session.is_paused(),
            speed: SPEEDS.iter().position(|&speed| speed == session.speed()).unwrap_or(0),
            measured: session.measured(),
            over: session.is_over(),
            max_tile: rules.max_tile(state),
            message: session.message(),
            verdict: verdict.cloned(),
        }
    }
}

fn cells(description: &Description, bits: u128) -> Vec<u8> {
    let Some(board) = &description.geometry else { return Vec::new() };
    (0..board.cells()).map(|cell| board.rank(bits, cell)).collect()
}

fn fields(description: &Description, bits: u128) -> Vec<(String, String, Option<u8>)> {
    let Some(board) = &description.geometry else { return Vec::new() };
    let fields = board.shown_fields(bits).into_iter();
    fields.map(|(name, text, rank)| (name.to_owned(), text.to_owned(), rank)).collect()
}

fn last_move(game: &LoadedGame, timeline: &Timeline) -> Option<LastMove> {
    let description = game.rules.description();
    let Move { action, afterstate, .. } = *timeline.last_move()?;
    let before = timeline.state_at(timeline.at() - 1);
    Some(LastMove {
        action,
        before: cells(description, before.bits()),
        after: cells(description, afterstate.bits()),
    })
}
