import Foundation

/// Splits output incrementally into lines and ticks.
///
/// A line ends with LF or CR LF. A *tick* is a text that a carriage return overwrites, as in progress bars: it can update the
/// state, but is not recorded. A line over the limit is split into pieces, so that output without newlines uses bounded memory.
/// Invalid UTF-8 becomes U+FFFD.
package struct LineSplitter: Sendable {
    package enum Piece: Sendable, Hashable {
        /// A line, or the first piece of one that continues in the next piece.
        case line(String, continues: Bool = false)
        case continuation(String, continues: Bool)
        /// The contents of a line before they were overwritten.
        case tick(String)

        package var text: String {
            switch self {
            case .line(let text, _), .continuation(let text, _), .tick(let text): text
            }
        }

        /// Whether the line continues in the next piece that is no tick.
        package var continues: Bool {
            switch self {
            case .line(_, let continues), .continuation(_, let continues): continues
            case .tick: false
            }
        }
    }

    /// The maximum size of a piece in bytes.
    package static let limit = 16_384

    private var pending: [UInt8] = []
    /// Whether the last byte was a carriage return, which is part of a newline if LF follows.
    private var hasReturn = false
    private var isOverwriting = false
    private var isContinuing = false

    package init() {}

    /// The text of the line that has not ended, as far as it is known.
    var unfinished: String { text(pending) }

    /// Adds bytes, and passes complete pieces to `body`, in order.
    ///
    /// `isDrained` reports an overwriting text at once, because no more bytes were available, and not only when it is
    /// overwritten.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, isDrained: Bool = false, _ body: (Piece) -> Void
    ) {
        // Unsafe memory: every position lies between the buffer's ends, which are checked before each step.
        guard var place = bytes.baseAddress else { return }
        let end = place + bytes.count
        while place < end {
            let feed = memchr(place, 10, end - place).map { UnsafeRawPointer($0) }
            takeLinePart(UnsafeRawBufferPointer(start: place, count: (feed ?? end) - place), body)
            guard let feed else { break }
            endLine(body)
            place = feed + 1
        }
        if isDrained, isOverwriting, !hasReturn, !pending.isEmpty { body(.tick(text(pending))) }
    }

    package mutating func finish(_ body: (Piece) -> Void) {
        if !pending.isEmpty { endLine(body) }
    }

    private mutating func takeLinePart(_ bytes: UnsafeRawBufferPointer, _ body: (Piece) -> Void) {
        guard var place = bytes.baseAddress else { return }
        let end = place + bytes.count
        while place < end {
            let carriage = memchr(place, 13, end - place).map { UnsafeRawPointer($0) }
            let part = UnsafeRawBufferPointer(start: place, count: (carriage ?? end) - place)
            if !part.isEmpty {
                if hasReturn { overwrite(body) }
                append(part, body)
            }
            guard let carriage else { break }
            hasReturn = true
            place = carriage + 1
        }
    }

    private mutating func append(_ part: UnsafeRawBufferPointer, _ body: (Piece) -> Void) {
        var part = part[...]
        while !part.isEmpty {
            let room = max(Self.limit - pending.count, 0)
            pending.append(contentsOf: part.prefix(room))
            part = part.dropFirst(room)
            if pending.count >= Self.limit, !part.isEmpty { cut(body) }
        }
    }

    /// Reports the pending bytes, except an incomplete character at their end.
    private mutating func cut(_ body: (Piece) -> Void) {
        var end = pending.count
        // A UTF-8 character has at most four bytes, and all but its first begin with the bits 10.
        for back in 1...4 where pending.count > back {
            let byte = pending[pending.count - back]  // Never traps: there are more bytes than that.
            if byte & 0b1100_0000 == 0b1000_0000 { continue }
            if byte & 0b1100_0000 == 0b1100_0000 { end = pending.count - back }
            break
        }
        let rest = Array(pending[end...])
        let text = text(pending[..<end])
        body(isContinuing ? .continuation(text, continues: true) : .line(text, continues: true))
        isContinuing = true
        pending = rest
    }

    private mutating func overwrite(_ body: (Piece) -> Void) {
        hasReturn = false
        isOverwriting = true
        if !pending.isEmpty { body(.tick(text(pending))) }
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func endLine(_ body: (Piece) -> Void) {
        let text = text(pending)
        body(isContinuing ? .continuation(text, continues: false) : .line(text))
        pending.removeAll(keepingCapacity: true)
        (hasReturn, isOverwriting, isContinuing) = (false, false, false)
    }

    private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
