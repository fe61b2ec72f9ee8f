import Pages

extension PageTree {
    /// What went wrong when a patch was applied.
    struct PatchError: Error, CustomStringConvertible {
        let description: String
    }

    /// Applies a patch as `page-contract.md` says.
    func apply(_ patch: Patch) throws {
        switch patch {
        case .morph(let id, let html): try become(Self.read(html, id), at: id)
        case .morphIfPresent(let id, let html):
            let fresh = try Self.read(html, id)
            if element(id: id) != nil { try become(fresh, at: id) }
        case .append(let id, let html): try insert(Self.read(html, nil), into: id, isFirst: false)
        case .prepend(let id, let html): try insert(Self.read(html, nil), into: id, isFirst: true)
        case .remove(let id):
            if let element = element(id: id) { parent(of: element)?.children.removeAll { $0.is(element) } }
        case .text(let id, let text):
            guard let element = element(id: id) else { throw PatchError(description: "no element \(id)") }
            element.children = [.text(text)]
        }
    }

    private static func read(_ html: String, _ id: String?) throws -> PageTree {
        guard let fresh = PageTree(html), fresh["id"] != nil, id == nil || fresh["id"] == id else {
            throw PatchError(description: "not one element with the right id: \(html)")
        }
        return fresh
    }

    private func become(_ fresh: PageTree, at id: String) throws {
        guard let old = element(id: id) else { throw PatchError(description: "no element \(id)") }
        old.attributes = fresh.attributes
        old.children = fresh.children
    }

    private func insert(_ fresh: PageTree, into id: String, isFirst: Bool) throws {
        guard let parent = element(id: id) else { throw PatchError(description: "no element \(id)") }
        guard parent.elements.allSatisfy({ $0["id"] != fresh["id"] }) else {
            throw PatchError(description: "\(fresh["id"] ?? "") is there already")
        }
        parent.children.insert(.element(fresh), at: isFirst ? 0 : parent.children.count)
        guard let limit = parent["data-limit"].flatMap(Int.init) else { return }
        while parent.elements.count > limit, let surplus = isFirst ? parent.elements.last : parent.elements.first {
            parent.children.removeAll { $0.is(surplus) }
        }
    }
}

extension PageTree.Child {
    fileprivate func `is`(_ element: PageTree) -> Bool {
        guard case .element(let own) = self else { return false }
        return own === element
    }
}
