import WeirAccess
import WeirBoards
import WeirFiles
import WeirStates
import Yams

/// The settings of a YAML file, with line numbers.
struct SettingsFile: Sendable {
    struct Entry: Sendable {
        let text: String
        let line: Int
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var mistakes: [SettingMistake] = []
    /// The access rules from `roles` and `grants`, or nil if the file has neither.
    private(set) var rules: AccessRules?
    private(set) var notifications: [NotificationRule] = []
    /// The structure of the parts in `partNames`, by name.
    private var parts: [String: SettingsShape] = [:]
    /// Whether the last line ends with a newline; a truncated file has none, unless it was cut between two lines.
    private let isWhole: Bool
    let hash: String

    private static let partNames = ["roles", "grants", "notify"]

    /// Parses the text of a file, which mistakes call `name`.
    init(text: String, name: String) {
        isWhole = text.last?.isNewline ?? false
        hash = SecretText.hash(of: text)
        do {
            guard let root = try Parser(yaml: text, encoding: .utf8).singleRoot() else { return }
            guard case .mapping(let mapping) = root else {
                note(name, line: 1, "must contain settings, one `key: value` per line")
                return
            }
            readRules(mapping["roles"], mapping["grants"], name: name)
            if mapping["notify"] != nil { readNotifications(text, name: name) }
            for part in Self.partNames { parts[part] = mapping[part].map { SettingsShape($0) } }
            read(mapping, under: "", name: name)
        } catch let error as YamlError {
            mistakes.append(SettingMistake(place: Self.place(of: error, in: name), detail: Self.sentence(for: error)))
        } catch {
            mistakes.append(SettingMistake(place: name, detail: "cannot be read as YAML: \(error)"))
        }
    }

    /// The keys and list members that another file lacks; a missing file is nil.
    func lost(in other: SettingsFile?) -> [String] {
        var lost = entries.sorted { $0.key < $1.key }.flatMap { key, entry -> [String] in
            guard let text = other?.entries[key]?.text else { return [key] }
            guard Setting.named(key)?.isList == true else { return [] }
            let (before, after) = (Setting.words(of: entry.text), Setting.words(of: text))
            guard after.count < before.count else { return [] }
            return Set(before).subtracting(after).sorted().map { "\(key) \($0)" }
        }
        lost += Self.partNames.flatMap { part in parts[part]?.lost(in: other?.parts[part], at: part) ?? [] }
        let isCut = isWhole && other?.isWhole == false && !(entries.isEmpty && parts.isEmpty)
        return lost.isEmpty && isCut ? ["the end of the last line"] : lost
    }

    private mutating func read(_ mapping: Node.Mapping, under prefix: String, name: String) {
        for (keyNode, value) in mapping {
            let line = keyNode.mark?.line ?? 1
            guard let word = keyNode.string else {
                note(name, line: line, "a setting's name must be a word")
                continue
            }
            let key = prefix + word
            if prefix.isEmpty, Self.partNames.contains(word) { continue }
            if case .mapping(let inner) = value, Setting.all.contains(where: { $0.key.hasPrefix(key + ".") }) {
                read(inner, under: key + ".", name: name)
            } else {
                readValue(value, key: key, line: line, name: name)
            }
        }
    }

    private mutating func readNotifications(_ text: String, name: String) {
        let read = StandardNotifications.read(text, file: name)
        notifications = read.rules
        for mistake in read.mistakes { note(name, line: mistake.line, mistake.detail) }
    }

    private mutating func readRules(_ roles: Node?, _ grants: Node?, name: String) {
        guard roles != nil || grants != nil else { return }
        let read = AccessRulesReader.read(roles: roles.map(RuleNode.init), grants: grants.map(RuleNode.init))
        rules = read.rules
        for mistake in read.mistakes { note(name, line: mistake.line, mistake.detail) }
    }

    private mutating func readValue(_ value: Node, key: String, line: Int, name: String) {
        guard let setting = Setting.named(key) else {
            let near = value.mapping == nil ? Setting.resembling(key) : NearestName.of(key, among: Setting.levels)
            let hint = near.map { "; did you mean `\($0)`?" } ?? "; `weir settings` lists all"
            return note(name, line: line, "there is no setting `\(key)`\(hint)")
        }
        let text: String
        switch (value, setting.kind) {
        case (.scalar(let scalar), _): text = scalar.string
        case (.sequence(let sequence), .list), (.sequence(let sequence), .destinations),
            (.sequence(let sequence), .networks), (.sequence(let sequence), .origins):
            text = sequence.compactMap(\.string).joined(separator: ",")
        default: return note(name, line: line, "`\(key)` must be a single value")
        }
        if let mistake = setting.mistake(in: text) {
            note(name, line: value.mark?.line ?? line, "`\(key)` \(mistake)")
        } else {
            entries[key] = Entry(text: text, line: line)
        }
    }

    private mutating func note(_ name: String, line: Int, _ detail: String) {
        mistakes.append(SettingMistake(place: "\(name):\(line)", detail: detail))
    }

    private static func place(of error: YamlError, in name: String) -> String {
        switch error {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
            "\(name):\(mark.line)"
        case .duplicatedKeysInMapping(_, let context): "\(name):\(context.mark.line)"
        default: name
        }
    }

    private static func sentence(for error: YamlError) -> String {
        switch error {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _):
            "is not YAML here: \(problem)"
        case .duplicatedKeysInMapping(let duplicates, _):
            "has a setting twice: \(duplicates.joined(separator: ", "))"
        default: "cannot be read as YAML"
        }
    }
}

extension RuleNode {
    fileprivate init(_ node: Node) {
        let line = node.mark?.line ?? 1
        switch node {
        case .scalar(let scalar): self.init(.text(scalar.string), line: line)
        case .sequence(let sequence): self.init(.list(sequence.map { RuleNode($0) }), line: line)
        case .mapping(let mapping):
            self.init(.mapping(mapping.map { (key: RuleNode($0.key), value: RuleNode($0.value)) }), line: line)
        case .alias: self.init(.other, line: line)
        }
    }
}

/// The keys and members of a part of the settings file, to find out which of them a later file lacks.
enum SettingsShape: Hashable, Sendable {
    case text(String)
    case list([SettingsShape])
    case mapping([String: SettingsShape])

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
    /// An explicit `[]` or `{}` lacks nothing, and a changed value is not a missing one. Members of a list match in any order.
    /// Unmatched members are compared, in order, with the new members of the other list.
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

    private struct Counts {
        private var counts: [SettingsShape: Int] = [:]

        init(_ members: [SettingsShape]) { for member in members { counts[member, default: 0] += 1 } }

        /// Removes one occurrence; returns whether it was present.
        mutating func take(_ member: SettingsShape) -> Bool {
            guard let count = counts[member], count > 0 else { return false }
            counts[member] = count - 1
            return true
        }
    }
}
