//! The connections: their limits, and what becomes of those that say nothing.

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use runner_console::interrupt;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, spawn, yield_now};
use tokio::time::{sleep, timeout};

/// Largest number of connections.
const CONNECTIONS: usize = 400;
/// Largest number of connections without a request. The oldest of them makes room.
const SILENT: usize = 100;
/// Time for the head of a request, and between two requests.
const HEAD: Duration = Duration::from_secs(10);
/// Interval at which an interrupt is noticed.
const TICK: Duration = Duration::from_millis(100);
/// Wait after a connection could not be accepted, for example because of too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// A connection without a request so far.
struct Silent {
    task: AbortHandle,
    has_spoken: Arc<AtomicBool>,
}

/// Accepts connections until the user interrupts the program.
pub async fn accept(listener: TcpListener, router: Router) {
    let open = Arc::new(AtomicUsize::new(0));
    let mut silent: VecDeque<Silent> = VecDeque::new();
    while !interrupt::requested() {
        let stream = match timeout(TICK, listener.accept()).await {
            Err(_) => continue,
            Ok(Err(_)) => {
                sleep(PAUSE).await;
                continue;
            }
            Ok(Ok((stream, _))) => stream,
        };
        silent.retain(|one| !one.task.is_finished() && !one.has_spoken.load(Relaxed));
        if silent.len() >= SILENT
            && let Some(oldest) = silent.pop_front()
        {
            oldest.task.abort();
        }
        if open.load(Relaxed) >= CONNECTIONS {
            continue;
        }
        let has_spoken = Arc::new(AtomicBool::new(false));
        let counted = Counted::new(&open);
        let task = spawn(serve(stream, router.clone(), has_spoken.clone(), counted));
        silent.push_back(Silent { task: task.abort_handle(), has_spoken });
        // A request that has arrived is read before the next connection is accepted.
        yield_now().await;
    }
}

/// Counts an open connection until it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Relaxed);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

async fn serve(stream: TcpStream, router: Router, has_spoken: Arc<AtomicBool>, _open: Counted) {
    // Frames are small and must not wait for more.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        has_spoken.store(true, Relaxed);
        router.call(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(16 << 10);
    // A connection that fails concerns its viewer only.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}
