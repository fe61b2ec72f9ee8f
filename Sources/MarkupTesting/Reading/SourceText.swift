/// Markup as it was given, with the mapping from bytes to lines and columns.
struct SourceText {
    /// A place in the text, both from 1; the column counts characters.
    struct Position {
        var line: Int
        var column: Int
    }

    let bytes: [UInt8]
    private let lineStarts: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    func position(at offset: Int) -> Position {
        let line = lineStarts.partitioningIndex { $0 > offset }
        let start = lineStarts[line - 1]
        let before = String(decoding: bytes[start..<max(start, min(offset, bytes.count))], as: UTF8.self)
        return Position(line: line, column: before.count + 1)
    }

    /// The byte at a line and a column, both from 1, as far as the line goes; libxml2 counts the column in characters.
    func offset(line: Int, column: Int) -> Int {
        let index = min(max(line, 1), lineStarts.count) - 1
        let end = index + 1 < lineStarts.count ? lineStarts[index + 1] - 1 : bytes.count
        var offset = lineStarts[index]
        var characters = 1
        while offset < end, characters < column {
            offset += 1
            while offset < end, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            characters += 1
        }
        return offset
    }

    func problem(_ sentence: String, rule: String, at offset: Int) -> MarkupProblem {
        let position = position(at: offset)
        return MarkupProblem(
            line: position.line, column: position.column, sentence: sentence, rule: rule, excerpt: excerpt(at: offset))
    }

    /// The part of a byte's line around it, at most 120 bytes.
    private func excerpt(at offset: Int) -> String {
        let line = lineStarts.partitioningIndex { $0 > offset } - 1
        let lineEnd = line + 1 < lineStarts.count ? lineStarts[line + 1] - 1 : bytes.count
        let start = max(lineStarts[line], min(offset, lineEnd) - 40)
        let end = min(lineEnd, start + 120)
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        let printable = text.map { $0.isWhitespace ? " " : $0 }
        return (start > lineStarts[line] ? "…" : "") + String(printable) + (end < lineEnd ? "…" : "")
    }
}

extension [Int] {
    /// The first index whose element satisfies the condition, in an array where all that do stand at the end.
    fileprivate func partitioningIndex(where isAtEnd: (Int) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if isAtEnd(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Finds the start tags of well-formed source, because libxml2's tree keeps neither their columns nor how they end.
struct TagScanner {
    struct Tag {
        var offset: Int

        var isSelfClosing: Bool
    }

    private(set) var tags: [Tag] = []

    /// The bytes at which processing instructions and CDATA sections begin, which a browser reads as comments.
    private(set) var foreign: [Int] = []

    /// Scans a source, which must be well-formed and have no internal subset.
    init(_ source: [UInt8]) {
        var index = 0
        while let start = source[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = source[start...]
            if rest.starts(with: "<!--".utf8) {
                index = Self.end(of: "-->", in: source, from: start + 4)
            } else if rest.starts(with: "<![CDATA[".utf8) {
                foreign.append(start)
                index = Self.end(of: "]]>", in: source, from: start + 9)
            } else if rest.starts(with: "<?".utf8) {
                foreign.append(start)
                index = Self.end(of: "?>", in: source, from: start + 2)
            } else if rest.starts(with: "<!".utf8) || rest.starts(with: "</".utf8) {
                index = Self.end(of: ">", in: source, from: start + 2)
            } else {
                index = Self.endOfStartTag(in: source, from: start + 1)
                tags.append(Tag(offset: start, isSelfClosing: source[index - 2] == UInt8(ascii: "/")))
            }
        }
    }

    private static func end(of mark: StaticString, in source: [UInt8], from start: Int) -> Int {
        mark.withUTF8Buffer { mark in
            var index = start
            while index + mark.count <= source.count {
                if source[index..<index + mark.count].elementsEqual(mark) { return index + mark.count }
                index += 1
            }
            return source.count
        }
    }

    /// The index after the `>` that ends a start tag; a `>` inside a quoted value does not end it.
    private static func endOfStartTag(in source: [UInt8], from start: Int) -> Int {
        var quote: UInt8?
        for index in start..<source.count {
            switch (source[index], quote) {
            case (let byte, let open?): if byte == open { quote = nil }
            case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = source[index]
            case (UInt8(ascii: ">"), nil): return index + 1
            default: break
            }
        }
        return source.count
    }
}
