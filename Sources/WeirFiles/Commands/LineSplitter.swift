#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Cuts what a program prints, as it arrives, into lines and ticks.
///
/// A line ends with LF or CR LF. A text that a carriage return lets the next one overwrite, as progress bars do, is a *tick*:
/// worth looking at, and not worth keeping. A line that is too long comes in pieces, so that a program which never prints a
/// line end costs no more memory than one that does. Bytes that are no UTF-8 become U+FFFD.
package struct LineSplitter: Sendable {
    package enum Piece: Sendable, Hashable {
        /// A whole line, or the first piece of one.
        case line(String)
        /// A further piece of a line that was too long.
        case continuation(String)
        /// What stood on the line before it was overwritten.
        case tick(String)

        package var text: String {
            switch self {
            case .line(let text), .continuation(let text), .tick(let text): text
            }
        }
    }

    /// How many bytes one piece has at most.
    package static let limit = 16_384

    private var pending: [UInt8] = []
    /// The last byte was a carriage return, which is a line end if LF follows.
    private var hasReturn = false
    /// Something on this line was overwritten.
    private var isOverwriting = false
    private var isContinuing = false

    package init() {}

    /// Takes what was read.
    ///
    /// - Parameters:
    ///   - bytes: What was read.
    ///   - isDrained: Whether there was no more to read at that moment, so that a text which overwrites another is shown as
    ///     it stands instead of when it is overwritten in turn.
    ///   - body: Gets the pieces, in order.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, isDrained: Bool = false, _ body: (Piece) -> Void
    ) {
        // Unsafe memory: every place lies between the buffer's two ends, which are looked at before each step.
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

    /// Gives what is left when nothing comes any more.
    package mutating func finish(_ body: (Piece) -> Void) {
        if !pending.isEmpty { endLine(body) }
    }

    /// Takes bytes without LF.
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

    /// Gives all but an unfinished character at the end.
    private mutating func cut(_ body: (Piece) -> Void) {
        var end = pending.count
        // A character has four bytes at most, and all but its first begin with 10.
        for back in 1...4 where pending.count > back {
            let byte = pending[pending.count - back]  // Never traps: there are more bytes than that.
            if byte & 0b1100_0000 == 0b1000_0000 { continue }
            if byte & 0b1100_0000 == 0b1100_0000 { end = pending.count - back }
            break
        }
        let rest = Array(pending[end...])
        let text = text(pending[..<end])
        body(isContinuing ? .continuation(text) : .line(text))
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
        body(isContinuing ? .continuation(text) : .line(text))
        pending.removeAll(keepingCapacity: true)
        (hasReturn, isOverwriting, isContinuing) = (false, false, false)
    }

    private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
