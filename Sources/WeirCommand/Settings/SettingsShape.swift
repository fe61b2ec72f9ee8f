import Yams

/// The keys and members of a part of the settings file, for finding out which of them a later file lacks.
enum SettingsShape: Hashable, Sendable {
    case text(String)
    case list([SettingsShape])
    case mapping([String: SettingsShape])

    /// The shape of a node.
    init(_ node: Node) {
        switch node {
        case .scalar(let scalar): self = .text(scalar.string)
        case .sequence(let sequence): self = .list(sequence.map { SettingsShape($0) })
        case .mapping(let mapping):
            self = .mapping(Dictionary(mapping.map { ($0.key.string ?? "", SettingsShape($0.value)) }) { $1 })
        case .alias: self = .text("*")
        }
    }

    /// The keys and members that another shape lacks.
    ///
    /// An explicit `[]` or `{}` lacks nothing: it says that there are to be none. Neither does a value in the place of
    /// another. Members of a list are found wherever they are; those that are not found are compared in order with those
    /// that are new.
    func lost(in other: SettingsShape?, at path: String) -> [String] {
        switch (self, other) {
        case (_, .list([])), (_, .mapping([:])): []
        case (_, nil), (_, .text("")): self == other ? [] : [path]
        case (.text, _): []
        case (.list(let members), .list(let others)): Self.lost(members, in: others, at: path)
        case (.list(let members), _): members.count > 1 ? [path] : []
        case (.mapping(let members), .mapping(let others)):
            members.sorted { $0.key < $1.key }.flatMap { $0.value.lost(in: others[$0.key], at: "\(path).\($0.key)") }
        case (.mapping, _): [path]
        }
    }

    private static func lost(_ members: [SettingsShape], in others: [SettingsShape], at path: String) -> [String] {
        let known = Counts(members)
        var (found, added) = (Counts(others), known)
        let missing = members.enumerated().filter { !found.take($0.element) }
        let new = others.filter { !added.take($0) }
        return missing.enumerated().flatMap { index, member in
            let name =
                if case .text(let text) = member.element { "\(path) \(text)" } else { "\(path)[\(member.offset + 1)]" }
            return member.element.lost(in: new.dropFirst(index).first, at: name)
        }
    }

    /// How often each member is there.
    private struct Counts {
        private var counts: [SettingsShape: Int] = [:]

        init(_ members: [SettingsShape]) { for member in members { counts[member, default: 0] += 1 } }

        /// Takes one out; returns whether it was there.
        mutating func take(_ member: SettingsShape) -> Bool {
            guard let count = counts[member], count > 0 else { return false }
            counts[member] = count - 1
            return true
        }
    }
}
