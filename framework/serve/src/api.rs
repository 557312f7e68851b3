//! The routes of the server and their handlers. Long work runs on other threads, by [`build`].

use super::assets::{PAGE, STYLE, asset, headers, module};
use super::events::events;
use super::form::{PluginForm, plugins};
use super::guard::{Guard, Hosts, UPLOAD, UPLOAD_LIST, guard};
use super::lobby::{Listed, Lobby};
use super::offer::{Levels, Offer, playing};
use super::records::{ListedFile, listed, record_of, text_of};
use super::refusal::Refusal;
use super::room::GameOrder;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use runner_core::{Game, catch};
use runner_play::failure::Failure;
use runner_spec::Spec;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Largest number of viewers of all games together.
pub const MAX_VIEWERS: usize = 100;
/// Largest number of requests that build players at once.
pub const MAX_BUILDS: usize = 2;
/// Interval of keep-alive messages to viewers. If one cannot be sent, the viewer has disconnected.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The state that all handlers share.
pub struct Server {
    pub lobby: Lobby,
    /// Spec of the game with which a page begins.
    pub game: String,
    /// The players of the command line. A page begins with the first.
    pub agents: Vec<Spec>,
    /// The players of trained models, which a page offers too.
    pub model_players: Vec<Spec>,
    pub levels: Levels,
    /// A permit for each of [`MAX_VIEWERS`].
    pub viewers: Arc<Semaphore>,
    /// A permit for each of [`MAX_BUILDS`].
    pub builds: Arc<Semaphore>,
}

type Shared = State<Arc<Server>>;

pub fn routes(server: Server, hosts: Hosts) -> Router {
    Router::new()
        .route("/", get(|| async { asset("text/html; charset=utf-8", PAGE) }))
        .route("/program/{name}", get(script))
        .route("/style.css", get(|| async { asset("text/css; charset=utf-8", STYLE) }))
        .route("/api/start", get(start))
        .route("/api/offer", get(offer))
        .route("/api/players", get(players))
        .route("/api/games", get(games).post(open))
        .route("/api/games/{id}", post(order))
        .route("/api/games/{id}/events", get(watch))
        .route("/api/games/{id}/record", get(record))
        .route(UPLOAD, post(upload))
        .route(UPLOAD_LIST, post(list_upload))
        .fallback(|| async { Refusal::missing("there is nothing at this address") })
        .with_state(Arc::new(server))
        .layer(from_fn_with_state(Arc::new(Guard::new(hosts)), guard))
        .layer(from_fn(headers))
}

fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::wrong(format!("the request: {error}")))
}

/// Runs a task on another thread. A panic of a plugin in it becomes a refusal.
async fn run_blocking<T: Send + 'static>(
    task: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    match spawn_blocking(|| catch(task)).await {
        Ok(Ok(result)) => result,
        Ok(Err(fault)) => Err(Failure::from(fault).into()),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the request failed")),
    }
}

/// Runs a task that builds a player on another thread, when fewer than [`MAX_BUILDS`] are running.
async fn build<T: Send + 'static>(
    server: Arc<Server>,
    task: impl FnOnce(&Server) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let permit = server.builds.clone().acquire_owned().await.map_err(Refusal::busy)?;
    run_blocking(move || {
        // The task holds its permit even if the browser disconnects before it ends.
        let _permit = permit;
        task(&server)
    })
    .await
}

async fn script(Path(name): Path<String>) -> Result<Response, Refusal> {
    let text = module(&name).ok_or_else(|| Refusal::missing("there is nothing at this address"))?;
    Ok(asset("text/javascript; charset=utf-8", text))
}

/// The answer to the first request of a page.
#[derive(Serialize)]
struct Start {
    version: &'static str,
    plugins: Vec<PluginForm>,
    /// The game with which the page begins.
    game: String,
    agents: Vec<String>,
}

