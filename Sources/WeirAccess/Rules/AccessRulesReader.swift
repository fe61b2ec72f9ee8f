/// Reads the rules from the `roles` and `grants` sections of the settings file.
///
/// ```yaml
/// roles:
///   deployer:
///     verbs: [see, start, cancel]
///     operations: ["deploy-*"]     # with stores and tags: what any of them names; without all three, everything
///     tags: [production]
/// grants:
///   - role: deployer
///     to: [group:ops, user:ana]    # also signed-in, everyone
///   - role: viewer
///     to: signed-in
///     operations: ["report-*"]     # narrows the role
/// ```
package struct AccessRulesReader {
    package struct Mistake: Hashable, Sendable {
        package let line: Int
        package let detail: String
    }

    private var mistakes: [Mistake] = []

    /// Reads both sections; either may be missing.
    ///
    /// - Returns: The valid rules and all errors. Use the rules only if there are no errors.
    package static func read(roles: RuleNode?, grants: RuleNode?) -> (rules: AccessRules, mistakes: [Mistake]) {
        var reader = AccessRulesReader()
        let roles = roles.map { reader.roles($0) } ?? []
        let names = Set((Role.builtIn + roles).map(\.name))
        let grants = grants.map { reader.grants($0, roles: names) } ?? []
        return (AccessRules(roles: roles, grants: grants), reader.mistakes.sorted { $0.line < $1.line })
    }

    private init() {}

    private mutating func note(_ line: Int, _ detail: String) { mistakes.append(Mistake(line: line, detail: detail)) }

    // MARK: Roles

    private mutating func roles(_ node: RuleNode) -> [Role] {
        guard case .mapping(let entries) = node.content else {
            note(node.line, "`roles` must hold roles by name")
            return []
        }
        var names: Set<String> = []
        return entries.compactMap { key, value in
            guard let name = key.text, SubjectSelection.isTag(name) else {
                note(key.line, "a role's name must be 1 to 64 lower-case letters, digits and hyphens")
                return nil
            }
            guard !Role.builtIn.contains(where: { $0.name == name }), names.insert(name).inserted else {
                note(key.line, "there is a role `\(name)` already")
                return nil
            }
            return role(name, value)
        }
    }

    private mutating func role(_ name: String, _ node: RuleNode) -> Role? {
        guard let members = members(of: node, ["verbs", "operations", "stores", "tags"], "the role `\(name)`") else {
            return nil
        }
        guard let verbs = members["verbs"] else {
            note(node.line, "the role `\(name)` needs `verbs`: \(Self.verbs)")
            return nil
        }
        return Role(name, verbs: self.verbs(verbs), selection: selection(members))
    }

    private mutating func verbs(_ node: RuleNode) -> VerbSet {
        guard let words = node.texts, !words.isEmpty else {
            note(node.line, "`verbs` must be a list of \(Self.verbs)")
            return []
        }
        return VerbSet(
            words.compactMap { word in
                guard let verb = Verb(rawValue: word.text) else {
                    note(word.line, "there is no verb `\(word.text)`; the verbs are \(Self.verbs)")
                    return nil
                }
                return verb
            })
    }

    private static let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")

    // MARK: Grants

    private mutating func grants(_ node: RuleNode, roles: Set<String>) -> [RoleGrant] {
        guard case .list(let entries) = node.content else {
            note(node.line, "`grants` must be a list, each of a `role` and whom it is given `to`")
            return []
        }
        return entries.compactMap { entry in
            guard let members = members(of: entry, ["role", "to", "operations", "stores", "tags"], "a grant") else {
                return nil
            }
            guard let role = members["role"]?.text, let to = members["to"] else {
                note(entry.line, "a grant needs a `role` and whom it is given `to`")
                return nil
            }
            guard roles.contains(role) else {
                note(
                    members["role"]?.line ?? entry.line,
                    "there is no role `\(role)`; the roles are \(roles.sorted().joined(separator: ", "))")
                return nil
            }
            return RoleGrant(RoleAssignment(role, on: selection(members)), to: grantees(to))
        }
    }

    private mutating func grantees(_ node: RuleNode) -> [RoleGrant.Grantee] {
        guard let words = node.texts, !words.isEmpty else {
            note(node.line, "`to` must be a list of everyone, signed-in, user:NAME or group:NAME")
            return []
        }
        return words.compactMap { word in
            guard let grantee = RoleGrant.Grantee(word.text) else {
                note(word.line, "`\(word.text)` is not a principal; write everyone, signed-in, user:NAME or group:NAME")
                return nil
            }
            return grantee
        }
    }

    // MARK: Parts of both

    private mutating func selection(_ members: [String: RuleNode]) -> SubjectSelection {
        guard members.keys.contains(where: { ["operations", "stores", "tags"].contains($0) }) else {
            return .everything
        }
        return SubjectSelection(
            operations: patterns(members["operations"]), stores: patterns(members["stores"]),
            tags: tags(members["tags"]))
    }

    private mutating func patterns(_ node: RuleNode?) -> [IDPattern] {
        guard let node else { return [] }
        guard let words = node.texts else {
            note(node.line, "must be a list of ids, in which * stands for any letters and ? for one")
            return []
        }
        return words.compactMap { word in
            guard let pattern = IDPattern(word.text) else {
                note(word.line, "`\(word.text)` is no pattern of ids: use lower-case letters, digits, hyphens, * and ?")
                return nil
            }
            return pattern
        }
    }

    private mutating func tags(_ node: RuleNode?) -> Set<String> {
        guard let node else { return [] }
        guard let words = node.texts, words.allSatisfy({ SubjectSelection.isTag($0.text) }) else {
            note(node.line, "`tags` must be a list of words of lower-case letters, digits and hyphens")
            return []
        }
        return Set(words.map(\.text))
    }

    private mutating func members(of node: RuleNode, _ known: [String], _ what: String) -> [String: RuleNode]? {
        guard case .mapping(let entries) = node.content else {
            note(node.line, "\(what) must be given as `key: value` of \(known.joined(separator: ", "))")
            return nil
        }
        var members: [String: RuleNode] = [:]
        for (key, value) in entries {
            guard let name = key.text, known.contains(name) else {
                note(key.line, "\(what) has no `\(key.text ?? "")`; it has \(known.joined(separator: ", "))")
                continue
            }
            members[name] = value
        }
        return members
    }
}

/// A node of a settings file with its line, independent of the file's format.
package struct RuleNode: Sendable {
    package indirect enum Content: Sendable {
        case text(String)
        case list([RuleNode])
        case mapping([(key: RuleNode, value: RuleNode)])
        case other
    }

    let content: Content
    let line: Int

    package init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    var text: String? {
        guard case .text(let text) = content else { return nil }
        return text
    }

    /// The texts of a list, or a single text as a list of one; nil for other nodes.
    var texts: [(text: String, line: Int)]? {
        switch content {
        case .text(let text): return [(text, line)]
        case .list(let nodes):
            let texts = nodes.compactMap { node in node.text.map { ($0, node.line) } }
            return texts.count == nodes.count ? texts : nil
        case .mapping, .other: return nil
        }
    }
}
