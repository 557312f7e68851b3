//! How arguments and results cross the boundary: plain values as they are, what `runner-core`
//! lends by pointer, lists as pointer and length, and everything rare and structured as text.

use super::call::Call;
use super::data::{Either, List, Maybe, Slice, This};
use crate::guard::{Labelled, guard};
use runner_core::{
    Action, Afterstate, Analysis, BuildError, Episode, Facts, Fault, ForeignModel, ModelFormat,
    Outcome, Playout, Spec, SpecError, Start, State, Successor, Successors, TextError, Turn,
    ValueScale,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::ptr;

/// A type of the arguments of boundary functions.
///
/// # Safety
///
/// `open` gives what `lend` was given, on the other side of the boundary.
pub unsafe trait Argument: Sized {
    /// The form in which it crosses.
    type Abi;

    /// Calls `task` with the form of the argument, which is valid until `task` returns.
    fn lend<R>(self, task: impl FnOnce(Self::Abi) -> R) -> R;

    /// Calls `task` with the argument.
    ///
    /// # Safety
    ///
    /// `abi` comes from `lend`, whose task has not returned, and `task` does not keep the argument.
    unsafe fn open<R>(abi: Self::Abi, task: impl FnOnce(Self) -> R) -> R;
}

/// A type of the results of boundary functions.
pub trait Answer: Sized {
    /// The form in which it crosses.
    type Abi;

    /// Sends the result. A fault is raised, and the guard around the function catches it.
    fn send(self) -> Self::Abi;

    /// # Safety
    ///
    /// `abi` comes from `send`, and its target is alive.
    unsafe fn receive(abi: Self::Abi) -> Self;

    /// The result of a call that failed.
    fn failed(fault: Fault) -> Self {
        fault.raise()
    }
}

impl<T: Answer> Answer for Result<T, Fault> {
    type Abi = T::Abi;

    #[inline(always)]
    fn send(self) -> T::Abi {
        self.unwrap_or_else(|fault| fault.raise()).send()
    }

    #[inline(always)]
    unsafe fn receive(abi: T::Abi) -> Self {
        // SAFETY: the caller's promise.
        Ok(unsafe { T::receive(abi) })
    }

    fn failed(fault: Fault) -> Self {
        Err(fault)
    }
}

/// Runs a function of an object and writes its result, so that nothing unwinds out of it.
///
/// # Safety
///
/// `out` is valid for one write.
#[inline(always)]
pub unsafe fn respond<L: Labelled, R: Answer>(out: *mut R::Abi, task: impl FnOnce() -> R) -> Call {
    guard::<L>(|| {
        let result = task().send();
        // SAFETY: the caller's promise.
        unsafe { out.write(result) };
    })
}

/// Calls a function of the other side and returns its result.
///
/// # Safety
///
/// `call` writes the result to the place that it is given, unless it fails.
#[inline(always)]
pub unsafe fn ask<R: Answer>(call: impl FnOnce(*mut R::Abi) -> Call) -> R {
    let mut place = MaybeUninit::<R::Abi>::uninit();
    match call(place.as_mut_ptr()).into_result() {
        // SAFETY: a call that succeeded has written its result.
        Ok(()) => unsafe { R::receive(place.assume_init()) },
        Err(fault) => R::failed(fault),
    }
}

/// Defines how a type of arguments crosses: its form, how it is borrowed and how it is opened.
macro_rules! argument {
    ([$($generics:tt)*] $type:ty as $abi:ty: |$value:ident| $lend:expr, |$form:ident| $open:expr) => {
        // SAFETY: each use below opens what it lends.
        unsafe impl<$($generics)*> Argument for $type {
            type Abi = $abi;

            #[inline(always)]
            fn lend<R>(self, task: impl FnOnce($abi) -> R) -> R {
                let $value = self;
                task($lend)
            }

            #[inline(always)]
            unsafe fn open<R>($form: $abi, task: impl FnOnce(Self) -> R) -> R {
                // SAFETY: the borrowed value is valid until the task of `lend` returns, which is
                // later, and `task` does not keep the argument.
                // The call is in the block: temporaries that the form borrows are dropped at its end.
                #[allow(unused_unsafe)]
                unsafe {
                    task($open)
                }
            }
        }
    };
}

/// Defines how a type of results crosses: its form, how it is sent and how it is received.
macro_rules! answer {
    ([$($generics:tt)*] $type:ty as $abi:ty: |$value:ident| $send:expr, |$form:ident| $receive:expr) => {
        impl<$($generics)*> Answer for $type {
            type Abi = $abi;

            #[inline(always)]
            fn send(self) -> $abi {
                let $value = self;
                $send
            }

            #[inline(always)]
            unsafe fn receive($form: $abi) -> Self {
                // SAFETY: what the form refers to is alive.
                #[allow(unused_unsafe)]
                unsafe { $receive }
            }
        }
    };
}
pub(crate) use answer;
pub(crate) use argument;

/// Values that cross as they are.
pub trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty)*) => {
        $(
            impl Plain for $type {}
            argument!([] $type as $type: |value| value, |form| form);
            answer!([] $type as $type: |value| value, |form| form);
        )*
    };
}

plain! {
    () bool u8 u64 usize f32 f64 This State Afterstate Action Successor Outcome Episode Playout
    Start
}

