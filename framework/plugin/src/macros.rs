//! The macro [`export_plugin!`](crate::export_plugin), which makes a crate a plugin library.

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
/// "rlib"]`: `runner` loads the `cdylib`; tests and other programs link the `rlib`.
///
/// The macro also defines the function `plugin()`. A program that links the crate passes its result
/// to [`linked`](crate::linked).
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
        pub fn plugin() -> $crate::RootRef {
            __runner_plugin::root()
        }

        #[doc(hidden)]
        #[allow(unsafe_code, unused_mut, unused_imports)]
        mod __runner_plugin {
            use super::*;
            use $crate::__private as p;

            extern "C" fn contents() -> p::Reply<p::RVec<p::PluginEntry>> {
                p::list(|| {
                    vec![
                        $($(p::entry::<$game>(p::Builder::Game(p::build_game::<$game>)),)*)?
                        $($(p::entry::<$value>(p::Builder::Value(p::build_value::<$value>)),)*)?
                        $($(p::entry::<$learner>(p::Builder::Learner(
                            p::build_learner::<$learner>,
                            p::foreign::<$learner>,
                        )),)*)?
                        $($(p::entry::<$agent>(p::Builder::Agent(p::build_agent::<$agent>)),)*)?
                    ]
                })
            }

            const ROOT: &p::WithMetadata<p::Root> = &p::WithMetadata::new(p::Root {
                package: p::RStr::from_str(env!("CARGO_PKG_NAME")),
                loaded_from: p::loaded_from,
                contents,
            });

            pub(super) fn root() -> $crate::RootRef {
                p::root_ref(ROOT)
            }

            extern "C" fn construct() -> p::RootModuleResult {
                p::root_module_result(root())
            }

            // SAFETY: the symbol contains this crate's name, so it is unique. `construct` returns
            // a `RootRef`.
            #[unsafe(export_name = concat!("runner_plugin_root_", env!("CARGO_CRATE_NAME")))]
            pub static HEADER: p::LibHeader = unsafe { p::header(construct) };

            // SAFETY: the symbol contains this crate's name, so it is unique.
            #[unsafe(export_name = concat!("runner_plugin_note_", env!("CARGO_CRATE_NAME")))]
            pub static NOTE: $crate::note::Note = $crate::note::Note::OF_THIS_BUILD;
        }
    };
}

/// The items that the macro uses. The crate of a plugin does not depend on abi_stable.
#[doc(hidden)]
pub mod private {
    pub use crate::boundary::Reply;
    pub use crate::library::{
        Builder, PluginEntry, Root, build_agent, build_game, build_learner, build_value, entry,
        foreign, list,
    };
    pub use crate::panics::loaded_from;
    pub use abi_stable::library::{LibHeader, RootModuleResult};
    pub use abi_stable::prefix_type::WithMetadata;
    pub use abi_stable::std_types::{RStr, RVec};

    use crate::library::RootRef;
    use abi_stable::library::CheckTypeLayout;
    use abi_stable::prefix_type::PrefixRefTrait;
    use abi_stable::std_types::RResult;

    pub fn root_ref(root: &'static WithMetadata<Root>) -> RootRef {
        RootRef(root.static_as_prefix())
    }

    /// Returns the root with its type erased, as the header of a library gives it to the loader.
    pub fn root_module_result(root: RootRef) -> RootModuleResult {
        // SAFETY: the loader casts it back to `RootRef`, after it has compared the layout.
        RResult::ROk(unsafe { root.to_prefix_ref().cast() })
    }

    /// # Safety
    ///
    /// `construct` must return a `RootRef`.
    pub const unsafe fn header(construct: extern "C" fn() -> RootModuleResult) -> LibHeader {
        // SAFETY: the caller's promise.
        unsafe { LibHeader::from_constructor::<RootRef>(construct, CheckTypeLayout::Yes) }
    }
}
