//! x
use agent_ntuple::credit::{Backward, Credit, Delayed, Forward};
use agent_ntuple::memory::Region;
use agent_ntuple::network::{Lookup, Network};
use agent_ntuple::rule::{Rule, Tc, TcWide, Td};
use agent_ntuple::schedule::Schedule;
use agent_ntuple::trainer::{Life, Training};
use game_2048::{Config, Game2048};
use runner_core::{Budget, Control, Game, GamePlugin, Host, Seed, Session, SingleThread};

struct Two;
impl Host for Two {
    fn threads(&self) -> usize {
        2
    }
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|s| {
            for k in 0..n {
                s.spawn(move || task(k));
            }
        });
    }
    fn value(
        &self,
        s: &runner_core::Spec,
    ) -> Result<std::sync::Arc<dyn runner_core::Value>, runner_core::BuildError> {
        SingleThread.value(s)
    }
}

fn run<R: Rule>(
    name: &str,
    net: &str,
    rule: impl Fn(usize) -> R,
    credit: &dyn Credit<R>,
    budget: Budget,
    host: &dyn Host,
) {
    let game = Game2048::new(Config::default()).unwrap();
    let board = game.description().geometry.clone().unwrap();
    let network = Network::read(net, &board).unwrap();
    let lookup = Lookup::new(&network, &board).unwrap();
    let weights = Region::<agent_ntuple::rule::Weight>::new(lookup.weights()).unwrap();
    let memory = Region::<R::Memory>::new(lookup.weights()).unwrap();
    if std::env::var("TOUCH").is_ok() {
        for w in weights.iter() {
            w.set(0.0);
        }
        for w in memory.iter() {
            use agent_ntuple::rule::Memory;
            if R::Memory::WORDS > 0 {
                w.set_word(0, 0);
            }
        }
    }
    let table = unsafe {
        agent_ntuple::rule::Table {
            weights: agent_ntuple::memory::Cells::new(&weights, &lookup),
            memory: agent_ntuple::memory::Cells::new(&memory, &lookup),
        }
    };
    let rule = rule(lookup.per_position());
    let mut life = Life::default();
    let report = |_: &runner_core::Progress| Control::Continue;
    let chunk = budget;
    let session = Session { budget: chunk, plan: chunk, seed: Seed(1), host, report: &report };
    let t = std::time::Instant::now();
    let p = Training::run(&game, table, &lookup, rule, credit, &session, &mut life).unwrap();
    println!(
        "{name} {net}: {:.3} M moves/s, {} games, {} moves, mean of last {}: {:.0}",
        p.moves as f64 / t.elapsed().as_secs_f64() / 1e6,
        p.episodes,
        p.moves,
        p.window,
        p.mean
    );
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |s: &str| args.iter().any(|a| a == s);
    let arg = |s: &str| {
        args.iter()
            .position(|a| a == s)
            .and_then(|i| args.get(i + 1))
            .and_then(|v| v.parse::<u64>().ok())
    };
    let budget = Budget { episodes: arg("-e"), moves: arg("-m"), ..Default::default() };
    let host: &dyn Host = if has("two") { &Two } else { &SingleThread };
    let net = if has("8x6") { "8x6" } else { "4x6" };
    let one = Schedule::Constant(1.0);
    if has("tc") {
        run(
            "tc",
            net,
            |n| Tc::new(one, None, n),
            &Forward { lambda: 0.0, horizon: 0 },
            budget,
            host,
        );
    }
    if has("tcw") {
        run(
            "tcw",
            net,
            |n| TcWide::new(one, n),
            &Forward { lambda: 0.0, horizon: 0 },
            budget,
            host,
        );
    }
    if has("td") {
        run(
            "td",
            net,
            |n| Td::new(Schedule::Constant(0.1), n),
            &Forward { lambda: 0.0, horizon: 0 },
            budget,
            host,
        );
    }
    if has("tc5") {
        run(
            "tc5",
            net,
            |n| Tc::new(one, None, n),
            &Forward { lambda: 0.5, horizon: 3 },
            budget,
            host,
        );
    }
    if has("dtc5") {
        run(
            "dtc5",
            net,
            |n| Tc::new(one, None, n),
            &Delayed { lambda: 0.5, horizon: 3 },
            budget,
            host,
        );
    }
    if has("back") {
        run("back", net, |n| Tc::new(one, None, n), &Backward, budget, host);
    }
}
