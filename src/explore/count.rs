//! Sums over all paths of the graph: how many schedules come to each end, and which one is the smallest that does.

use crate::verdict::Count;

use super::atlas::Ident;
use super::ends::Ended;
use super::graph::{Graph, UNKNOWN};
use crate::trace::Way;

/// How many schedules come to an end, and how likely a scheduler that picks uniformly at each step comes to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Share {
    pub(super) schedules: Count,
    pub(super) random: f64,
}

/// Nodes so that every edge goes from an earlier to a later one. The graph has no circles: every step adds to what
/// its thread has observed.
pub(super) fn in_order(graph: &Graph) -> Vec<u32> {
    let mut missing = vec![0u32; graph.nodes.len()];
    for edge in graph.nodes.iter().flat_map(|node| node.edges.iter()).filter(|edge| edge.to != UNKNOWN) {
        missing[edge.to as usize] += 1;
    }
    let mut order = Vec::with_capacity(graph.nodes.len());
    if !graph.nodes.is_empty() {
        order.push(0);
    }
    let mut next = 0;
    while let Some(node) = order.get(next).copied() {
        next += 1;
        for edge in graph.nodes[node as usize].edges.iter().filter(|edge| edge.to != UNKNOWN) {
            missing[edge.to as usize] -= 1;
            if missing[edge.to as usize] == 0 {
                order.push(edge.to);
            }
        }
    }
    order
}

/// For each end, its share of all schedules. Only for a complete graph.
pub(super) fn shares(graph: &Graph, order: &[u32]) -> Vec<Share> {
    let mut shares = vec![Share::default(); graph.ends.0.len()];
    let mut paths: Vec<Share> = vec![Share::default(); graph.nodes.len()];
    if let Some(start) = paths.first_mut() {
        *start = Share { schedules: Count::one(), random: 1.0 };
    }
    for node in order {
        let Share { schedules, random } = std::mem::take(&mut paths[*node as usize]);
        let node = &graph.nodes[*node as usize];
        if let Some(end) = node.end {
            let share = &mut shares[end as usize];
            share.schedules += &schedules;
            share.random += random;
        }
        for edge in &node.edges {
            let next = &mut paths[edge.to as usize];
            next.schedules += &schedules;
            next.random += random / node.edges.len() as f64;
        }
    }
    shares
}

/// Context switches, then steps; the end cannot be reached from an edge without them.
type Length = Option<(u32, u32)>;

/// The schedule with the fewest context switches, then the fewest steps, that comes to an end which `wanted` accepts.
pub(super) fn smallest(graph: &Graph, order: &[u32], wanted: impl Fn(&Ended) -> bool) -> Option<Vec<(Ident, Way)>> {
    // For each edge: the shortest way to a wanted end that begins with it.
    let mut lengths: Vec<Box<[Length]>> = graph.nodes.iter().map(|node| vec![None; node.edges.len()].into()).collect();
    let from = |lengths: &[Box<[Length]>], node: u32, last: Option<Ident>| -> Option<(Length, usize)> {
        let state = &graph.nodes[node as usize];
        if state.end.is_some_and(|end| wanted(&graph.ends.0[end as usize])) {
            return Some((Some((0, 0)), usize::MAX));
        }
        let all = lengths[node as usize].iter().enumerate().filter_map(|(index, length)| {
            let (switches, steps) = (*length)?;
            let switch = last.is_some_and(|last| last != state.edges[index].ident);
            Some(((switches + u32::from(switch), steps), index))
        });
        all.min().map(|(length, index)| (Some(length), index))
    };
    for node in order.iter().rev() {
        for (index, edge) in graph.nodes[*node as usize].edges.iter().enumerate().filter(|(_, e)| e.to != UNKNOWN) {
            let rest = from(&lengths, edge.to, Some(edge.ident)).and_then(|(length, _)| length);
            lengths[*node as usize][index] = rest.map(|(switches, steps)| (switches, steps + 1));
        }
    }
    let mut schedule = Vec::new();
    let (mut node, mut last) = (*order.first()?, None);
    loop {
        let (_, index) = from(&lengths, node, last)?;
        let Some(edge) = graph.nodes[node as usize].edges.get(index) else { return Some(schedule) };
        schedule.push((edge.ident, edge.way));
        (node, last) = (edge.to, Some(edge.ident));
    }
}
