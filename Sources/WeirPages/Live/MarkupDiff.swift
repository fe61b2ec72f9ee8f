/// Finds the minimal patches from one rendering of an element to the next: changed attributes, texts, and children with
/// ids.
///
/// An element without an id cannot be addressed: its changes are sent with the nearest ancestor that has one. If the
/// patches cost as much as the whole element, the whole element is sent.
struct MarkupDiff {
    /// The patches from one rendering of an element to another, or the whole element if they cannot be compared.
    static func patches(from old: String?, to new: String, id: String) -> [Patch] {
        if old == new { return [] }
        let whole = Patch.morph(id: id, html: new)
        guard let before = old.flatMap(MarkupReader.element), let after = MarkupReader.element(new), before.id == id,
            after.id == id
        else { return [whole] }
        return MarkupDiff().patches(before, after) ?? [whole]
    }

    /// Returns nil if the difference can only be sent with an ancestor.
    private func patches(_ old: MarkupElement, _ new: MarkupElement) -> [Patch]? {
        if old.source.elementsEqual(new.source) { return [] }
        guard old.name == new.name, old.id == new.id else { return nil }
        // The client writes the text of a `time` from its attributes, so only those are compared.
        if new.name == "time", old.head.elementsEqual(new.head) { return [] }
        // Parts of a drawing are sent with the drawing, except plain shapes, which the client can create separately.
        let whole = Self.isStandalone(new) ? new.id.map { Patch.morph(id: $0, html: new.html) } : nil
        guard !Self.areWhole.contains(new.name), let attributes = attributes(old, new),
            let inside = content(old, new)
        else { return whole.map { [$0] } }
        let found = attributes + inside
        guard let whole, found.reduce(0, { $0 + $1.cost }) >= whole.cost else { return found }
        return [whole]
    }

    private static func isStandalone(_ element: MarkupElement) -> Bool {
        !["path", "g", "circle", "line", "text", "use", "polyline", "image", "option"].contains(element.name)
    }

    /// Elements sent with their content, because the client handles both together.
    private static let areWhole: Set<String> = ["textarea", "time", "title", "pre"]

    private func attributes(_ old: MarkupElement, _ new: MarkupElement) -> [Patch]? {
        if old.head.elementsEqual(new.head) { return [] }
        // Selecting or deselecting an option concerns the whole field.
        guard new.name != "option", let id = new.id, let before = old.attributes, let after = new.attributes else {
            return nil
        }
        var changes: [String: String?] = [:]
        // The client widens the bar of a current state or step, whose id ends in `-x`, but not the piece of a scrubber.
        let grows =
            new.name == "rect" && id.hasSuffix("-x")
            && [before, after].allSatisfy { $0["class"]?.hasSuffix(" open") ?? false }
        for (name, value) in after where before[name] != value && !(grows && name == "width") {
            changes[name] = .some(value)
        }
        for name in before.keys where after[name] == nil { changes[name] = .some(nil) }
        return changes.isEmpty ? [] : [.attributes(id: id, changes)]
    }

    private func content(_ old: MarkupElement, _ new: MarkupElement) -> [Patch]? {
        if let text = new.text, let before = old.text {
            guard text != before else { return [] }
            // The client may have replaced the text of an element with data attributes.
            guard let id = new.id, !new.head.contains("data-"), new.name != "button" else { return nil }
            return [.text(id: id, text)]
        }
        let (before, after) = (old.children.filter(\.counts), new.children.filter(\.counts))
        // Compares children in only one of two ways: trying both would double the work at each level.
        if before.count == after.count, zip(before, after).allSatisfy({ $0.isContinued(by: $1) }) {
            return alike(before, after)
        }
        // Options are added and removed with the whole field, which preserves the reader's choice.
        return new.name == "select" ? nil : list(old, new)
    }

    /// The patches of children that correspond by position.
    private func alike(_ before: [MarkupElement.Child], _ after: [MarkupElement.Child]) -> [Patch]? {
        var patches: [Patch] = []
        for case (.element(let old), .element(let new)) in zip(before, after) {
            guard let inside = self.patches(old, new) else { return nil }
            patches += inside
        }
        return patches
    }

