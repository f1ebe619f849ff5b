//! The decoder's cache of keys and values of words already written, organised as a tree.
//!
//! Candidates that begin with the same words share the nodes of these words; a candidate is a path from the
//! root. A node is freed with the last path through it.

use crate::network::weights::Config;

/// The root's parent.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    word: u16,
    parent: u32,
    /// Number of child nodes and of rows that end in this node.
    users: u32,
}

/// The tree. Slots of freed nodes are reused.
#[derive(Debug, Default)]
pub struct Cache {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// For each node and layer, a key and a value of width d.
    data: Vec<f32>,
    layers: usize,
    width: usize,
}

impl Cache {
    /// Empties the tree and keeps its memory.
    pub fn clear(&mut self, config: &Config) {
        self.nodes.clear();
        self.free.clear();
        self.layers = config.layers;
        self.width = config.width;
    }

    /// Returns how many numbers a node holds.
    pub fn stride(&self) -> usize {
        self.layers * 2 * self.width
    }

    /// Returns a node's key and value in a layer, one after the other.
    #[inline(always)]
    pub fn kv(&self, node: u32, layer: usize) -> &[f32] {
        &self.data[node as usize * self.stride() + layer * 2 * self.width..][..2 * self.width]
    }

    /// Adds a node without users at the end of a path.
    pub fn add(&mut self, parent: Option<u32>, word: u16, kv: &[f32]) -> u32 {
        let stride = self.stride();
        let node = Node { word, parent: parent.unwrap_or(NONE), users: 0 };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                if self.data.len() < self.nodes.len() * stride {
                    self.data.resize(self.nodes.len() * stride, 0.0);
                }
                self.nodes.len() as u32 - 1
            }
        };
        self.data[id as usize * stride..][..stride].copy_from_slice(kv);
        if let Some(parent) = parent {
            self.nodes[parent as usize].users += 1;
        }
        id
    }

    /// Records that a row ends in this node.
    pub fn hold(&mut self, node: u32) {
        self.nodes[node as usize].users += 1;
    }

    /// Records that a row no longer ends in this node, and frees unused nodes.
    pub fn release(&mut self, mut node: u32) {
        while node != NONE {
            let users = &mut self.nodes[node as usize].users;
            *users = users.saturating_sub(1);
            if *users > 0 {
                return;
            }
            self.free.push(node);
            node = self.nodes[node as usize].parent;
        }
    }

    pub fn word(&self, node: u32) -> u16 {
        self.nodes[node as usize].word
    }

    /// Returns the allocated bytes.
    pub fn bytes(&self) -> u64 {
        (self.data.capacity() * 4 + self.nodes.capacity() * size_of::<Node>() + self.free.capacity() * 4) as u64
    }

    /// Returns the number of nodes in use.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }
}