argument!(['a] &'a Successors as *const Successors: |list| list, |form| &*form);
argument!(['a] &'a mut Successors as *mut Successors: |list| list, |form| &mut *form);
argument!(['a, 'b] &'a Turn<'b> as *const Turn<'static>:
    |turn| ptr::from_ref(turn).cast(), |form| &*form.cast());
argument!(['a, T: Plain] &'a [T] as Slice<T>: |list| Slice::of(list), |form| form.get());
// By pointer: a slice that is passed on the stack is stored as two words and loaded as one, which
// defeats store forwarding and takes ten times as long.
argument!(['a, T: Plain] &'a mut [T] as *const Slice<T>:
    |list| ptr::from_ref(&Slice::of_mut(list)), |form| (*form).get_mut());
argument!([T: Plain] Option<T> as Maybe<T>: |option| option.into(), |form| form.into());
argument!(['a] &'a str as Slice<u8>: |text| Slice::text(text), |form| form.get_text());
argument!(['a] &'a Path as Slice<u8>:
    |path| Slice::text(path_text(path)), |form| Path::new(form.get_text()));
argument!(['a] &'a Spec as Slice<u8>:
    |spec| Slice::text(&spec.to_string()), |form| longer(&spec_of(form.get_text())));
argument!(['a, 'b] &'a [&'b Path] as Slice<u8>:
    |paths| Slice::text(&to_text(&paths.iter().map(|path| path_text(path)).collect::<Vec<_>>())),
    |form| longer(&from_text::<Vec<PathBuf>>(form.get_text())
        .iter().map(|path| longer(path.as_path())).collect::<Vec<_>>()[..]));

answer!([T] List<T> as List<T>: |list| list, |form| form);
answer!([T: Plain] Vec<T> as List<T>: |list| list.into(), |form| form.to_vec());
answer!([] String as List<u8>: |text| text.into(), |form| form.text());
answer!([T: Answer] Option<T> as Maybe<T::Abi>:
    |option| option.map(T::send).into(),
    |form| Option::from(form).map(|form| T::receive(form)));
answer!([] ValueScale as Maybe<[f32; 2]>:
|scale| match scale {
    ValueScale::Points => Maybe::None,
    ValueScale::Rating { min, max } => Maybe::Some([min, max]),
},
|form| match form {
    Maybe::None => ValueScale::Points,
    Maybe::Some([min, max]) => ValueScale::Rating { min, max },
});

/// Returns the text of a path. Raises a fault if it is not valid UTF-8.
fn path_text(path: &Path) -> &str {
    let not = || Fault::new(format!("the path {} is not valid UTF-8", path.display()));
    path.to_str().unwrap_or_else(|| not().raise())
}

fn spec_of(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| Fault::new(error).raise())
}

/// Extends the lifetime of a reference, for an argument of a function that is generic over it.
///
/// # Safety
///
/// Nobody keeps the reference after what it refers to has ended.
pub unsafe fn longer<'a, T: ?Sized>(reference: &T) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { &*ptr::from_ref(reference) }
}

/// Writes data as text, in RON.
pub fn to_text(data: &impl Serialize) -> String {
    ron::to_string(data).unwrap_or_else(|error| Fault::new(error).raise())
}

/// Reads data that [`to_text`] wrote.
pub fn from_text<T: DeserializeOwned>(text: &str) -> T {
    let read = |error| Fault::new(format!("`{text}` cannot be read: {error}"));
    ron::from_str(text).unwrap_or_else(|error| read(error).raise())
}

/// Results that cross as text.
macro_rules! as_text {
    ($($type:ty)*) => {
        $(answer!([] $type as List<u8>:
            |data| to_text(&data).into(), |form| from_text(&form.text()));)*
    };
}

as_text! { Analysis Vec<ModelFormat> Facts ForeignModel }

/// Results with an error that crosses as text.
macro_rules! errors {
    ($($error:ty: |$sent:ident| $send:expr, |$text:ident| $receive:expr;)*) => {
        $(answer!([T: Answer] Result<T, $error> as Either<T::Abi, List<u8>>:
            |result| match result {
                Ok(value) => Either::Ok(value.send()),
                Err($sent) => Either::Err($send.into()),
            },
            |form| match form {
                Either::Ok(form) => Ok(T::receive(form)),
                Either::Err(error) => Err({
                    let $text = error.text();
                    $receive
                }),
            });)*
    };
}

errors! {
    BuildError: |error| error.message, |text| BuildError::new(text);
    TextError: |error| to_text(&(error.at, error.message)), |text| {
        let (at, message): (usize, String) = from_text(&text);
        TextError::new(at, message)
    };
    SpecError: |error| to_text(&(error.message, error.text, error.span, error.allowed)), |text| {
        let (message, text, span, allowed) = from_text(&text);
        SpecError { message, text, span, allowed }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Fact;

    #[test]
    fn facts_of_an_analysis_keep_their_kind_and_every_bit() {
        let facts = [
            Fact::Count(3),
            Fact::Count(u64::MAX),
            Fact::Number(3.0),
            Fact::Number(-1e300),
            Fact::Number(0.1 + 0.2),
            Fact::Number(f64::INFINITY),
            Fact::Text("3".into()),
            Fact::Text("\u{1b}[31m \"quoted\"".into()),
        ];
        let facts = facts.into_iter().map(|fact| ("name".to_owned(), fact)).collect();
        let action_values = vec![(Action(1), 0.1), (Action(2), f32::NEG_INFINITY)];
        let analysis = Analysis { choice: Some(Action(1)), action_values, facts };
        assert_eq!(from_text::<Analysis>(&to_text(&analysis)), analysis);
        let nan = Analysis { facts: vec![("nan".into(), Fact::Number(f64::NAN))], ..analysis };
        let read: Analysis = from_text(&to_text(&nan));
        assert!(matches!(read.facts[0].1, Fact::Number(number) if number.is_nan()));
    }
}