    /// Elements in which white space between children is insignificant.
    private static let lists: Set<String> = [
        "ol", "ul", "tbody", "div", "section", "article", "main", "header", "footer", "dl", "svg",
    ]

    /// The patches of added and removed children, or nil if the others changed their order.
    private func list(_ old: MarkupElement, _ new: MarkupElement) -> [Patch]? {
        guard let before = old.elementsOnly, let after = new.elementsOnly,
            Self.lists.contains(new.name) || before.count == old.children.count && after.count == new.children.count
        else { return nil }
        let (oldKeys, newKeys) = (keys(before), keys(after))
        let (known, wanted) = (Set(oldKeys), Set(newKeys))
        guard known.count == before.count, wanted.count == after.count,
            oldKeys.filter(wanted.contains) == newKeys.filter(known.contains)
        else { return nil }
        let isLimited = new.head.contains(" data-limit=")
        let gone = zip(oldKeys, before).filter { !wanted.contains($0.0) }
        guard gone.allSatisfy({ $0.1.id != nil }) else { return nil }
        var patches: [Patch] = []
        // The client itself removes the oldest items of a list with a limit, as soon as they are not being read.
        let isGrowing = newKeys.first.map { !known.contains($0) } ?? false
        let falling = isLimited && isGrowing ? oldKeys.reversed().prefix { !wanted.contains($0) }.count : 0
        patches += gone.dropLast(falling).compactMap { $0.1.id.map(Patch.remove) }
        guard let arrivals = arrivals(zip(newKeys, after).map { ($1, known.contains($0)) }, in: new) else { return nil }
        patches += arrivals
        let olds = Dictionary(zip(oldKeys, before)) { $1 }
        for (key, element) in zip(newKeys, after) {
            guard let partner = olds[key] else { continue }
            guard let inside = self.patches(partner, element) else { return nil }
            patches += isLimited ? inside.map(\.asOptional) : inside
        }
        return patches
    }

    /// Inserts new children before their next sibling, or at either end of the list.
    private func arrivals(_ children: [(element: MarkupElement, isKnown: Bool)], in list: MarkupElement) -> [Patch]? {
        let head = children.prefix { !$0.isKnown }.map(\.element)
        let tail = children.dropFirst(head.count).reversed().prefix { !$0.isKnown }.reversed().map(\.element)
        guard children.allSatisfy({ $0.isKnown || $0.element.id != nil && Self.isStandalone($0.element) }) else {
            return nil
        }
        var patches: [Patch] = []
        if !head.isEmpty {
            guard let id = list.id else { return nil }
            patches += head.reversed().map { .prepend(to: id, html: $0.html) }
        }
        var neighbour: String?
        let middle = children.dropFirst(head.count).dropLast(tail.count).reversed()
        for (element, isKnown) in middle {
            if !isKnown {
                guard let neighbour else { return nil }
                patches.append(.insert(before: neighbour, html: element.html))
            }
            neighbour = element.id
        }
        if !tail.isEmpty {
            guard let id = list.id else { return nil }
            patches += tail.map { .append(to: id, html: $0.html) }
        }
        return patches
    }

    /// The identities of children: their ids, or the name and index of those without one.
    private func keys(_ children: [MarkupElement]) -> [String] {
        var counts: [String: Int] = [:]
        return children.map { child in
            if let id = child.id { return "#\(id)" }
            counts[child.name, default: 0] += 1
            return "\(child.name) \(counts[child.name] ?? 0)"
        }
    }
}

extension MarkupElement.Child {
    /// Whether it is more than the white space between a template's lines.
    fileprivate var counts: Bool {
        switch self {
        case .element: true
        case .text(let text): !text.isLayout
        }
    }

    /// Whether the other is the same text, or an element with the same name and id.
    fileprivate func isContinued(by other: MarkupElement.Child) -> Bool {
        switch (self, other) {
        case (.text(let text), .text(let other)): text.elementsEqual(other)
        case (.element(let element), .element(let other)): element.name == other.name && element.id == other.id
        case (.text, .element), (.element, .text): false
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return true }
        var rest = self
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: text.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

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
