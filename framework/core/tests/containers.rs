//! The two lists with unsafe code. Also run under Miri:
//! `cargo +nightly miri test -p runner-core --test containers`.

use runner_core::{
    Action, Afterstate, Fault, MAX_ACTIONS, Outcome, Outcomes, State, Successors, catch,
};

#[test]
fn successors_read_as_what_was_pushed() {
    let mut list = Successors::new();
    assert!(list.is_empty());
    for i in 0..MAX_ACTIONS as u8 {
        list.push(Action(i), Afterstate::new(i.into(), 7), f32::from(i));
    }
    assert_eq!(list.len(), MAX_ACTIONS);
    for (i, successor) in list.iter().enumerate() {
        assert_eq!(successor.action.index(), i);
        assert_eq!(successor.afterstate, Afterstate::new(i as u64, 7));
        assert_eq!(successor.reward, i as f32);
    }
    assert_eq!(list.of(Action(63)).map(|s| s.reward), Some(63.0));
    list.clear();
    assert!(list.is_empty());
    assert_eq!(list.of(Action(63)), None);
}

#[test]
fn one_successor_too_many_is_a_fault() {
    let mut list = Successors::default();
    let fault = catch(|| {
        for _ in 0..=MAX_ACTIONS {
            list.push(Action(0), Afterstate::default(), 0.0);
        }
    });
    assert!(fault.is_err());
    assert_eq!(list.len(), MAX_ACTIONS);
}

#[test]
fn outcomes_read_as_what_was_pushed() {
    let mut list = Outcomes::with_capacity(3);
    list.push(0.25, State::new(1, 0));
    list.push(0.5, State::new(2, 0));
    assert_eq!(list.total(), 0.75);
    let copy = list.to_vec();
    assert_eq!(copy[1], Outcome { state: State::new(2, 0), probability: 0.5 });
    list.clear();
    assert!(list.is_empty());
    list.extend_from_slice(&copy);
    list.push(0.25, State::new(3, 0));
    assert_eq!((list.len(), list.capacity(), list.total()), (3, 3, 1.0));
}

#[test]
fn one_outcome_too_many_is_a_fault_that_names_the_bound() {
    let mut list = Outcomes::with_capacity(2);
    let two = [Outcome { state: State::default(), probability: 0.5 }; 2];
    list.extend_from_slice(&two);
    let Err(Fault(message)) = catch(|| list.push(0.5, State::default())) else {
        panic!("there was room for a third");
    };
    assert!(message.contains("more outcomes than the 2 that the game declares"), "{message}");
    assert_eq!(list.len(), 2);
}

#[test]
fn outcomes_move_between_threads() {
    let mut list = Outcomes::with_capacity(8);
    list.push(1.0, State::new(1, 2));
    let list = std::thread::spawn(move || {
        list.push(1.0, State::new(3, 4));
        list
    });
    assert_eq!(list.join().unwrap()[1].state, State::new(3, 4));
}