async fn start(State(server): Shared) -> Json<Start> {
    Json(Start {
        version: env!("CARGO_PKG_VERSION"),
        plugins: plugins(&server.lobby.registry, &server.lobby.permits),
        game: server.game.clone(),
        agents: server.agents.iter().map(Spec::to_string).collect(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameQuery {
    game: String,
}

async fn offer(
    State(server): Shared,
    Query(GameQuery { game }): Query<GameQuery>,
) -> Result<Json<Offer>, Refusal> {
    let offer = move |server: &Server| Ok(Offer::of(&server.lobby.game(&game)?, server));
    build(server, offer).await.map(Json)
}

/// Returns the names of the plugins that can play a game.
async fn players(
    State(server): Shared,
    Query(GameQuery { game }): Query<GameQuery>,
) -> Result<Json<Vec<String>>, Refusal> {
    let players = move |server: &Server| Ok(playing(&server.lobby.game(&game)?, &server.lobby));
    build(server, players).await.map(Json)
}

async fn games(State(server): Shared) -> Json<Vec<Listed>> {
    Json(server.lobby.list())
}

/// The number of a game that was opened.
#[derive(Serialize)]
struct Opened {
    id: u64,
}

/// A new game that a page asks for, with the specs of its game and player.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    game: String,
    agent: String,
    /// The position at which the game begins, as text. Without one, the rules choose it.
    state: Option<String>,
    /// Without a seed, the server takes its next one.
    seed: Option<u64>,
}

async fn open(State(server): Shared, body: Bytes) -> Result<Json<Opened>, Refusal> {
    let Wanted { game, agent, state, seed } = parse_json(&body)?;
    let open = move |server: &Server| server.lobby.open(&game, &agent, state.as_deref(), seed);
    Ok(Json(Opened { id: build(server, open).await? }))
}

/// The orders of a page that are not a [`Command`](runner_session::command::Command) of a session.
/// Both have the JSON form `{"do": NAME, ..}`; [`WISHES`] are the names of these.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Wish {
    Review,
    Position { text: String },
    Cell { cell: usize, rank: u8 },
    Agent { agent: String },
}

const WISHES: [&str; 4] = ["review", "position", "cell", "agent"];

#[derive(Deserialize)]
struct NameOfOrder {
    #[serde(rename = "do")]
    name: String,
}

async fn order(
    State(server): Shared,
    Path(id): Path<u64>,
    body: Bytes,
) -> Result<StatusCode, Refusal> {
    let room = server.lobby.room(id)?;
    let NameOfOrder { name } = parse_json(&body)?;
    let order = if WISHES.contains(&name.as_str()) {
        match parse_json(&body)? {
            Wish::Review => GameOrder::Review,
            Wish::Cell { cell, rank } => GameOrder::Edit { cell, rank },
            Wish::Position { text } => GameOrder::Begin(server.lobby.state(&room.game, &text)?),
            Wish::Agent { agent } => {
                let game = room.game.clone();
                let player =
                    build(server, move |server| Ok(server.lobby.player(&agent, &game)?)).await?;
                GameOrder::Player(Box::new(player))
            }
        }
    } else {
        GameOrder::Command(parse_json(&body)?)
    };
    room.order(order).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn watch(State(server): Shared, Path(id): Path<u64>) -> Result<Response, Refusal> {
    let room = server.lobby.room(id)?;
    let Ok(permit) = server.viewers.clone().try_acquire_owned() else {
        return Err(Refusal::busy(format!("there are {MAX_VIEWERS} viewers already")));
    };
    let stream = Sse::new(events(&room, permit));
    Ok(stream.keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

async fn record(State(server): Shared, Path(id): Path<u64>) -> Result<Response, Refusal> {
    let room = server.lobby.room(id)?;
    let bytes = room.order(GameOrder::Record).await?;
    let content_type = "application/octet-stream".to_owned();
    let disposition = format!("attachment; filename=\"game-{id}.rec\"");
    let headers = [(CONTENT_TYPE, content_type), (CONTENT_DISPOSITION, disposition)];
    Ok((headers, bytes).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UploadQuery {
    /// Spec of the player that judges the moves.
    agent: String,
    /// Spec of the game, if the upload may be a game as text. A record file names its game.
    game: Option<String>,
    /// Number of the game in a record file; the first game if it is not given.
    number: Option<u64>,
}

/// Opens a game of the record file that the browser sends, or a game as text.
async fn upload(
    State(server): Shared,
    Query(UploadQuery { agent, game, number }): Query<UploadQuery>,
    body: Bytes,
) -> Result<Json<Opened>, Refusal> {
    let open = move |server: &Server| {
        if let Some(game) = game
            && let Some(text) = text_of(&body)
        {
            return server.lobby.open_written(&game, text, &agent);
        }
        let (metadata, record) = record_of(&body, number)?;
        let game = server.lobby.game(&metadata.game)?;
        metadata.check_actions(game.rules.description()).map_err(Refusal::wrong)?;
        server.lobby.open_recorded(game, &record, &metadata.agent, &agent)
    };
    Ok(Json(Opened { id: build(server, open).await? }))
}

async fn list_upload(body: Bytes) -> Result<Json<ListedFile>, Refusal> {
    run_blocking(move || listed(&body)).await.map(Json)
}
