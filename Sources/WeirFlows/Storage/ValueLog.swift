/// The values that some lossless subscriber has not read yet, with a count of readers at each.
///
/// It is a ring of consecutive versions. An entry is kept while a reader is at or before it, or while it is among the
/// last `replay` entries. The log therefore reaches back exactly as far as the slowest reader, and advancing a reader
/// has constant cost.
///
/// Removed values are returned, so that they are released outside the flow's lock.
@usableFromInline
struct ValueLog<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline var value: Value
        @usableFromInline var readers: Int

        @inlinable
        init(value: Value, readers: Int) {
            self.value = value
            self.readers = readers
        }
    }

    @usableFromInline var ring: ContiguousArray<Entry?> = []
    @usableFromInline var head = 0
    @usableFromInline var count = 0
    /// The version of the first entry; undefined while the log is empty.
    @usableFromInline var start = 0
    /// The number of readers that have read everything.
    @usableFromInline var readersAtEnd = 0
    @usableFromInline var readers = 0
    @usableFromInline let replay: Int

    @inlinable
    init(replay: Int) {
        self.replay = replay
    }

    @inlinable
    var capacity: Int { ring.count }

    /// Whether a value must be stored for a reader that does not receive it directly.
    @inlinable
    func needsAppend(handing handed: Int) -> Bool {
        replay > 1 || count > 0 || readersAtEnd > handed
    }

    /// Appends a value for all readers at the end except those that received it directly; returns the value it
    /// displaces.
    @inlinable
    mutating func append(_ value: Value, version: Int, handing handed: Int = 0) -> Value? {
        if count == 0 { start = version }
        if count == ring.count { resize(to: max(16, ring.count * 2)) }
        ring[slot(count)] = Entry(value: value, readers: readersAtEnd - handed)
        readersAtEnd = handed
        count += 1
        return count > max(replay, 1) && readersAtStart == 0 ? removeFirst() : nil
    }

    /// Adds a reader before the entry of a version, or at the end.
    @inlinable
    mutating func addReader(before version: Int) {
        readers += 1
        enter(version)
    }

    /// Reads the value of a version and advances its reader.
    @inlinable
    mutating func read(_ version: Int) -> Value? {
        // Never traps: `slot` wraps within the ring, and no reader is before its start.
        guard let value = ring[slot(version - start)]?.value else { return nil }
        // Never traps: `slot` wraps within the ring, and no reader is before its start.
        ring[slot(version - start)]?.readers -= 1
        enter(version + 1)
        // The removed value is the one returned, or one the reader has just left: never the last reference.
        if readersAtStart == 0, count > kept { _ = removeFirst() }
        return value
    }

    /// Removes a reader before the entry of a version; returns the values that no reader needs any more.
    @inlinable
    mutating func removeReader(before version: Int) -> [Value] {
        readers -= 1
        guard count > 0, version < start + count else {
            readersAtEnd -= 1
            return []
        }
        // Never traps: `slot` wraps within the ring, and no reader is before its start.
        ring[slot(version - start)]?.readers -= 1
        var gone: [Value] = []
        while count > kept, readersAtStart == 0, let value = removeFirst() { gone.append(value) }
        return gone
    }

    /// Calls a body with the values from a version on, without advancing a reader.
    @inlinable
    func forEach(from version: Int, _ body: (Value) -> Void) {
        for offset in max(0, version - start)..<max(count, max(0, version - start)) {
            if let value = ring[slot(offset)]?.value { body(value) }
        }
    }

    @inlinable
    var kept: Int { replay > 1 ? replay : 0 }

    @inlinable
    var readersAtStart: Int { count > 0 ? ring[head]?.readers ?? 0 : 0 }

    @inlinable
    func slot(_ offset: Int) -> Int {
        let index = head + offset
        return index < ring.count ? index : index - ring.count
    }

    @inlinable
    mutating func enter(_ version: Int) {
        if count > 0, version < start + count {
            // Never traps: `slot` wraps within the ring, and no reader is before its start.
            ring[slot(version - start)]?.readers += 1
        } else {
            readersAtEnd += 1
        }
    }

    @inlinable
    mutating func removeFirst() -> Value? {
        guard count > 0 else { return nil }
        let value = ring[head]?.value
        ring[head] = nil
        head = slot(1)
        count -= 1
        start += 1
        if ring.count > 64, count < ring.count / 8 { resize(to: ring.count / 2) }
        return value
    }

    @inlinable
    mutating func resize(to capacity: Int) {
        var moved = ContiguousArray<Entry?>()
        moved.reserveCapacity(capacity)
        for offset in 0..<count {
            let index = slot(offset)
            moved.append(ring[index])
            ring[index] = nil
        }
        while moved.count < capacity { moved.append(nil) }
        ring = moved
        head = 0
    }
}
