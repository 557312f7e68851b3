//! The connections. `axum::serve` would let a connection that says nothing stay open for ever.

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

/// Largest number of connections without a request. The oldest of them makes room.
const SILENT: usize = 100;
/// Time for the head of a request, and between two requests.
const HEAD: Duration = Duration::from_secs(10);
/// Interval at which the stop flag is read.
const TICK: Duration = Duration::from_millis(100);
/// Wait after a connection could not be accepted, for example because of too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until `stop` is set.
pub async fn accept(listener: TcpListener, router: Router, stop: &AtomicBool) {
    let mut silent: VecDeque<(AbortHandle, Arc<AtomicBool>)> = VecDeque::new();
    while !stop.load(Relaxed) {
        let stream = match timeout(TICK, listener.accept()).await {
            Err(_) => continue,
            Ok(Err(_)) => {
                sleep(PAUSE).await;
                continue;
            }
            Ok(Ok((stream, _))) => stream,
        };
        silent.retain(|(task, has_spoken)| !task.is_finished() && !has_spoken.load(Relaxed));
        if silent.len() >= SILENT
            && let Some((oldest, _)) = silent.pop_front()
        {
            oldest.abort();
        }
        let has_spoken = Arc::new(AtomicBool::new(false));
        let task = spawn(serve(stream, router.clone(), has_spoken.clone()));
        silent.push_back((task.abort_handle(), has_spoken));
        // A request that has arrived is read before the next connection is accepted.
        yield_now().await;
    }
}

async fn serve(stream: TcpStream, router: Router, has_spoken: Arc<AtomicBool>) {
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
