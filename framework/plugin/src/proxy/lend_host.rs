//! The functions of a host object on the program's side, and the object of a host that is
//! borrowed for one call.

use crate::abi::This;
use crate::abi::build::{BuildRefused, Span};
use crate::abi::call::Call;
use crate::abi::extension::ExtensionHeader;
use crate::abi::game::GameObject;
use crate::abi::objects::{BuiltAgent, HostObject, HostTable, Task, ValueObject};
use crate::guard::guard_program;
use abi_stable::std_types::{RResult, RStr, RVec};
use runner_core::{BuildError, Host, Spec};
use std::marker::PhantomData;
use std::ptr;

/// How the functions of a table get from the pointer of an object to its host, and how
/// objects are built for plugins.
///
/// # Safety
///
/// `host` returns the host of an object whose table is [`Table::TABLE`] of this type.
pub unsafe trait Access: 'static {
    /// Returns the host.
    ///
    /// # Safety
    ///
    /// `this` is the pointer of an object with the table of this type, which is alive.
    unsafe fn host<'a>(this: This) -> &'a dyn Host;

    /// Adds an owner.
    ///
    /// # Safety
    ///
    /// As for `host`.
    unsafe fn share(this: This);

    /// Removes an owner.
    ///
    /// # Safety
    ///
    /// As for `host`; the caller is one of the owners and does not use the object again.
    unsafe fn release(this: This);

    /// Builds a value.
    ///
    /// # Safety
    ///
    /// As for `host`.
    unsafe fn value(this: This, spec: &Spec) -> Result<ValueObject, BuildError>;

    /// Builds an agent.
    ///
    /// # Safety
    ///
    /// As for `host`.
    unsafe fn agent(this: This, spec: &Spec) -> Result<BuiltAgent, BuildError>;

    /// Builds a game.
    ///
    /// # Safety
    ///
    /// As for `host`.
    unsafe fn game(this: This, spec: &Spec) -> Result<GameObject, BuildError>;
}

/// The functions for one kind of access.
pub struct Table<A>(PhantomData<A>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of an object
// with this very table, which is alive, and that `out` is valid for one write.
impl<A: Access> Table<A> {
    pub const TABLE: &'static HostTable = &HostTable {
        share: Self::share,
        release: Self::release,
        extension: Self::extension,
        threads: Self::threads,
        for_each: Self::for_each,
        memory: Self::memory,
        value: Self::value,
        agent: Self::agent,
        game: Self::game,
    };

    unsafe extern "C" fn share(this: This) {
        // SAFETY: see above.
        unsafe { A::share(this) };
    }

    unsafe extern "C" fn release(this: This) {
        // A panic while dropping cannot be reported.
        // SAFETY: see above.
        drop(guard_program(|| unsafe { A::release(this) }));
    }

    unsafe extern "C" fn extension(_: This, _: u64) -> *const ExtensionHeader {
        ptr::null()
    }

    unsafe extern "C" fn threads(this: This, out: *mut usize) -> Call {
        // SAFETY: see above.
        guard_program(|| unsafe { out.write(A::host(this).threads()) })
    }

    unsafe extern "C" fn memory(this: This, out: *mut u64) -> Call {
        // SAFETY: see above.
        guard_program(|| unsafe { out.write(A::host(this).memory()) })
    }

    unsafe extern "C" fn for_each(this: This, n: usize, task: Task) -> Call {
        // SAFETY: see above.
        let host = unsafe { A::host(this) };
        let task = ForeignTask(task);
        guard_program(|| {
            host.for_each(n, &|i| {
                let Task { run, context } = *task.get();
                // SAFETY: function and context belong together.
                unsafe { run(context, i) }
            });
        })
    }

    unsafe extern "C" fn value(
        this: This,
        spec: RStr<'_>,
        out: *mut RResult<ValueObject, BuildRefused>,
    ) -> Call {
        // SAFETY: see above.
        unsafe { build(spec, out, |spec| A::value(this, spec)) }
    }

    unsafe extern "C" fn agent(
        this: This,
        spec: RStr<'_>,
        out: *mut RResult<BuiltAgent, BuildRefused>,
    ) -> Call {
        // SAFETY: see above.
        unsafe { build(spec, out, |spec| A::agent(this, spec)) }
    }

    unsafe extern "C" fn game(
        this: This,
        spec: RStr<'_>,
        out: *mut RResult<GameObject, BuildRefused>,
    ) -> Call {
        // SAFETY: see above.
        unsafe { build(spec, out, |spec| A::game(this, spec)) }
    }
}

/// Builds an object from the text of a spec.
///
/// # Safety
///
/// `out` is valid for one write.
unsafe fn build<T>(
    spec: RStr<'_>,
    out: *mut RResult<T, BuildRefused>,
    build: impl FnOnce(&Spec) -> Result<T, BuildError>,
) -> Call {
    guard_program(|| {
        let built = match spec.as_str().parse() {
            Ok(spec) => build(&spec),
            Err(error) => Err(BuildError::new(error)),
        };
        let refused = |error: BuildError| BuildRefused {
            message: error.message.into(),
            span: Span { start: 0, end: 0 },
            allowed: RVec::new(),
        };
        // SAFETY: the caller's promise.
        unsafe { out.write(built.map_err(refused).into()) };
    })
}

/// A task of a plugin. Any thread may run it: its context is `Sync` on its own side.
struct ForeignTask(Task);

// SAFETY: see above.
unsafe impl Sync for ForeignTask {}

impl ForeignTask {
    /// A method, so that closures capture the whole struct, which is `Sync`.
    fn get(&self) -> &Task {
        &self.0
    }
}

/// A host that is borrowed for one call. The pointer is that of a `&dyn Host`. Nothing can be
/// built through it.
struct Borrowed;

// SAFETY: `lend_host` makes the pointer from a `&dyn Host`.
unsafe impl Access for Borrowed {
    unsafe fn host<'a>(this: This) -> &'a dyn Host {
        // SAFETY: `lend_host` passes a reference that outlives every use of the object.
        unsafe { *this.cast::<&dyn Host>() }
    }

    // The borrower does not keep the object, so it is not counted.
    unsafe fn share(_: This) {}

    unsafe fn release(_: This) {}

    unsafe fn value(_: This, spec: &Spec) -> Result<ValueObject, BuildError> {
        Err(refused(spec))
    }

    unsafe fn agent(_: This, spec: &Spec) -> Result<BuiltAgent, BuildError> {
        Err(refused(spec))
    }

    unsafe fn game(_: This, spec: &Spec) -> Result<GameObject, BuildError> {
        Err(refused(spec))
    }
}

fn refused(spec: &Spec) -> BuildError {
    BuildError::new(format!("nothing can be built during a training, and `{spec}` was asked for"))
}

/// Lends a host for the length of `task`, which must not keep it.
pub fn lend_host<T>(host: &dyn Host, task: impl FnOnce(HostObject) -> T) -> T {
    let this: This = ptr::from_ref(&host).cast();
    task(HostObject { this, table: Table::<Borrowed>::TABLE })
}
