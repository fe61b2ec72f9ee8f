import WeirAccess
import WeirBoards
import WeirFiles
import Yams

/// The settings of a YAML file, each with its line.
struct SettingsFile: Sendable {
    /// A value as text, with its line.
    struct Entry: Sendable {
        let text: String
        let line: Int
    }

    /// The entries by dotted key.
    private(set) var entries: [String: Entry] = [:]
    /// The mistakes in the file.
    private(set) var mistakes: [SettingMistake] = []
    /// Who may do what, by the parts `roles` and `grants`; nil without either.
    private(set) var rules: AccessRules?
    /// Who is told how runs of all operations end, by the part `notify`.
    private(set) var notifications: [NotificationRule] = []
    /// The parts that consist of lists and mappings.
    private var parts: [String: SettingsShape] = [:]
    /// Whether the last line has an end; a file that was cut short has none, unless it was cut between two lines.
    private let isWhole: Bool
    /// The hash of the text.
    let hash: String

    /// The parts that are read as a whole.
    private static let partNames = ["roles", "grants", "notify"]

    /// Reads the text of a file; `name` identifies it in mistakes.
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

    /// The keys and the members of lists that another file lacks; nil is a file that is missing.
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
            let hint = Setting.resembling(key).map { "; did you mean `\($0)`?" } ?? "; `weir settings` lists all"
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
    /// A node of YAML as rules are read from.
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
