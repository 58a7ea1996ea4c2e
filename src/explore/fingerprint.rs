//! 128-bit fingerprints of states: two states are taken for equal when theirs are.
//!
//! With 128 bits, the chance that two of a million different states collide is below 10^-26.

use xxhash_rust::xxh3::xxh3_128;

/// Collects words into a fingerprint.
pub(super) struct Mix {
    bytes: [u8; Mix::ROOM],
    used: usize,
}

impl Mix {
    const ROOM: usize = 128;

    pub(super) fn new(start: u64) -> Self {
        let mut mix = Mix { bytes: [0; Mix::ROOM], used: 0 };
        mix.word(start);
        mix
    }

    pub(super) fn word(&mut self, word: u64) {
        self.push(&word.to_le_bytes());
    }

    pub(super) fn wide(&mut self, wide: u128) {
        self.push(&wide.to_le_bytes());
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.used + bytes.len() > Mix::ROOM {
            // What is full is folded into its own fingerprint, and goes on from there.
            let folded = xxh3_128(&self.bytes[..self.used]).to_le_bytes();
            self.bytes[..16].copy_from_slice(&folded);
            self.used = 16;
        }
        self.bytes[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }

    pub(super) fn end(&self) -> u128 {
        xxh3_128(&self.bytes[..self.used])
    }
}

/// The fingerprint of a value that is known only as a function of what its writer has seen.
pub(super) fn opaque(history: u128, salt: u64) -> u128 {
    let mut mix = Mix::new(salt);
    mix.wide(history);
    mix.end()
}
