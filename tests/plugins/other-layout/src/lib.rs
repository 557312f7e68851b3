//! A library that imitates one built against another `runner-plugin` with this ABI
//! version: its note is correct, and its root has other types. It imitates that crate, so
//! it depends on abi_stable, as no other crate does.

// The derive generates modules without documentation.
#![allow(missing_docs, clippy::missing_safety_doc)]

use abi_stable::StableAbi;
use abi_stable::library::{CheckTypeLayout, LibHeader, RootModule, RootModuleResult};
use abi_stable::prefix_type::{PrefixRefTrait, WithMetadata};
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RStr, RString, RVec};
use runner_plugin::note::Note;

/// Contents with other fields than the framework's.
#[repr(C)]
#[derive(StableAbi, Clone, Default)]
pub struct Contents {
    pub names: RVec<RString>,
}

/// A root whose `loaded_from` takes a number.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
pub struct Root {
    pub package: RStr<'static>,
    pub loaded_from: unsafe extern "C" fn(u64),
    #[sabi(last_prefix_field)]
    pub contents: unsafe extern "C" fn() -> RResult<Contents, RString>,
}

impl RootModule for RootRef {
    abi_stable::declare_root_module_statics! {RootRef}
    const BASE_NAME: &'static str = "runner_plugin";
    const NAME: &'static str = "runner_plugin";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("3.0.0");
}

unsafe extern "C" fn loaded_from(_: u64) {}

unsafe extern "C" fn contents() -> RResult<Contents, RString> {
    RResult::ROk(Contents::default())
}

const ROOT: &WithMetadata<Root> = &WithMetadata::new(Root {
    package: RStr::from_str("test-other-layout"),
    loaded_from,
    contents,
});

extern "C" fn construct() -> RootModuleResult {
    // SAFETY: the type is erased here; the loader checks it.
    RResult::ROk(unsafe { RootRef(ROOT.static_as_prefix()).to_prefix_ref().cast() })
}

// SAFETY: no other library of the tests exports this name.
#[unsafe(export_name = "runner_plugin_root_test_other_layout")]
// SAFETY: `construct` returns a `RootRef`.
pub static HEADER: LibHeader =
    unsafe { LibHeader::from_constructor::<RootRef>(construct, CheckTypeLayout::Yes) };

// SAFETY: no other library of the tests exports this name.
#[unsafe(export_name = "runner_plugin_note_test_other_layout")]
pub static NOTE: Note = Note::new(0);
