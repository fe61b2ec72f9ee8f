import Mustache

/// HTML that our own templates rendered: inserted by `{{{…}}}` as it is.
struct TrustedHTML: MustacheCustomRenderable {
    let html: String

    init(_ html: String) { self.html = html }

    init(_ parts: some Sequence<TrustedHTML>) { html = parts.map(\.html).joined() }

    /// The ids in it, in one pass over its bytes: a state with many parts is long.
    var ids: Set<String> {
        var ids: Set<String> = []
        var rest = html.utf8[...]
        let opening = " id=\"".utf8
        while let space = rest.firstIndex(of: UInt8(ascii: " ")) {
            rest = rest[space...]
            guard rest.starts(with: opening) else {
                rest = rest.dropFirst()
                continue
            }
            let id = rest.dropFirst(opening.count).prefix { $0 != UInt8(ascii: "\"") }
            ids.insert(String(decoding: id, as: UTF8.self))
            rest = rest[id.endIndex...]
        }
        return ids
    }

    var renderText: String { html }
    var isNull: Bool { false }
}
