/// A queue in one piece of memory: elements come in at the end and leave at the front, and any can be looked at.
///
/// Elements have *places*, which count from 0 and never change: the first element's place grows as elements leave.
struct RingBuffer<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var head = 0
    /// The number of elements.
    private(set) var count = 0
    /// The place of the first element; of the next one, while there is none.
    private(set) var start = 0

    var isEmpty: Bool { count == 0 }
    /// The place after the last element.
    var end: Int { start + count }
    var first: Element? { isEmpty ? nil : slots[head] }
    // Never traps: it is not empty, and `slot` goes round within the slots.
    var last: Element? { isEmpty ? nil : slots[slot(end - 1)] }

    /// The element at a place, if it is there.
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

    /// The place of the first element for which the test holds, which must hold for all after it; the end if none.
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
