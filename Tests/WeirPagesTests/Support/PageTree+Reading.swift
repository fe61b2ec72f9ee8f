extension PageTree {
    /// Reads markup with one root element.
    convenience init?(_ html: String) {
        var rest = html[...]
        let top = PageTree(name: "")
        var open = [top]
        while !rest.isEmpty {
            guard rest.first == "<" else {
                let text = rest.prefix { $0 != "<" }
                if !text.allSatisfy(\.isWhitespace) { open[open.count - 1].children.append(.text(String(text))) }
                rest = rest.dropFirst(text.count)
                continue
            }
            guard let end = rest.firstIndex(of: ">") else { return nil }
            let tag = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.count > 1, open.removeLast().name == tag.dropFirst() else { return nil }
                continue
            }
            let isVoid = tag.hasSuffix("/")
            let element = PageTree.start(isVoid ? tag.dropLast() : tag)
            open[open.count - 1].children.append(.element(element))
            if !isVoid { open.append(element) }
        }
        guard open.count == 1, let root = top.elements.first, top.elements.count == 1 else { return nil }
        self.init(name: root.name, attributes: root.attributes)
        children = root.children
    }

    private static func start(_ tag: Substring) -> PageTree {
        let name = tag.prefix { !$0.isWhitespace }
        var rest = tag.dropFirst(name.count)
        var attributes: [(name: String, value: String)] = []
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].filter { !$0.isWhitespace }
            let value = rest[rest.index(equals, offsetBy: 2)...].prefix { $0 != "\"" }
            attributes.append((String(name), String(value)))
            rest = rest[rest.index(after: value.endIndex)...]
        }
        return PageTree(name: String(name), attributes: attributes)
    }
}
