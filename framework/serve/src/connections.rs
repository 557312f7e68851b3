//! Accepts connections, and closes those that send nothing. `axum::serve` would keep them for ever.

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, spawn, yield_now};
use tokio::time::{sleep, timeout};

/// Largest number of connections that have sent no request. A further one closes the oldest.
const MAX_SILENT: usize = 100;
/// Longest time for the head of a request, and between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// Interval at which the stop flag is read.
const STOP_INTERVAL: Duration = Duration::from_millis(100);
/// Pause after a connection could not be accepted, for example because of too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// A connection that has perhaps sent no request yet.
struct NewConnection {
    task: AbortHandle,
    /// Set by the first request.
    has_sent: Arc<AtomicBool>,
}

/// Accepts connections until `stop` is set.
pub async fn accept(listener: TcpListener, router: Router, stop: &AtomicBool) {
    let mut silent: VecDeque<NewConnection> = VecDeque::new();
    while !stop.load(Relaxed) {
        let stream = match timeout(STOP_INTERVAL, listener.accept()).await {
            Err(_) => continue,
            Ok(Err(_)) => {
                sleep(PAUSE).await;
                continue;
            }
            Ok(Ok((stream, _))) => stream,
        };
        silent.retain(|one| !one.task.is_finished() && !one.has_sent.load(Relaxed));
        if silent.len() >= MAX_SILENT
            && let Some(oldest) = silent.pop_front()
        {
            oldest.task.abort();
        }
        let has_sent = Arc::new(AtomicBool::new(false));
        let task = spawn(serve(stream, router.clone(), has_sent.clone())).abort_handle();
        silent.push_back(NewConnection { task, has_sent });
        // Lets the task read a request that has arrived, before a further connection closes it.
        yield_now().await;
    }
}

async fn serve(stream: TcpStream, router: Router, has_sent: Arc<AtomicBool>) {
    // A small frame must not wait until a packet is full.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        has_sent.store(true, Relaxed);
        router.call(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD);
    // If a connection fails, its viewer notices; the server continues.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}
