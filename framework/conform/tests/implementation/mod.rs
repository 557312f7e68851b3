//! 2048 as somebody might write it in an afternoon, with one fault if wanted. It shares no code
//! with the game that judges it.

use runner_core::{Random, Seed};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    None,
    NoSpawnAfterMergeOnFullBoard,
    TileMergesTwice,
    SpawnBeforeMove,
    TooManyFours(f64),
    NeverLastCell,
    CornersTwiceAsLikely,
    RewardOfOneTile,
    RewardMissesSecondMerge,
    MaskOfLastState,
    OverOneMoveEarly,
    OverOneMoveLate,
    LeftAndRightSwapped,
    StartWithOneTile,
    SpawnOnIllegalAction,
    MergeFromWrongSide,
    NoMergeOfLargeTiles,
    IgnoresSeeds,
    SeedsAreForgotten,
    ScoreLacksLastReward,
    SpawnsEight,
    TwoSpawnsAtTwoMerges,
}

/// The effect of an illegal action. The rules say nothing about it.
#[derive(Clone, Copy, PartialEq)]
pub enum Illegal {
    Nothing,
    Penalty,
    Ends,
    Refused,
}

pub struct Implementation {
    pub fault: Fault,
    pub illegal: Illegal,
    pub takes_positions: bool,
    board: [[u64; 4]; 4],
    random: Random,
    reward: u64,
    score: u64,
    mask: [bool; 4],
    last_mask: [bool; 4],
    was_over: bool,
    pub requests: u64,
}

impl Implementation {
    pub fn new(fault: Fault) -> Self {
        Self {
            fault,
            illegal: Illegal::Nothing,
            takes_positions: true,
            board: [[0; 4]; 4],
            random: Random::stream(Seed(99), 0),
            reward: 0,
            score: 0,
            mask: [false; 4],
            last_mask: [false; 4],
            was_over: false,
            requests: 0,
        }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &str) -> String {
        let request: Value = serde_json::from_str(request).unwrap();
        self.requests += 1;
        match request["action"].as_str() {
            None => self.reset(&request),
            Some(action) => {
                let action = ["up", "right", "down", "left"].iter().position(|a| *a == action);
                if let Some(refused) = self.step(action.unwrap()) {
                    return refused;
                }
            }
        }
        let over = (0..4).all(|action| self.moved(action).0 == self.board);
        let told = match self.fault {
            Fault::OverOneMoveEarly => self.board.iter().flatten().all(|&tile| tile > 0),
            Fault::OverOneMoveLate => over && std::mem::replace(&mut self.was_over, over),
            _ => over || self.was_over,
        };
        let mask = if self.fault == Fault::MaskOfLastState { self.last_mask } else { self.mask };
        let score = match self.fault {
            Fault::ScoreLacksLastReward => self.score - self.reward,
            _ => self.score,
        };
        let penalty = if self.reward == u64::MAX { -5.0 } else { self.reward as f64 };
        json!({
            "state": self.board, "reward": penalty, "terminal": told, "legal": mask, "score": score,
        })
        .to_string()
    }

    fn reset(&mut self, request: &Value) {
        if let (Some(seed), true) = (request["seed"].as_u64(), self.fault != Fault::IgnoresSeeds) {
            self.random = Random::stream(Seed(seed), 7);
        }
        if self.fault == Fault::SeedsAreForgotten && self.requests.is_multiple_of(3) {
            self.random = Random::stream(Seed(self.requests), 8);
        }
        self.board = [[0; 4]; 4];
        (self.reward, self.score, self.was_over) = (0, 0, false);
        match request["state"].as_str() {
            Some(text) if self.takes_positions => {
                for (row, text) in self.board.iter_mut().zip(text.split('/')) {
                    for (cell, text) in row.iter_mut().zip(text.split(',')) {
                        *cell = text.parse().unwrap();
                    }
                }
            }
            _ => {
                self.enter(Fault::None);
                if self.fault != Fault::StartWithOneTile {
                    self.enter(Fault::None);
                }
            }
        }
        self.mask = std::array::from_fn(|action| self.moved(action).0 != self.board);
        self.last_mask = self.mask;
    }

