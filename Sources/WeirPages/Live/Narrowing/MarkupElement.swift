/// An element of rendered markup, with its own source, so that parts of it can be sent as they were rendered.
struct MarkupElement {
    enum Child {
        case element(MarkupElement)
        case text(ArraySlice<UInt8>)
    }

    /// The element's name, as it is written.
    let name: String
    /// The start tag, from `<` to `>`.
    let head: ArraySlice<UInt8>
    /// The value of `id`; nil without one.
    let id: String?
    /// Elements and texts, in their order.
    let children: [Child]
    /// The whole element.
    let source: ArraySlice<UInt8>

    /// The source as text.
    var html: String { String(decoding: source, as: UTF8.self) }

    /// Its attributes with their values, decoded; nil where they are not written as well-formed XML.
    var attributes: [String: String]? { MarkupReader.attributes(of: head) }

    /// Its children without the white space between lines of a template; nil as soon as there is other text.
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

    /// Its text, decoded, where it holds nothing else.
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
    /// Whether it is white space that a template has between its lines, and no space between words.
    var isLayout: Bool {
        contains(UInt8(ascii: "\n")) && allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
}
