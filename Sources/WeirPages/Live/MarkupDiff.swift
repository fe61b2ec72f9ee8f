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