    fn step(&mut self, mut action: usize) -> Option<String> {
        if self.fault == Fault::LeftAndRightSwapped && action % 2 == 1 {
            action = 4 - action;
        }
        let is_full = self.board.iter().flatten().all(|&tile| tile > 0);
        if self.moved(action).0 == self.board {
            self.reward = 0;
            match self.illegal {
                Illegal::Nothing => {}
                Illegal::Penalty => self.reward = u64::MAX,
                Illegal::Ends => {
                    self.was_over = true;
                    self.spawn();
                }
                Illegal::Refused => {
                    return Some(json!({ "type": "error", "message": "illegal" }).to_string());
                }
            }
            if self.fault == Fault::SpawnOnIllegalAction {
                self.spawn();
                self.mask = std::array::from_fn(|action| self.moved(action).0 != self.board);
            }
            return None;
        }
        if self.fault == Fault::SpawnBeforeMove {
            self.spawn();
        }
        let before = self.board.iter().flatten().filter(|&&tile| tile > 0).count();
        let (board, reward) = self.moved(action);
        (self.board, self.reward) = (board, reward);
        self.score += self.reward;
        let merges = before - board.iter().flatten().filter(|&&tile| tile > 0).count();
        match self.fault {
            Fault::SpawnBeforeMove => {}
            Fault::NoSpawnAfterMergeOnFullBoard if is_full => {}
            Fault::TwoSpawnsAtTwoMerges if merges > 1 => {
                self.spawn();
                self.spawn();
            }
            _ => self.spawn(),
        }
        self.last_mask = self.mask;
        self.mask = std::array::from_fn(|action| self.moved(action).0 != self.board);
        None
    }

    fn spawn(&mut self) {
        self.enter(self.fault);
    }

    fn enter(&mut self, fault: Fault) {
        let mut empty: Vec<usize> = (0..16).filter(|k| self.board[k / 4][k % 4] == 0).collect();
        match fault {
            Fault::NeverLastCell if empty.len() > 1 => drop(empty.pop()),
            Fault::CornersTwiceAsLikely => {
                let corners = empty.clone().into_iter().filter(|k| [0, 3, 12, 15].contains(k));
                empty.extend(corners.collect::<Vec<_>>());
            }
            _ => {}
        }
        if empty.is_empty() {
            return;
        }
        let cell = empty[self.random.below(empty.len() as u32) as usize];
        let unit = self.random.unit();
        self.board[cell / 4][cell % 4] = match fault {
            Fault::TooManyFours(share) if unit < share => 4,
            Fault::TooManyFours(_) => 2,
            Fault::SpawnsEight if unit < 0.001 => 8,
            _ if unit < 0.1 => 4,
            _ => 2,
        };
    }

    /// Returns the board after a move, and its reward.
    fn moved(&self, action: usize) -> ([[u64; 4]; 4], u64) {
        let mut board = self.board;
        let mut reward = 0;
        for lane in 0..4 {
            let place = |k: usize| match action {
                0 => (k, lane),
                1 => (lane, 3 - k),
                2 => (3 - k, lane),
                _ => (lane, k),
            };
            let mut line: Vec<u64> = (0..4).map(|k| board[place(k).0][place(k).1]).collect();
            line.retain(|&tile| tile > 0);
            if self.fault == Fault::MergeFromWrongSide {
                line.reverse();
            }
            let mut merged = Vec::new();
            let mut merges = 0;
            let mut at = 0;
            while at < line.len() {
                let tile = line[at];
                let is_pair = line.get(at + 1) == Some(&tile);
                if is_pair && !(self.fault == Fault::NoMergeOfLargeTiles && tile >= 8192) {
                    merged.push(2 * tile);
                    merges += 1;
                    at += 1;
                    reward += match self.fault {
                        Fault::RewardOfOneTile => tile,
                        Fault::RewardMissesSecondMerge if merges > 1 => 0,
                        _ => 2 * tile,
                    };
                    let last = merged.len().wrapping_sub(2);
                    if self.fault == Fault::TileMergesTwice && merged.get(last) == Some(&(2 * tile))
                    {
                        merged.pop();
                        merged[last] = 4 * tile;
                    }
                } else {
                    merged.push(tile);
                }
                at += 1;
            }
            if self.fault == Fault::MergeFromWrongSide {
                merged.reverse();
            }
            merged.resize(4, 0);
            for (k, tile) in merged.into_iter().enumerate() {
                board[place(k).0][place(k).1] = tile;
            }
        }
        (board, reward)
    }
}
