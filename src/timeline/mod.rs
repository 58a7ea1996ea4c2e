//! stub
use crate::{trace::*, sources::Sources, verdict::Kind};
/// stub
pub fn explain(_t: &Trace, _s: &Sources) -> (Kind, String) { (Kind::Interleaving, String::new()) }
