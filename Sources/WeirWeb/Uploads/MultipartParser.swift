import Foundation
import NIOCore

/// Takes a `multipart/form-data` body apart as it arrives (RFC 7578), strictly, in memory that does not grow with it.
///
/// Push bytes, then ask for events until there is none. What browsers and common clients send passes; a preamble, an
/// epilogue, padding behind a boundary, folded headers, transfer encodings and nested bodies do not.
struct MultipartParser {
    /// What a body consists of, in order.
    enum Event: Equatable {
        /// A part begins.
        case part(MultipartPart)
        /// Some of its bytes.
        case data(ByteBuffer)
        /// It ends.
        case endOfPart
        /// The body ends.
        case end
    }

    private enum State { case start, afterDelimiter, head, content, over }

    private static let headLimit = 8_192
    private static let partLimit = 100
    private static let endOfHead = Array("\r\n\r\n".utf8)

    /// A line break, two hyphens and the boundary: what ends a part.
    private let delimiter: [UInt8]
    private var pending = ByteBuffer()
    private var state = State.start
    private var parts = 0

    /// Creates a parser; nil for a boundary that is none.
    init?(boundary: String?) {
        guard let boundary, (1...70).contains(boundary.utf8.count), boundary.last != " ",
            boundary.utf8.allSatisfy(Self.isBoundary)
        else { return nil }
        delimiter = Array("\r\n--".utf8) + Array(boundary.utf8)
    }

    /// Takes in the next bytes of the body.
    mutating func push(_ bytes: ByteBuffer) {
        var bytes = bytes
        pending.discardReadBytes()
        pending.writeBuffer(&bytes)
    }

    /// The next event, or nil if more bytes are needed.
    mutating func next() throws(MultipartMistake) -> Event? {
        switch state {
        case .start:
            let first = delimiter.dropFirst(2)
            guard pending.readableBytes >= first.count else {
                guard first.starts(with: pending.readableBytesView) else { throw .boundary }
                return nil
            }
            guard pending.readableBytesView.starts(with: first) else { throw .boundary }
            pending.moveReaderIndex(forwardBy: first.count)
            state = .afterDelimiter
            return try next()
        case .afterDelimiter:
            guard let two = pending.readBytes(length: 2) else { return nil }
            switch two {
            case Array("\r\n".utf8):
                parts += 1
                guard parts <= Self.partLimit else { throw .tooManyParts }
                state = .head
                return try next()
            case Array("--".utf8):
                state = .over
                return .end
            default: throw .delimiter
            }
        case .head: return try head()
        case .content: return content()
        case .over:
            let isBreak = Array("\r\n".utf8).starts(with: pending.readableBytesView)
            guard isBreak else { throw .epilogue }
            return nil
        }
    }

    /// Says that no more bytes come.
    func finish() throws(MultipartMistake) {
        guard state == .over else { throw .truncated }
    }

    private mutating func head() throws(MultipartMistake) -> Event? {
        let (length, isWhole) = pending.length(before: Self.endOfHead)
        guard length <= Self.headLimit else { throw .headTooLong }
        guard isWhole else { return nil }
        let lines = pending.readBytes(length: length) ?? []
        pending.moveReaderIndex(forwardBy: Self.endOfHead.count)
        let part = try MultipartHead.read(lines)
        state = .content
        return .part(part)
    }

    private mutating func content() -> Event? {
        let (length, isEnd) = pending.length(before: delimiter)
        if length > 0 { return pending.readSlice(length: length).map(Event.data) }
        guard isEnd else { return nil }
        pending.moveReaderIndex(forwardBy: delimiter.count)
        state = .afterDelimiter
        return .endOfPart
    }

    private static func isBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}

extension ByteBuffer {
    /// How many bytes certainly lie before a text that begins with a carriage return, and whether it follows them wholly.
    fileprivate func length(before text: [UInt8]) -> (length: Int, isWhole: Bool) {
        // Unsafe memory: the bytes are read within the call that lends them, and no further than their count.
        withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return (0, false) }
            var offset = 0
            while offset < bytes.count, let hit = memchr(base + offset, 13, bytes.count - offset) {
                let index = UnsafeRawPointer(hit) - base
                let length = min(text.count, bytes.count - index)
                let matches = text.withUnsafeBytes { wanted in
                    wanted.baseAddress.map { memcmp(hit, $0, length) == 0 } ?? false
                }
                if matches { return (index, length == text.count) }
                offset = index + 1
            }
            return (bytes.count, false)
        }
    }
}
