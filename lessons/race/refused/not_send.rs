//! A shared counter whose reference count is no atomic.

use std::cell::Cell;
use std::rc::Rc;
use std::thread;

fn main() {
    let balance = Rc::new(Cell::new(0));
    let shared = Rc::clone(&balance);
    let other = thread::spawn(move || shared.set(shared.get() + 1)); //~ E0277
    other.join().unwrap();
    println!("{}", balance.get());
}
