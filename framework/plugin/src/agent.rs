//! Agents: the table of functions, the functions that a library exports, and the loaded agent.

use crate::boundary::{
    Call, Maybe, Object, Out, Plain, Target, This, answer, answer_mut, from_text, perform_mut,
    to_text, try_ask,
};
use crate::game::{ForGame, GameRef, pass_game, with_game};
use abi_stable::StableAbi;
use abi_stable::std_types::RString;
use bytemuck::TransparentWrapper;
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, Episode, Fault, Game, Pulse, Random, Seed, State,
    Successors, Turn, catch,
};

/// The functions of an agent: the methods of [`Agent`]. Each takes the pointer of the object
/// first, and writes its result through its last argument, unless it fails. References are borrowed
/// until it returns. One thread at a time uses an agent.
#[repr(C)]
#[derive(StableAbi)]
pub struct AgentTable {
    /// Plays one whole game of a seed and a stream with the game that the agent was built for.
    pub play: extern "C" fn(This, u64, u64, &Plain<Pulse>, Out<'_, Plain<Episode>>) -> Call,
    /// Writes the chosen action for a state, its legal actions and 64 random bits; none ends the
    /// game.
    pub act: extern "C" fn(
        This,
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        u64,
        Out<'_, Maybe<Plain<Action>>>,
    ) -> Call,
    /// Writes the analysis of a position, as RON. The arguments are those of `act`.
    pub analyse: extern "C" fn(
        This,
        GameRef<'_>,
        Plain<State>,
        &Plain<Successors>,
        u64,
        Out<'_, RString>,
    ) -> Call,
    /// Called before the first action of a game, which starts with this state.
    pub begin: extern "C" fn(This, GameRef<'_>, Plain<State>) -> Call,
    /// Called after the last action of a game, which ends with this state.
    pub end: extern "C" fn(This, GameRef<'_>, Plain<State>) -> Call,
    /// Writes the number of threads that one decision uses.
    pub threads: extern "C" fn(This, Out<'_, usize>) -> Call,
}

// Exported by a library.

extern "C" fn play<A: Agent>(
    this: This,
    seed: u64,
    stream: u64,
    Plain(stop): &Plain<Pulse>,
    out: Out<'_, Plain<Episode>>,
) -> Call {
    answer_mut(this, out, |ForGame { plugin, game }: &mut ForGame<A>| {
        let mut random = Random::stream(Seed(seed), stream);
        Plain(runner_core::play(game, plugin, &mut random, stop))
    })
}

extern "C" fn act<A: Agent>(
    this: This,
    game: GameRef<'_>,
    Plain(state): Plain<State>,
    Plain(successors): &Plain<Successors>,
    random: u64,
    out: Out<'_, Maybe<Plain<Action>>>,
) -> Call {
    let turn = &Turn { state, successors, random };
    answer_mut(this, out, |ForGame { plugin, game: own }: &mut ForGame<A>| {
        let action = match game {
            None => plugin.act(own, turn),
            Some(game) => with_game(game, |game| plugin.act(game, turn)),
        };
        Maybe::of(action.map(Plain))
    })
}

extern "C" fn analyse<A: Agent>(
    this: This,
    game: GameRef<'_>,
    Plain(state): Plain<State>,
    Plain(successors): &Plain<Successors>,
    random: u64,
    out: Out<'_, RString>,
) -> Call {
    let turn = &Turn { state, successors, random };
    answer_mut(this, out, |ForGame { plugin, game: own }: &mut ForGame<A>| {
        let analysis = match game {
            None => plugin.analyse(own, turn),
            Some(game) => with_game(game, |game| plugin.analyse(game, turn)),
        };
        to_text(&analysis)
    })
}

extern "C" fn begin<A: Agent>(this: This, game: GameRef<'_>, Plain(start): Plain<State>) -> Call {
    perform_mut(this, |ForGame { plugin, game: own }: &mut ForGame<A>| match game {
        None => plugin.begin(own, start),
        Some(game) => with_game(game, |game| plugin.begin(game, start)),
    })
}

extern "C" fn end<A: Agent>(this: This, game: GameRef<'_>, Plain(last): Plain<State>) -> Call {
    perform_mut(this, |ForGame { plugin, game: own }: &mut ForGame<A>| match game {
        None => plugin.end(own, last),
        Some(game) => with_game(game, |game| plugin.end(game, last)),
    })
}

extern "C" fn threads<A: Agent>(this: This, out: Out<'_, usize>) -> Call {
    answer(this, out, |agent: &ForGame<A>| agent.plugin.threads())
}

impl<A: AgentPlugin> Target<ForGame<A>> {
    const AGENT: &'static AgentTable = &AgentTable {
        play: play::<A>,
        act: act::<A>,
        analyse: analyse::<A>,
        begin: begin::<A>,
        end: end::<A>,
        threads: threads::<A>,
    };

    /// Creates the object of an agent that was built for the game object `game`.
    pub fn into_agent(self, game: This) -> Object<AgentTable> {
        // SAFETY: the table is one for a `ForGame<A>`.
        unsafe { Object::copied(self, Self::AGENT, game) }
    }
}

/// An agent behind the plugin boundary. It plays the game that it is given: its own without a
/// detour, any other one through an object that it borrows.
///
/// It is not `Sync`, so that one thread at a time uses it, `clone` and `threads` included.
#[derive(Clone)]
pub struct DynAgent(pub(crate) Object<AgentTable>);

impl DynAgent {
    /// Plays one whole game where that is fastest. If the game has tables, as the agent then has
    /// on its side, the agent's library runs the loop and nothing crosses the boundary; otherwise
    /// the loop runs here. The result is the same.
    pub fn play<G: Game>(
        &mut self,
        game: &G,
        seed: Seed,
        stream: u64,
        stop: &Pulse,
    ) -> Result<Episode, Fault> {
        let is_own = pass_game(game, self.0.game, |game| game.is_none());
        if game.tables().is_none() || !is_own {
            let mut random = Random::stream(seed, stream);
            return catch(|| runner_core::play(game, self, &mut random, stop));
        }
        let (play, this, stop) = (self.0.table.play, self.0.this, Plain::wrap_ref(stop));
        try_ask(|out| play(this, seed.0, stream, stop, out)).map(|Plain(played)| played)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Agent for DynAgent {
    #[inline]
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let (state, list, random) =
            (Plain(turn.state), Plain::wrap_ref(turn.successors), turn.random);
        let action = pass_game(game, self.0.game, |game| {
            self.0.ask(|agent, this, out| (agent.act)(this, game, state, list, random, out))
        });
        action.open().map(|Plain(action)| action)
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let (state, list, random) =
            (Plain(turn.state), Plain::wrap_ref(turn.successors), turn.random);
        let analysis = pass_game(game, self.0.game, |game| {
            self.0.ask(|agent, this, out| (agent.analyse)(this, game, state, list, random, out))
        });
        from_text(&analysis)
    }

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        pass_game(game, self.0.game, |game| {
            self.0.call(|agent, this| (agent.begin)(this, game, Plain(start)));
        });
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        pass_game(game, self.0.game, |game| {
            self.0.call(|agent, this| (agent.end)(this, game, Plain(last)));
        });
    }

    fn threads(&self) -> usize {
        self.0.ask(|agent, this, out| (agent.threads)(this, out))
    }
}
