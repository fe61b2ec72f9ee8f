/// Reads rendered markup as a tree.
///
/// Our templates are well-formed XML. Of a user's template that is not, nothing is guessed: there is no tree.
struct MarkupReader {
    /// How deep elements may be nested: whatever is deeper is sent whole.
    private static let depthLimit = 100
    private static let void: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]

    private let whole: [UInt8]
    private var rest: ArraySlice<UInt8>

    private init(_ html: String) {
        whole = Array(html.utf8)
        rest = whole[...]
    }

    /// The one element that markup consists of; nil if it is anything else.
    static func element(_ html: String) -> MarkupElement? {
        var reader = MarkupReader(html)
        reader.skipSpace()
        guard let element = reader.element(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.rest.isEmpty ? element : nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }

    private mutating func element(depth: Int) -> MarkupElement? {
        let start = rest
        guard depth < Self.depthLimit, let head = startTag() else { return nil }
        let name = String(
            decoding: head.dropFirst().prefix {
                !Self.isSpace($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">")
            },
            as: UTF8.self)
        guard let first = name.utf8.first, first.isLetter else { return nil }
        var children: [MarkupElement.Child] = []
        if head.dropLast().last != UInt8(ascii: "/"), !Self.void.contains(name) {
            guard let inside = self.children(of: name, depth: depth) else { return nil }
            children = inside
        }
        // Never traps: what is left is an end of what there was.
        let source = start.prefix(start.count - rest.count)
        return MarkupElement(
            name: name, head: head, id: Self.id(in: head), children: children,
            source: source)
    }

    /// What stands between a start tag and its end tag, which is taken in too.
    private mutating func children(of name: String, depth: Int) -> [MarkupElement.Child]? {
        var children: [MarkupElement.Child] = []
        while let byte = rest.first {
            if byte != UInt8(ascii: "<") {
                let text = rest.prefix { $0 != UInt8(ascii: "<") }
                children.append(.text(text))
                rest = rest.dropFirst(text.count)
            } else if rest.dropFirst().first == UInt8(ascii: "/") {
                let tag = rest.prefix { $0 != UInt8(ascii: ">") }
                guard tag.dropFirst(2).elementsEqual(name.utf8) else { return nil }
                rest = rest.dropFirst(tag.count + 1)
                return children
            } else {
                guard let child = element(depth: depth + 1) else { return nil }
                children.append(.element(child))
            }
        }
        return nil
    }

    private mutating func startTag() -> ArraySlice<UInt8>? {
        guard rest.first == UInt8(ascii: "<") else { return nil }
        var isQuoted = false
        var length = 0
        for byte in rest {
            length += 1
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == UInt8(ascii: ">"), !isQuoted else { continue }
            let tag = rest.prefix(length)
            rest = rest.dropFirst(length)
            return tag
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func id(in head: ArraySlice<UInt8>) -> String? {
        var rest = head
        while let space = rest.firstIndex(of: 0x20) {
            rest = rest[space...]
            if rest.starts(with: " id=\"".utf8) {
                return decoded(rest.dropFirst(5).prefix { $0 != UInt8(ascii: "\"") })
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// The attributes of a start tag, decoded; nil where one has no value in double quotes, or is there twice.
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

    /// Text without character references; nil for one that XML does not define.
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
