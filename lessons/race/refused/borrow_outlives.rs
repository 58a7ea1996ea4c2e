//! A borrowed `u64` in a thread that may outlive it.

use std::thread;

fn main() {
    let mut balance = 0;
    let other = thread::spawn(|| balance += 1); //~ E0373
    other.join().unwrap();
}
