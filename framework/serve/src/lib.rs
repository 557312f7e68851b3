//! Shows games in a browser: played by an agent or a person, or recorded.
//!
//! `guard` refuses foreign requests, and `api` answers the others. `lobby` holds the open games.
//! Each is a `room` with its own thread. `events` streams its `frame` and `review` to viewers.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod api;
mod assets;
mod connections;
mod events;
mod form;
mod frame;
mod guard;
mod lobby;
mod offer;
mod permits;
mod records;
mod refusal;
mod review;
mod room;

use api::{MAX_BUILDS, MAX_VIEWERS, Server, routes};
use guard::Hosts;
use lobby::Lobby;
use offer::Levels;
use permits::Permits;
use runner_core::Seed;
use runner_play::failure::Failure;
use runner_play::registry::Registry;
use runner_play::threads::Threads;
use runner_spec::Spec;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::Semaphore;

/// Largest number of threads for tasks that take long, such as building a player.
const MAX_TASK_THREADS: usize = 16;

pub struct Setup {
    pub address: IpAddr,
    /// Port; 0 is any that is free.
    pub port: u16,
    /// Names for which the server answers, beside `localhost` and addresses.
    pub hosts: Vec<String>,
    /// The game with which a page begins.
    pub game: Spec,
    /// The players of the command line. A page begins with the first.
    pub agents: Vec<Spec>,
    /// The players of trained models, which a page offers too.
    pub model_players: Vec<Spec>,
    pub levels: Levels,
    pub seed: Seed,
    /// The threads of players.
    pub threads: Threads,
    pub flags: Flags,
}

/// The options of the command line that messages name.
pub struct Flags {
    pub address: &'static str,
    pub port: &'static str,
    pub host: &'static str,
    pub agent: &'static str,
}

/// Serves until `stop` is set. `opened` receives the address once the server listens.
pub fn serve(
    setup: Setup,
    registry: &Arc<Registry>,
    stop: &AtomicBool,
    opened: impl FnOnce(SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Setup { address, port, hosts, game, agents, model_players, levels, seed, threads, flags } =
        setup;
    let permits = Permits::of(agents.iter().chain(&model_players).chain([&game]), flags.agent);
    let lobby = Lobby::new(registry.clone(), permits, threads, seed);
    // A wrong game is refused before the first page is opened.
    lobby.game(&game.to_string())?;
    let server = Server {
        lobby,
        game: game.to_string(),
        agents,
        model_players,
        levels,
        viewers: Arc::new(Semaphore::new(MAX_VIEWERS)),
        builds: Arc::new(Semaphore::new(MAX_BUILDS)),
    };
    let wanted_address = SocketAddr::new(address, port);
    let cannot_listen = |error: io::Error| {
        let advice = match error.kind() {
            ErrorKind::AddrNotAvailable => {
                format!("name an address of this machine with {}", flags.address)
            }
            _ => format!("choose another port with {}", flags.port),
        };
        Failure::failed(format!("cannot listen at {wanted_address}: {error}; {advice}"))
    };
    let listener = TcpListener::bind(wanted_address).map_err(cannot_listen)?;
    listener.set_nonblocking(true).map_err(cannot_listen)?;
    let bound_address = listener.local_addr().map_err(cannot_listen)?;
    let hosts = Hosts { loopback: address.is_loopback(), names: hosts, flag: flags.host };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_TASK_THREADS)
        .build()
        .map_err(|error| Failure::failed(format!("cannot start the server: {error}")))?;
    opened(bound_address)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(cannot_listen)?;
        connections::accept(listener, routes(server, hosts), stop).await;
        Ok::<_, Failure>(())
    })?;
    // Does not wait for tasks, because a player may think for a long time.
    runtime.shutdown_background();
    Ok(())
}
