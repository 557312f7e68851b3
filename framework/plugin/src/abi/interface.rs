//! The macros that generate an interface from the list of its methods.
//!
//! An interface is a macro such as `agent_interface`, which passes the list, in the order of the trait,
//! to one of three macros: `interface_table` makes the table of functions, `interface_export` the
//! functions that a library exports, and `interface_proxy` the methods of the type that calls them. A
//! method with the argument `game` gets the game through `lend_game`.
//!
//! Every function is guarded: it returns null or the message of its fault, and writes its
//! result through its last pointer unless it fails.

// Names that the macros use where they are applied.
pub use super::call::Call;
pub use super::cross::{Answer, Argument, ask, respond};
pub use super::data::This;
pub use super::object::{Life, Object, Table};

/// Returns the target of an object.
///
/// # Safety
///
/// The object is alive, and its target is a `T`.
#[inline(always)]
pub unsafe fn target<'a, T>(this: This) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { &*this.cast() }
}

/// Returns the target of an object for writing.
///
/// # Safety
///
/// As for [`target`], and only the caller uses the object.
#[inline(always)]
pub unsafe fn target_mut<'a, T>(this: This) -> &'a mut T {
    // SAFETY: the caller's promise.
    unsafe { &mut *this.cast_mut().cast() }
}

macro_rules! result_of {
    () => {
        ()
    };
    ($result:ty) => {
        $result
    };
}

/// The type of the function of a method.
macro_rules! function_of {
    ((&$($receiver:ident)+, $game:ident: &$kind:ident Game $(, $arg:ident: $type:ty)*) $result:ty) => {
        unsafe extern "C" fn(
            This,
            *const Object<GameTable>,
            $(<$type as Argument>::Abi,)*
            *mut <$result as Answer>::Abi,
        ) -> Call
    };
    ((&$($receiver:ident)+ $(, $arg:ident: $type:ty)*) $result:ty) => {
        unsafe extern "C" fn(
            This,
            $(<$type as Argument>::Abi,)*
            *mut <$result as Answer>::Abi,
        ) -> Call
    };
}

