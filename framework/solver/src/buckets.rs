//! Keys on their way from the thread that made them to the table that they belong
//! to: sorted by layer and part, in buffers that are used again and again.

use crate::crew::Crew;
use crate::key::Key;

/// What one task has made.
#[derive(Debug)]
pub struct Buckets<K> {
    parts: usize,
    /// How many of the layers are in use; the others wait to be.
    used: usize,
    layers: Vec<Bucket<K>>,
}

/// The keys of one layer.
#[derive(Debug)]
struct Bucket<K> {
    layer: u64,
    parts: Vec<Vec<K>>,
}

/// The part that a key belongs to.
#[inline(always)]
pub fn part<K: Key>(key: K, parts: usize) -> usize {
    key.hash() as usize & (parts - 1)
}

impl<K: Key> Buckets<K> {
    /// No keys, of as many parts as the crew's work has.
    pub fn new(crew: &Crew<'_>) -> Self {
        Self { parts: crew.parts, used: 0, layers: Vec::new() }
    }

    /// Forgets all keys.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Adds a key to a layer.
    #[inline(always)]
    pub fn push(&mut self, layer: u64, key: K) {
        let index = self.layers[..self.used].iter().position(|bucket| bucket.layer == layer);
        let index = index.unwrap_or_else(|| self.open(layer));
        self.layers[index].parts[part(key, self.parts)].push(key);
    }

    #[cold]
    #[inline(never)]
    fn open(&mut self, layer: u64) -> usize {
        let index = self.used;
        if index == self.layers.len() {
            self.layers.push(Bucket { layer, parts: vec![Vec::new(); self.parts] });
        }
        let bucket = &mut self.layers[index];
        bucket.layer = layer;
        bucket.parts.iter_mut().for_each(Vec::clear);
        self.used += 1;
        index
    }

    /// The layers of which there are keys.
    pub fn layers(&self) -> impl Iterator<Item = u64> + '_ {
        self.layers[..self.used].iter().map(|bucket| bucket.layer)
    }

    /// The keys of one layer that belong to one part.
    pub fn of(&self, layer: u64, part: usize) -> &[K] {
        let bucket = self.layers[..self.used].iter().find(|bucket| bucket.layer == layer);
        bucket.map_or(&[], |bucket| &bucket.parts[part])
    }

    /// How many bytes the buffers have.
    pub fn bytes(&self) -> usize {
        let keys: usize =
            self.layers.iter().flat_map(|bucket| &bucket.parts).map(Vec::capacity).sum();
        keys * size_of::<K>()
    }
}
