//! Agents: the table of functions, the functions that a library exports, and the loaded agent.

use crate::boundary::{
    Copied, Erased, Maybe, Object, Plain, Reply, Table, This, ThisMut, from_text, to_text,
};
use crate::game::{ForGame, GameRef, pass_game, with_game};
use abi_stable::StableAbi;
use abi_stable::std_types::RString;
use bytemuck::TransparentWrapper;
use runner_core::{
    Action, Agent, Analysis, Episode, Fault, Game, Pulse, Random, Seed, State, Successors, Turn,
    catch,
};

/// The functions of an agent: the methods of [`Agent`], and `play`. References are borrowed until
/// a function returns. A [`Turn`] crosses as its three fields.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E))]
pub struct AgentTable<E = Erased> {
    /// Plays one episode of the game that the agent was built for, with a seed and a stream.
    play: extern "C" fn(ThisMut<'_, E>, u64, u64, &Plain<Pulse>) -> Reply<Plain<Episode>>,
    act: extern "C" fn(
        ThisMut<'_, E>,
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        random: u64,
    ) -> Reply<Maybe<Plain<Action>>>,
    /// Returns the analysis as RON.
    analyse: extern "C" fn(
        ThisMut<'_, E>,
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        random: u64,
    ) -> Reply<RString>,
    begin: extern "C" fn(ThisMut<'_, E>, GameRef<'_>, start: Plain<State>) -> Reply<()>,
    end: extern "C" fn(ThisMut<'_, E>, GameRef<'_>, last: Plain<State>) -> Reply<()>,
    threads: extern "C" fn(This<'_, E>) -> Reply<usize>,
}

// SAFETY: `For<E>` is the same struct.
unsafe impl Table for AgentTable {
    type For<E> = AgentTable<E>;
}

impl Copied for AgentTable {}

// Exported by a library.

impl<A: Agent> AgentTable<ForGame<A>> {
    pub const EXPORTS: Self = Self { play, act, analyse, begin, end, threads };
}

extern "C" fn play<A: Agent>(
    agent: ThisMut<'_, ForGame<A>>,
    seed: u64,
    stream: u64,
    stop: &Plain<Pulse>,
) -> Reply<Plain<Episode>> {
    agent.answer(|ForGame { plugin, game }| {
        let mut random = Random::stream(Seed(seed), stream);
        Plain(runner_core::play(&**game, plugin, &mut random, &stop.0))
    })
}

extern "C" fn act<A: Agent>(
    agent: ThisMut<'_, ForGame<A>>,
    passed: GameRef<'_>,
    state: Plain<State>,
    successors: &Plain<Successors>,
    random: u64,
) -> Reply<Maybe<Plain<Action>>> {
    let turn = &Turn { state: state.0, successors: &successors.0, random };
    agent.answer(|ForGame { plugin, game: own }| {
        Maybe::from_option(with_game(own, passed, |game| plugin.act(game, turn)).map(Plain))
    })
}

extern "C" fn analyse<A: Agent>(
    agent: ThisMut<'_, ForGame<A>>,
    passed: GameRef<'_>,
    state: Plain<State>,
    successors: &Plain<Successors>,
    random: u64,
) -> Reply<RString> {
    let turn = &Turn { state: state.0, successors: &successors.0, random };
    agent.answer(|ForGame { plugin, game: own }| {
        to_text(&with_game(own, passed, |game| plugin.analyse(game, turn)))
    })
}

extern "C" fn begin<A: Agent>(
    agent: ThisMut<'_, ForGame<A>>,
    passed: GameRef<'_>,
    start: Plain<State>,
) -> Reply<()> {
    agent.answer(|ForGame { plugin, game: own }| {
        with_game(own, passed, |game| plugin.begin(game, start.0));
    })
}

extern "C" fn end<A: Agent>(
    agent: ThisMut<'_, ForGame<A>>,
    passed: GameRef<'_>,
    last: Plain<State>,
) -> Reply<()> {
    agent.answer(|ForGame { plugin, game: own }| {
        with_game(own, passed, |game| plugin.end(game, last.0));
    })
}

extern "C" fn threads<A: Agent>(agent: This<'_, ForGame<A>>) -> Reply<usize> {
    agent.answer(|agent| agent.plugin.threads())
}

/// An agent behind the plugin boundary. Calls may be for any game. The game that it was built for
/// does not cross, because the library has it; another game is borrowed for the call.
///
/// It is not `Sync`, because the agent in the library need not be.
#[derive(Clone)]
pub struct DynAgent(pub(crate) Object<AgentTable>);

impl DynAgent {
    /// Plays one episode on the side where it is fastest; the result is the same. If the agent was
    /// built for this game and the game has row tables, the agent's library has a copy of them and
    /// plays without further calls across the boundary. Otherwise the moves are made here.
    pub fn play<G: Game>(
        &mut self,
        game: &G,
        seed: Seed,
        stream: u64,
        stop: &Pulse,
    ) -> Result<Episode, Fault> {
        let is_built_for_game = pass_game(game, self.0.built_for, |game| game.is_none());
        catch(|| {
            if is_built_for_game && game.tables().is_some() {
                let stop = Plain::wrap_ref(stop);
                self.0.ask_mut(|vtable, this| (vtable.play)(this, seed.0, stream, stop)).0
            } else {
                let mut random = Random::stream(seed, stream);
                runner_core::play(game, self, &mut random, stop)
            }
        })
    }
}

#[warn(clippy::missing_trait_methods)]
impl Agent for DynAgent {
    #[inline]
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let (state, successors) = (Plain(turn.state), Plain::wrap_ref(turn.successors));
        let action = pass_game(game, self.0.built_for, |game| {
            self.0.ask_mut(|vtable, this| (vtable.act)(this, game, state, successors, turn.random))
        });
        action.into_option().map(|Plain(action)| action)
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let (state, successors) = (Plain(turn.state), Plain::wrap_ref(turn.successors));
        from_text(&pass_game(game, self.0.built_for, |game| {
            self.0.ask_mut(|vtable, this| {
                (vtable.analyse)(this, game, state, successors, turn.random)
            })
        }))
    }

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        pass_game(game, self.0.built_for, |game| {
            self.0.ask_mut(|vtable, this| (vtable.begin)(this, game, Plain(start)));
        });
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        pass_game(game, self.0.built_for, |game| {
            self.0.ask_mut(|vtable, this| (vtable.end)(this, game, Plain(last)));
        });
    }

    fn threads(&self) -> usize {
        self.0.ask(|vtable, this| (vtable.threads)(this))
    }
}
