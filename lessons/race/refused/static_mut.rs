//! A global variable that every thread may write.

use std::thread;

static mut BALANCE: u64 = 0;

fn main() {
    let other = thread::spawn(|| BALANCE += 1); //~ E0133
    other.join().unwrap();
}
