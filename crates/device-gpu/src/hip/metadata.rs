//! Reads the part of MessagePack that code objects use.

/// Deepest nesting of lists and maps.
const DEPTH: u32 = 16;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum MetadataValue {
    /// Keys with values, in order.
    Map(Vec<(MetadataValue, MetadataValue)>),
    List(Vec<MetadataValue>),
    Text(String),
    Number(u64),
    /// Nil, booleans, floats and negative numbers, none of which is needed.
    Other,
}

impl MetadataValue {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        MessagePackReader(bytes).value(DEPTH)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    pub(super) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }
}

struct MessagePackReader<'a>(&'a [u8]);

impl<'a> MessagePackReader<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a big-endian number of this many bytes.
    fn natural(&mut self, bytes: u64) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self, bytes: u64) -> Option<MetadataValue> {
        Some(MetadataValue::Text(String::from_utf8_lossy(self.take(bytes)?).into_owned()))
    }

    fn list(&mut self, count: u64, depth: u32) -> Option<MetadataValue> {
        (0..count).map(|_| self.value(depth)).collect::<Option<_>>().map(MetadataValue::List)
    }

    fn map(&mut self, count: u64, depth: u32) -> Option<MetadataValue> {
        let pair = |_| Some((self.value(depth)?, self.value(depth)?));
        (0..count).map(pair).collect::<Option<_>>().map(MetadataValue::Map)
    }

    fn skip(&mut self, bytes: u64) -> Option<MetadataValue> {
        self.take(bytes).map(|_| MetadataValue::Other)
    }

    /// Reads a value. The first byte is the kind of the value and, for small values, the length
    /// (the format's specification, "Overview").
    fn value(&mut self, depth: u32) -> Option<MetadataValue> {
        let depth = depth.checked_sub(1)?;
        let kind = self.natural(1)?;
        match kind {
            0x00..=0x7f => Some(MetadataValue::Number(kind)),
            0x80..=0x8f => self.map(kind & 15, depth),
            0x90..=0x9f => self.list(kind & 15, depth),
            0xa0..=0xbf => self.text(kind & 31),
            0xcc..=0xcf => self.natural(1 << (kind - 0xcc)).map(MetadataValue::Number),
            0xd0..=0xd3 => self.skip(1 << (kind - 0xd0)),
            0xca => self.skip(4),
            0xcb => self.skip(8),
            0xd9..=0xdb => self.natural(1 << (kind - 0xd9)).and_then(|bytes| self.text(bytes)),
            0xdc | 0xdd => self.natural(2 << (kind - 0xdc)).and_then(|n| self.list(n, depth)),
            0xde | 0xdf => self.natural(2 << (kind - 0xde)).and_then(|n| self.map(n, depth)),
            0xc0..=0xc3 | 0xe0..=0xff => Some(MetadataValue::Other),
            // Byte strings and extensions, which code objects do not have.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lists_texts_and_numbers_are_read() {
        let bytes = b"\x82\xa1a\x93\x05\xcc\xff\xcd\x01\x00\xd9\x01b\xde\x00\x01\xa1c\xc2";
        let value = MetadataValue::read(bytes).expect("a map");
        let numbers: Vec<_> =
            value.get("a").expect("a").items().iter().map(MetadataValue::number).collect();
        assert_eq!(numbers, [Some(5), Some(255), Some(256)]);
        assert_eq!(value.get("b").and_then(|b| b.get("c")), Some(&MetadataValue::Other));
    }

    #[test]
    fn what_is_cut_or_endless_is_nothing() {
        for bytes in [&b"\x82\xa1a"[..], b"\xdd\xff\xff\xff\xff", b"\xda\xff\xff", &[0x91; 100]] {
            assert_eq!(MetadataValue::read(bytes), None);
        }
    }
}
