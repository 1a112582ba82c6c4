//! What a player notes in one match: cut to what the referee keeps, and no more than it keeps.

use crate::v1::{Limits, Note};

/// What a note counts for at least.
const LEAST_NOTE_BYTES: usize = 16;

/// How much one match has noted. A referee without limits for notes is too old to take any.
pub(crate) struct Notes {
    match_id: String,
    most_each: usize,
    most: usize,
    bytes: usize,
    is_full: bool,
}

impl Notes {
    pub fn new(match_id: &str, limits: &Limits) -> Self {
        let [most_each, most] = [limits.max_note_bytes, limits.max_notes_bytes].map(|bytes| bytes as usize);
        Self { match_id: match_id.into(), most_each, most, bytes: 0, is_full: false }
    }

    /// The note to send. What the referee would drop is dropped here, and said once.
    pub fn admit(&mut self, question_id: u32, mut text: String) -> Option<Note> {
        let mut end = text.len().min(self.most_each);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        let cost = text.len().max(LEAST_NOTE_BYTES);
        if text.is_empty() {
            return None;
        }
        if self.bytes + cost > self.most {
            if !self.is_full {
                eprintln!("match {}: more than {} bytes of notes, the rest is dropped", self.match_id, self.most);
            }
            self.is_full = true;
            return None;
        }
        self.bytes += cost;
        Some(Note { question_id, text: text.into_bytes() })
    }
}
