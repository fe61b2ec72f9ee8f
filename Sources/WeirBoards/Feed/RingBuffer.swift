/// A FIFO queue in a circular buffer, with random access to its elements.
///
/// Each element has a *place* that never changes. Places count from 0 in the order of insertion.
struct RingBuffer<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0
    /// The place of the first element, or of the next one to be appended if the buffer is empty.
    private(set) var start = 0

    var isEmpty: Bool { count == 0 }
    var end: Int { start + count }
    var first: Element? { isEmpty ? nil : slots[head] }
    // Never traps: the buffer is not empty, and `slot` wraps around within the slots.
    var last: Element? { isEmpty ? nil : slots[slot(end - 1)] }

    subscript(place: Int) -> Element? {
        get { place >= start && place < end ? slots[slot(place)] : nil }
        set { if place >= start && place < end { slots[slot(place)] = newValue } }
    }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[slot(end)] = element
        count += 1
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = head + 1 == slots.count ? 0 : head + 1
        start += 1
        count -= 1
        return element
    }

    /// The place of the first element that satisfies a predicate, or `end`, by binary search.
    ///
    /// All elements after the first match must match, too.
    func firstPlace(where test: (Element) -> Bool) -> Int {
        var (low, high) = (start, end)
        while low < high {
            let middle = low + (high - low) / 2
            if let element = self[middle], test(element) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func slot(_ place: Int) -> Int {
        let index = head + place - start
        return index < slots.count ? index : index - slots.count
    }

    private mutating func grow() {
        var larger = ContiguousArray<Element?>()
        larger.reserveCapacity(max(8, slots.count * 2))
        for place in start..<end { larger.append(slots[slot(place)]) }
        while larger.count < max(8, slots.count * 2) { larger.append(nil) }
        slots = larger
        head = 0
    }
}

extension RingBuffer: Sendable where Element: Sendable {}
