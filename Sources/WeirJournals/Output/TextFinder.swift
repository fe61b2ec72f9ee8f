import Foundation
import WeirStates

/// Finds a text in lines as pages show them: without control sequences, in any case, composed or decomposed.
///
/// The text is literal. Lines of ASCII, which are most, take about as long as copying them.
struct TextFinder: Sendable {
    private let wanted: [UInt8]
    private let isPlain: Bool

    /// The number of bytes at the end of a piece in which a match can begin, with room for a colour between two letters.
    let overlap: Int

    init(_ text: String) {
        wanted = FoldedText.bytes(text.utf8)
        isPlain = wanted.allSatisfy { $0 < 0x80 }
        overlap = 4 * wanted.count + 64
    }

    func isFound(in line: UnsafeRawBufferPointer) -> Bool {
        if wanted.isEmpty { return true }
        // Unsafe memory: every index is below the count of the buffer that it reads; the copy has as many bytes as the line.
        return withUnsafeTemporaryAllocation(byteCount: max(1, line.count), alignment: 1) { copy in
            var kinds: UInt8 = 0
            for index in 0..<line.count {
                let byte = line[index]
                kinds |= (byte & 0x80) | (byte < 0x20 || byte == 0x7F ? 1 : 0)
                copy[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            var count = line.count
            if kinds & 1 != 0 {
                guard let visible = Self.keepVisible(copy, count) else {
                    return isFound(unusual: String(decoding: line, as: UTF8.self))
                }
                count = visible
            }
            let text = UnsafeRawBufferPointer(rebasing: copy.prefix(count))
            if kinds & 0x80 == 0 { return isPlain && isFound(folded: text) }
            if isPlain, !Self.hasControls(text) { return isFound(folded: text) }
            return FoldedText.bytes(lowerCase: text).withUnsafeBytes { isFound(folded: $0) }
        }
    }

    /// Searches in a line with unusual control sequences.
    private func isFound(unusual line: String) -> Bool {
        FoldedText.bytes(line.visibleText.utf8).withUnsafeBytes { isFound(folded: $0) }
    }

    /// Whether the text is in folded bytes; a match that a combining accent follows is another letter.
    private func isFound(folded text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, text.count >= wanted.count else { return false }
        return wanted.withUnsafeBytes { wanted in
            guard let needle = wanted.baseAddress, let first = wanted.first else { return true }
            let last = text.count - wanted.count
            var place = 0
            while place <= last, let found = memchr(start + place, Int32(clamping: first), last - place + 1) {
                place = UnsafeRawPointer(found) - start
                if memcmp(found, needle, wanted.count) == 0,
                    !Self.isAccent(text.dropFirst(place + wanted.count).prefix(2))
                {
                    return true
                }
                place += 1
            }
            return false
        }
    }

    /// U+0300 to U+036F.
    private static func isAccent(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = bytes.first, let second = bytes.dropFirst().first else { return false }
        return first == 0xCC || first == 0xCD && second < 0xB0
    }

    /// Whether there are control characters beyond ASCII, some of which begin sequences.
    private static func hasControls(_ text: UnsafeRawBufferPointer) -> Bool {
        var previous: UInt8 = 0
        for byte in text {
            if previous == 0xC2, byte < 0xA0 { return true }
            previous = byte
        }
        return false
    }

    /// Removes in place what pages do not show, and returns the number of bytes that remain; nil for unusual sequences.
    private static func keepVisible(_ line: UnsafeMutableRawBufferPointer, _ count: Int) -> Int? {
        var (read, write) = (0, 0)
        var isReturned = false
        while read < count {
            let byte = line[read]
            read += 1
            switch byte {
            case 0x0D: isReturned = true
            case 0x1B:
                guard read < count, line[read] == UInt8(ascii: "[") else { return nil }
                read += 1
                while read < count, 0x20...0x3F ~= line[read] { read += 1 }
                // Letters are lower case here, with which every sequence still ends.
                if read < count, 0x40...0x7E ~= line[read] { read += 1 }
            case 0..<0x09, 0x0A..<0x20, 0x7F: break
            default:
                if isReturned { write = 0 }
                isReturned = false
                line[write] = byte
                write += 1
            }
        }
        return write
    }
}
