/// Finds the start tags of well-formed source, because libxml2's tree keeps neither their columns nor how they end.
struct TagScanner {
    /// One start tag.
    struct Tag {
        /// The byte at which it begins.
        var offset: Int

        /// Whether it ends with `/>`.
        var isSelfClosing: Bool
    }

    /// The start tags in document order.
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
