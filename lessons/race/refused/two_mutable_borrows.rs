//! A plain `u64` lent to two threads for writing.

use std::thread;

fn main() {
    let mut balance = 0;
    thread::scope(|scope| {
        scope.spawn(|| balance += 1);
        scope.spawn(|| balance += 1); //~ E0499
    });
    println!("{balance}");
}