macro_rules! interface_table {
    (
        [$(#[$doc:meta])* $table:ident { $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)* }]
        $(fn $name:ident $arguments:tt $(-> $result:ty)?;)*
    ) => {
        $(#[$doc])*
        #[repr(C)]
        pub struct $table {
            pub life: Life,
            $($(#[$field_doc])* pub $field: $field_type,)*
            $(pub $name: function_of!($arguments result_of!($($result)?)),)*
        }

        impl Table for $table {
            fn life(&self) -> &Life {
                &self.life
            }
        }
    };
}

/// Makes the exported functions of an interface, with a constant for the table. The type is that of
/// the target: a tuple of the object that has the methods, and its game where a method takes one.
macro_rules! interface_export {
    (
        [[$($generics:tt)*] $export:ty, $constant:ident; $table:ident { $($field:ident: $value:expr,)* }]
        $(fn $name:ident $arguments:tt $(-> $result:ty)?;)*
    ) => {
        impl<$($generics)*> $export {
            pub const $constant: &'static $table = &$table {
                $($field: $value,)*
                $($name: Self::$name,)*
            };

            $(export_method!($name $arguments result_of!($($result)?));)*
        }
    };
}

macro_rules! export_method {
    ($name:ident (&mut $self:ident, $game:ident: &$kind:ident Game $(, $arg:ident: $type:ty)*) $result:ty) => {
        export_method!(@ target_mut $name [$game] [$($arg: $type),*] $result);
    };
    ($name:ident (&$self:ident, $game:ident: &$kind:ident Game $(, $arg:ident: $type:ty)*) $result:ty) => {
        export_method!(@ target $name [$game] [$($arg: $type),*] $result);
    };
    ($name:ident (&$self:ident $(, $arg:ident: $type:ty)*) $result:ty) => {
        export_method!(@ target $name [] [$($arg: $type),*] $result);
    };
    (@ $target:ident $name:ident [$($game:ident)?] [$($arg:ident: $type:ty),*] $result:ty) => {
        #[allow(unused_unsafe)]
        unsafe extern "C" fn $name(
            this: This,
            $($game: *const Object<GameTable>,)?
            $($arg: <$type as Argument>::Abi,)*
            out: *mut <$result as Answer>::Abi,
        ) -> Call {
            // SAFETY: a proxy passes the pointer of an object with this very table, which is
            // alive, and which it uses alone where a method needs that.
            let exported = unsafe { $target::<Self>(this) };
            let task = || open_all!(call_method!([$($game)?] exported $name($($arg),*)); $($arg: $type),*);
            // SAFETY: a proxy passes a place for the result.
            unsafe { respond::<Self, $result>(out, task) }
        }
    };
}

/// Evaluates an expression in which the arguments of a call have their own types again.
macro_rules! open_all {
    ($call:expr;) => { $call };
    ($call:expr; $arg:ident: $type:ty $(, $($rest:tt)*)?) => {
        // SAFETY: the proxy lends the argument until this function returns, and the method
        // cannot keep it.
        unsafe { <$type as Argument>::open($arg, |$arg| open_all!($call; $($($rest)*)?)) }
    };
}

/// Calls a method with the game that the object was built for, or with a borrowed one.
macro_rules! call_method {
    ([] $exported:ident $name:ident($($arg:ident),*)) => {
        $exported.0.$name($($arg),*)
    };
    ([$game:ident] $exported:ident $name:ident($($arg:ident),*)) => {
        if $game.is_null() {
            $exported.0.$name(&$exported.1, $($arg),*)
        } else {
            // SAFETY: a pointer that is not null is that of a game, which the proxy lends
            // until this function returns.
            let borrowed = unsafe { DynGame::share(*$game) };
            $exported.0.$name(&borrowed, $($arg),*)
        }
    };
}

/// Generates the methods of a proxy: an implementation of the trait if one is named, otherwise
/// inherent methods. The closure returns the object, and `$check` is a macro that checks
/// results.
macro_rules! interface_proxy {
    (
        [[$($trait:tt)*] $proxy:ty, |$this:ident| $object:expr, $check:ident; $($extra:tt)*]
        $(fn $name:ident $arguments:tt $(-> $result:ty)?;)*
    ) => {
        impl $($trait)* $proxy {
            $($extra)*
            $(proxy_method! { [|$this| $object, $check] $name $arguments result_of!($($result)?) })*
        }
    };
}

macro_rules! proxy_method {
    // The object returns a reference: proxies keep a copy, and write these methods by hand.
    ($with:tt description $($method:tt)*) => {};
    ($with:tt tables $($method:tt)*) => {};
    ($with:tt $name:ident (&$self:ident, $game:ident: &dyn Game $(, $arg:ident: $type:ty)*) $result:ty) => {
        proxy_method!(@ $with $name [] $self [&$self] [$game: &dyn Game] [$($arg: $type),*] $result);
    };
    ($with:tt $name:ident (&$self:ident, $game:ident: &impl Game $(, $arg:ident: $type:ty)*) $result:ty) => {
        proxy_method!(@ $with $name [<G: Game>] $self [&$self] [$game: &G] [$($arg: $type),*] $result);
    };
    ($with:tt $name:ident (&mut $self:ident, $game:ident: &impl Game $(, $arg:ident: $type:ty)*) $result:ty) => {
        proxy_method!(@ $with $name [<G: Game>] $self [&mut $self] [$game: &G] [$($arg: $type),*] $result);
    };
    ($with:tt $name:ident (&$self:ident $(, $arg:ident: $type:ty)*) $result:ty) => {
        proxy_method!(@ $with $name [] $self [&$self] [] [$($arg: $type),*] $result);
    };
    (
        @ [|$this:ident| $object:expr, $check:ident] $name:ident [$($generics:tt)*] $self:ident
        [$($receiver:tt)*] [$($game:ident: $game_type:ty)?] [$($arg:ident: $type:ty),*] $result:ty
    ) => {
        #[inline]
        fn $name $($generics)* (
            $($receiver)*,
            $($game: $game_type,)?
            $($arg: $type),*
        ) -> $result {
            let $this = &*$self;
            let Object { this, table, bound: _bound } = $object;
            let call = |out| lend_all!(
                [$(&$game, _bound, |$game|)?]
                // SAFETY: the object is alive as long as this proxy, and all arguments are borrowed
                // until the call returns.
                unsafe { (table.$name)(this, $($game,)? $($arg,)* out) };
                $($arg: $type),*
            );
            // SAFETY: the function writes its result unless it fails.
            let answer: $result = unsafe { ask(call) };
            $check!($name $self answer [$($arg),*]);
            answer
        }
    };
}

/// The checks of an interface whose results need none.
macro_rules! unchecked {
    ($($method:tt)*) => {};
}

/// Evaluates an expression in which the arguments of a call have the forms in which they cross.
macro_rules! lend_all {
    ([] $call:expr;) => { $call };
    ([&$game:expr, $bound:expr, |$lent:ident|] $call:expr; $($arguments:tt)*) => {
        lend_game(&$game, $bound, |$lent| lend_all!([] $call; $($arguments)*))
    };
    ([] $call:expr; $arg:ident: $type:ty $(, $($rest:tt)*)?) => {
        <$type as Argument>::lend($arg, |$arg| lend_all!([] $call; $($($rest)*)?))
    };
}
