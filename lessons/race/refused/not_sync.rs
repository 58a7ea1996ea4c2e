//! A `Cell`, which anyone with a reference may write, behind a reference count that is atomic.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

fn main() {
    let balance = Arc::new(Cell::new(0));
    let shared = Arc::clone(&balance);
    let other = thread::spawn(move || shared.set(shared.get() + 1)); //~ E0277
    other.join().unwrap();
    println!("{}", balance.get());
}
