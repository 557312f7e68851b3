//! The macro that makes a crate a plugin.

/// Exports games, values, learners and agents as a plugin library.
///
/// ```ignore
/// runner_plugin::export_plugin! {
///     games: [Pig],
///     agents: [HoldAtTwenty],
/// }
/// ```
///
/// The types implement [`GamePlugin`](runner_core::GamePlugin),
/// [`ValuePlugin`](runner_core::ValuePlugin), [`LearnerPlugin`](runner_core::LearnerPlugin) or
/// [`AgentPlugin`](runner_core::AgentPlugin). The crate is built with `crate-type = ["cdylib",
/// "rlib"]`: the first is what `runner` loads, the second lets tests and other programs link it. In
/// its `rlib` form the crate has a function `plugin()`, whose result a program that links the crate passes to
/// [`linked`](crate::linked).
#[macro_export]
macro_rules! export_plugin {
    (
        $(games: [$($game:ty),* $(,)?] $(,)?)?
        $(values: [$($value:ty),* $(,)?] $(,)?)?
        $(learners: [$($learner:ty),* $(,)?] $(,)?)?
        $(agents: [$($agent:ty),* $(,)?] $(,)?)?
    ) => {
        /// This crate's plugins, for programs that link them.
        #[must_use]
        pub fn plugin() -> &'static $crate::Library {
            &__runner_plugin::LIBRARY
        }

        #[doc(hidden)]
        #[allow(unsafe_code, unused_mut, unused_imports)]
        mod __runner_plugin {
            use super::*;
            use $crate::__private as p;

            unsafe extern "C" fn contents(
                out: *mut $crate::abi::Contents,
            ) -> $crate::abi::call::Call {
                let contents = || {
                    vec![
                        $($(p::game_entry::<$game>(),)*)?
                        $($(p::value_entry::<$value>(),)*)?
                        $($(p::learner_entry::<$learner>(),)*)?
                        $($(p::agent_entry::<$agent>(),)*)?
                    ]
                    .into()
                };
                // SAFETY: the caller passes a place for the contents.
                unsafe { p::respond::<p::Listed, $crate::abi::Contents>(out, contents) }
            }

            // SAFETY: the symbol contains this crate's name, and no other code exports it.
            #[unsafe(export_name = concat!("runner_plugin_note_", env!("CARGO_CRATE_NAME")))]
            pub static LIBRARY: $crate::Library = $crate::Library {
                note: $crate::note::Note::OF_THIS_BUILD,
                package: p::Slice::text(env!("CARGO_PKG_NAME")),
                loaded_from: p::loaded_from,
                contents,
                extension: p::no_extension,
            };
        }
    };
}

/// Items that the macro uses in other crates; not for direct use.
#[doc(hidden)]
pub mod private {
    pub use crate::abi::cross::respond;
    pub use crate::abi::data::Slice;
    pub use crate::export::{agent_entry, game_entry, learner_entry, value_entry};
    pub use crate::guard::loaded_from;

    use crate::guard::Labelled;

    /// The function [`Library::extension`](crate::Library) of a library without extensions.
    pub unsafe extern "C" fn no_extension(_: u64) -> *const u8 {
        std::ptr::null()
    }

    /// The function that lists what a library exports.
    pub struct Listed;

    impl Labelled for Listed {
        fn label() -> String {
            "the plugin's list of contents".into()
        }
    }
}
