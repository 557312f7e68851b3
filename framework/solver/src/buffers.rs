//! Buffers for new keys, sorted by layer and part, until they are inserted into the
//! table of their part. The memory of the buffers is reused from round to round.

use crate::key::Key;
use crate::pool::ThreadPool;

/// The keys that one task has generated.
#[derive(Debug)]
pub struct KeyBuffers<K> {
    parts: usize,
    /// Number of entries of `layers` in use; the rest keep their memory for reuse.
    used: usize,
    layers: Vec<LayerBuffer<K>>,
}

#[derive(Debug)]
struct LayerBuffer<K> {
    layer: u64,
    parts: Vec<Vec<K>>,
}

/// Returns the part that a key belongs to; `parts` is a power of two.
#[inline(always)]
pub fn part_of<K: Key>(key: K, parts: usize) -> usize {
    key.hash() as usize & (parts - 1)
}

impl<K: Key> KeyBuffers<K> {
    pub fn new(pool: &ThreadPool<'_>) -> Self {
        Self { parts: pool.parts, used: 0, layers: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.used = 0;
    }

    #[inline(always)]
    pub fn push(&mut self, layer: u64, key: K) {
        let index = self.layers[..self.used].iter().position(|buffer| buffer.layer == layer);
        let index = index.unwrap_or_else(|| self.add_layer(layer));
        self.layers[index].parts[part_of(key, self.parts)].push(key);
    }

    #[cold]
    #[inline(never)]
    fn add_layer(&mut self, layer: u64) -> usize {
        let index = self.used;
        if index == self.layers.len() {
            self.layers.push(LayerBuffer { layer, parts: vec![Vec::new(); self.parts] });
        }
        let buffer = &mut self.layers[index];
        buffer.layer = layer;
        buffer.parts.iter_mut().for_each(Vec::clear);
        self.used += 1;
        index
    }

    pub fn layers(&self) -> impl Iterator<Item = u64> + '_ {
        self.layers[..self.used].iter().map(|buffer| buffer.layer)
    }

    pub fn keys(&self, layer: u64, part: usize) -> &[K] {
        let buffer = self.layers[..self.used].iter().find(|buffer| buffer.layer == layer);
        buffer.map_or(&[], |buffer| &buffer.parts[part])
    }

    pub fn bytes(&self) -> usize {
        let keys: usize =
            self.layers.iter().flat_map(|buffer| &buffer.parts).map(Vec::capacity).sum();
        keys * size_of::<K>()
    }
}
