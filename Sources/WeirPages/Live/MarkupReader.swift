/// Parses rendered markup into a tree.
///
/// Built-in templates are well-formed XML. Markup that is not, such as that of a user's template, has no tree.
struct MarkupReader {
    /// The maximum depth of elements; deeper markup is sent whole.
    private static let depthLimit = 100
    private static let void: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]

    private let bytes: [UInt8]
    private var place = 0

    private init(_ html: String) { bytes = Array(html.utf8) }

    static func element(_ html: String) -> MarkupElement? {
        var reader = MarkupReader(html)
        reader.skipSpace()
        guard let element = reader.element(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.place == reader.bytes.count ? element : nil
    }

    private mutating func skipSpace() { while let byte = byte(place), Self.isSpace(byte) { place += 1 } }

    private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func element(depth: Int) -> MarkupElement? {
        let start = place
        guard depth < Self.depthLimit, let name = startTag() else { return nil }
        let head = bytes[start..<place]
        var children: [MarkupElement.Child] = []
        if head.dropLast().last != UInt8(ascii: "/"), !Self.void.contains(name) {
            guard let inside = self.children(of: name, depth: depth) else { return nil }
            children = inside
        }
        return MarkupElement(
            name: name, head: head, id: Self.id(in: head), children: children, source: bytes[start..<place])
    }

    /// Reads the content after a start tag, and its end tag.
    private mutating func children(of name: String, depth: Int) -> [MarkupElement.Child]? {
        var children: [MarkupElement.Child] = []
        while true {
            let start = place
            guard skip(to: UInt8(ascii: "<")) else { return nil }
            if start < place { children.append(.text(bytes[start..<place])) }
            guard byte(place + 1) == UInt8(ascii: "/") else {
                guard let child = element(depth: depth + 1) else { return nil }
                children.append(.element(child))
                continue
            }
            let tag = place
            guard skip(to: UInt8(ascii: ">")), bytes[tag..<place].dropFirst(2).elementsEqual(name.utf8) else {
                return nil
            }
            place += 1
            return children
        }
    }

    /// Advances to the next such byte; returns false at the end.
    private mutating func skip(to wanted: UInt8) -> Bool {
        let count = bytes.count
        while place < count, bytes[place] != wanted { place += 1 }
        return place < count
    }

    private mutating func startTag() -> String? {
        guard byte(place) == UInt8(ascii: "<") else { return nil }
        let start = place + 1
        let count = bytes.count
        var isQuoted = false
        var end: Int?
        place = start
        while place < count {
            let byte = bytes[place]
            let isEnd = byte == UInt8(ascii: ">")
            if end == nil, isEnd || byte == UInt8(ascii: "/") || Self.isSpace(byte) { end = place }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            place += 1
            guard isEnd, !isQuoted else { continue }
            guard let end, bytes[start].isLetter else { return nil }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func id(in head: ArraySlice<UInt8>) -> String? {
        let (name, end) = ([UInt8](" id=\"".utf8), head.endIndex)
        var (place, matched) = (head.startIndex, 0)
        while place < end, matched < name.count {
            let byte = head[place]
            matched = byte == name[matched] ? matched + 1 : byte == name[0] ? 1 : 0
            place += 1
        }
        guard matched == name.count else { return nil }
        return decoded(head[place...].prefix { $0 != UInt8(ascii: "\"") })
    }

    /// The decoded attributes of a start tag, or nil if one lacks a value in double quotes or is repeated.
    static func attributes(of head: ArraySlice<UInt8>) -> [String: String]? {
        var rest = head.dropFirst().drop { !isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        var attributes: [String: String] = [:]
        while true {
            rest = rest.drop(while: isSpace)
            guard let first = rest.first else { return nil }
            if first == UInt8(ascii: ">") || first == UInt8(ascii: "/") { return attributes }
            let name = rest.prefix { $0 != UInt8(ascii: "=") && !isSpace($0) && $0 != UInt8(ascii: ">") }
            rest = rest.dropFirst(name.count)
            guard rest.starts(with: "=\"".utf8) else { return nil }
            let value = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
            rest = rest.dropFirst(value.count + 3)
            guard let text = decoded(value),
                attributes.updateValue(text, forKey: String(decoding: name, as: UTF8.self)) == nil
            else { return nil }
        }
    }

    /// The text with decoded character references, or nil if XML does not define one of them.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var rest = bytes
        while let next = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += String(decoding: rest[..<next], as: UTF8.self)
            let reference = rest[next...].dropFirst().prefix { $0 != UInt8(ascii: ";") }
            guard let character = character(String(decoding: reference, as: UTF8.self)) else { return nil }
            text.unicodeScalars.append(character)
            rest = rest[next...].dropFirst(reference.count + 2)
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private static func character(_ reference: String) -> Unicode.Scalar? {
        switch reference {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos", "#39", "#x27": "'"
        default: nil
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}

/// An element of rendered markup, with its source, so that parts of it can be sent as rendered.
struct MarkupElement {
    enum Child {
        case element(MarkupElement)
        case text(ArraySlice<UInt8>)
    }

    let name: String
    let head: ArraySlice<UInt8>
    let id: String?
    let children: [Child]
    let source: ArraySlice<UInt8>

    var html: String { String(decoding: source, as: UTF8.self) }

    /// The attributes with decoded values, or nil if they are not well-formed XML.
    var attributes: [String: String]? { MarkupReader.attributes(of: head) }

    /// The children without the white space between a template's lines, or nil if there is other text.
    var elementsOnly: [MarkupElement]? {
        var elements: [MarkupElement] = []
        for child in children {
            switch child {
            case .element(let element): elements.append(element)
            case .text(let text): if !text.isLayout { return nil }
            }
        }
        return elements
    }

    /// The decoded text, or nil if there are child elements.
    var text: String? {
        guard children.count <= 1 else { return nil }
        switch children.first {
        case nil: return ""
        case .text(let text): return MarkupReader.decoded(text)
        case .element: return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether it is white space between a template's lines, not between words.
    var isLayout: Bool {
        contains(UInt8(ascii: "\n")) && allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
}
