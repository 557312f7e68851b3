//! The requests that are answered.

use super::assets::{PAGE, STYLE, asset, headers, module};
use super::events::events;
use super::form::{PluginForm, plugins};
use super::guard::{Guard, Hosts, UPLOAD, UPLOAD_LIST, guard};
use super::lobby::{Listed, Lobby};
use super::offer::{Levels, Offer, playing};
use super::records::{ListedFile, game_of, listed, text_of};
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

/// Largest number of viewers of all games.
pub const VIEWERS: usize = 100;
/// Largest number of players that are built at once.
pub const BUILDS: usize = 2;
/// Interval of signs of life to viewers, by which the server notices that one has gone.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Everything that requests ask for.
pub struct Server {
    pub lobby: Lobby,
    /// Spec of the game with which a page begins.
    pub game: String,
    /// The players that the command line names, the first of which begins.
    pub agents: Vec<Spec>,
    /// Players of models.
    pub kept: Vec<Spec>,
    pub levels: Levels,
    /// Places of viewers.
    pub viewers: Arc<Semaphore>,
    /// Places of builds.
    pub builds: Arc<Semaphore>,
}

type Shared = State<Arc<Server>>;

pub fn routes(server: Server, hosts: Hosts) -> Router {
    Router::new()
        .route("/", get(|| async { asset("text/html; charset=utf-8", PAGE) }))
        .route("/program/{name}", get(program))
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

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::wrong(format!("the request: {error}")))
}

/// Runs a long task on another thread.
async fn run<T: Send + 'static>(
    task: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the request failed");
    spawn_blocking(|| catch(task)).await.map_err(failed)?.map_err(Failure::from)?
}

/// Runs a task that builds a player.
async fn build<T: Send + 'static>(
    server: Arc<Server>,
    task: impl FnOnce(&Server) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let place = server.builds.clone().acquire_owned().await.map_err(Refusal::busy)?;
    run(move || {
        // The task holds its place even if the browser does not wait for it.
        let _place = place;
        task(&server)
    })
    .await
}

async fn program(Path(name): Path<String>) -> Result<Response, Refusal> {
    let text = module(&name).ok_or_else(|| Refusal::missing("there is nothing at this address"))?;
    Ok(asset("text/javascript; charset=utf-8", text))
}

/// The first answer to a page.
#[derive(Serialize)]
struct Start {
    version: &'static str,
    plugins: Vec<PluginForm>,
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
struct OfGame {
    game: String,
}

async fn offer(
    State(server): Shared,
    Query(OfGame { game }): Query<OfGame>,
) -> Result<Json<Offer>, Refusal> {
    let offer = move |server: &Server| {
        let game = server.lobby.game(&game)?;
        let agents: Vec<_> = server.agents.iter().chain(&server.kept).cloned().collect();
        Ok(Offer::of(&game, server.levels, &agents, &server.lobby))
    };
    build(server, offer).await.map(Json)
}

async fn players(
    State(server): Shared,
    Query(OfGame { game }): Query<OfGame>,
) -> Result<Json<Vec<String>>, Refusal> {
    let players = move |server: &Server| Ok(playing(&server.lobby.game(&game)?, &server.lobby));
    build(server, players).await.map(Json)
}

/// A game that was opened.
#[derive(Serialize)]
struct Opened {
    id: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    game: String,
    agent: String,
    state: Option<String>,
    seed: Option<u64>,
}

async fn games(State(server): Shared) -> Json<Vec<Listed>> {
    Json(server.lobby.list())
}

async fn open(State(server): Shared, body: Bytes) -> Result<Json<Opened>, Refusal> {
    let Wanted { game, agent, state, seed } = read(&body)?;
    let open = move |server: &Server| server.lobby.open(&game, &agent, state.as_deref(), seed);
    Ok(Json(Opened { id: build(server, open).await? }))
}

/// The orders of a page that are no commands of a session.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Wish {
    Review,
    Position { text: String },
    Cell { cell: usize, rank: u8 },
    Agent { agent: String },
}

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
    let NameOfOrder { name } = read(&body)?;
    let order = if ["review", "position", "cell", "agent"].contains(&&*name) {
        match read(&body)? {
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
        GameOrder::Command(read(&body)?)
    };
    room.order(order).await.ok_or_else(gone)??;
    Ok(StatusCode::NO_CONTENT)
}

fn gone() -> Refusal {
    Refusal::busy("the game has ended, or waits for too many orders")
}

async fn watch(State(server): Shared, Path(id): Path<u64>) -> Result<Response, Refusal> {
    let room = server.lobby.room(id)?;
    let place = server.viewers.clone().try_acquire_owned();
    let place = place.map_err(|_| Refusal::busy(format!("there are {VIEWERS} viewers already")))?;
    let events = Sse::new(events(&room, place));
    Ok(events.keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)).into_response())
}

async fn record(State(server): Shared, Path(id): Path<u64>) -> Result<Response, Refusal> {
    let room = server.lobby.room(id)?;
    let bytes = room.order(GameOrder::Record).await.ok_or_else(gone)??;
    let file = format!("attachment; filename=\"game-{id}.rec\"");
    let kind = "application/octet-stream".to_owned();
    Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, file)], bytes).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedRecord {
    agent: String,
    /// Game of a text.
    game: Option<String>,
    number: Option<u64>,
}

/// Opens a game of a file or a text that the browser sends, which a player judges.
async fn upload(
    State(server): Shared,
    Query(WantedRecord { agent, game, number }): Query<WantedRecord>,
    body: Bytes,
) -> Result<Json<Opened>, Refusal> {
    let open = move |server: &Server| {
        if let Some((text, game)) = text_of(&body).zip(game) {
            return server.lobby.open_written(&game, text, &agent);
        }
        let (metadata, record) = game_of(&body, number)?;
        let game = server.lobby.game(&metadata.game)?;
        metadata.check_actions(game.rules.description()).map_err(Refusal::wrong)?;
        server.lobby.open_recorded(game, &record, &metadata.agent, &agent)
    };
    Ok(Json(Opened { id: build(server, open).await? }))
}

async fn list_upload(body: Bytes) -> Result<Json<ListedFile>, Refusal> {
    run(move || listed(&body)).await.map(Json)
}
