import WeirStates

@testable import WeirPages

extension PageTree {
    /// What went wrong when a patch was applied.
    struct PatchError: Error, CustomStringConvertible {
        let description: String
    }

    /// Applies a patch as `page-contract.md` says.
    func apply(_ patch: Patch) throws {
        switch patch {
        case .morph(let id, let html): try become(Self.read(html, id), at: id)
        case .ifPresent(let patch): if element(id: patch.target) != nil { try apply(patch) }
        case .insert(let id, let html):
            guard let next = element(id: id), let parent = parent(of: next) else {
                throw PatchError(description: "no element \(id)")
            }
            let place = parent.children.firstIndex { $0.is(next) } ?? 0
            parent.children.insert(.element(try Self.read(html, nil)), at: place)
        case .attributes(let id, let changes):
            guard let element = element(id: id) else { throw PatchError(description: "no element \(id)") }
            element.attributes.removeAll { changes.keys.contains($0.name) }
            for (name, value) in changes {
                if let value { element.attributes.append((name, value.escaped)) }
            }
        case .append(let id, let html): try insert(Self.read(html, nil), into: id, isFirst: false)
        case .prepend(let id, let html): try insert(Self.read(html, nil), into: id, isFirst: true)
        case .remove(let id):
            if let element = element(id: id) { parent(of: element)?.children.removeAll { $0.is(element) } }
        case .text(let id, let text):
            guard let element = element(id: id) else { throw PatchError(description: "no element \(id)") }
            element.children = text.isEmpty ? [] : [.text(text.escaped)]
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

extension Patch {
    /// The id of the element that has to be there.
    var target: String {
        switch self {
        case .morph(let id, _), .append(let id, _), .prepend(let id, _), .insert(let id, _), .remove(let id),
            .text(let id, _), .attributes(let id, _):
            id
        case .ifPresent(let patch): patch.target
        }
    }
}

extension Patch {
    /// The list as which the patch is sent.
    var json: JSONValue {
        .array(
            members.map { member in
                switch member {
                case .text(let text): .string(text)
                case .attributes(let list):
                    .object(Dictionary(list.map { ($0.name, $0.value.map(JSONValue.string) ?? .null) }) { $1 })
                case .optional: 1
                }
            })
    }
}

extension String {
    /// The text as the templates write it.
    fileprivate var escaped: String {
        let references: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
        return map { references[$0] ?? String($0) }.joined()
    }
}
