import WeirStates

extension Shape {
    /// Checks a value against the shape; `name` is its name in mistakes, such as `states.dumping.match`.
    func check(_ value: FileValue, _ name: String, _ list: inout MistakeList) {
        switch self {
        case .list(let element, let limit):
            guard let elements = value.list else { return wrong(value, name, &list) }
            if elements.count > limit { list.note(value, "`\(name)` has more than \(limit) entries.") }
            for (index, each) in elements.prefix(limit).enumerated() {
                element.check(each, "\(name)[\(index)]", &list)
            }
        case .dictionary(let element, let limit):
            guard let members = value.members else { return wrong(value, name, &list) }
            if members.count > limit { list.note(value, "`\(name)` has more than \(limit) entries.") }
            for member in members.prefix(limit) {
                element.check(member.value, "\(name).\(member.name.prefix(40))", &list)
            }
        case .object(let keys): check(value, name, keys, &list)
        case .words(let limit):
            guard let members = value.members else { return Shape.text(limit: limit).check(value, name, &list) }
            if members.isEmpty { list.note(value, "`\(name)` has no text.") }
            for member in members {
                if !LocalizedText.isLanguage(member.name) {
                    list.note(
                        member.place, "“\(member.name.prefix(40))” is no language. Write a tag such as en or pt-BR.")
                }
                Shape.text(limit: limit).check(member.value, "\(name).\(member.name.prefix(40))", &list)
            }
        case .either(let first, let second): (second.takes(value) ? second : first).check(value, name, &list)
        case .refused(let sentence): list.note(value, sentence)
        case .any: break
        default:
            guard let text = value.text, !value.isEmpty, accepts(text) else { return wrong(value, name, &list) }
        }
    }

    /// Whether the value and the shape are both lists or both mappings.
    private func takes(_ value: FileValue) -> Bool {
        switch (self, value.content) {
        case (.list, .list), (.dictionary, .mapping), (.object, .mapping): true
        default: false
        }
    }

    private func check(_ value: FileValue, _ name: String, _ keys: [Key], _ list: inout MistakeList) {
        guard let members = value.members else { return wrong(value, name, &list) }
        for member in members {
            guard let key = keys.first(where: { $0.name == member.name }) else {
                let names = keys.map(\.name)
                let known = Self.otherNames[member.name]?.first(where: names.contains)
                let remedy =
                    (known ?? NearestName.of(member.name, among: names)).map { "Did you mean `\($0)`?" }
                    ?? "There are \(keys.map { "`\($0.name)`" }.joined(separator: ", "))."
                let place = name.isEmpty ? "An operation" : "`\(name)`"
                list.note(member.place, "\(place) has no `\(member.name.prefix(40))`. \(remedy)")
                continue
            }
            key.shape.check(member.value, name.isEmpty ? key.name : "\(name).\(key.name)", &list)
        }
        for key in keys where key.isRequired && !members.contains(where: { $0.name == key.name }) {
            let place = name.isEmpty ? "" : " in `\(name)`"
            list.note(value, "`\(key.name)` is missing\(place): \(key.help)")
        }
    }

    /// Weir's equivalents of keys of GitHub Actions, GitLab CI, Dagu, Rundeck, Compose and systemd, in order of preference.
    private static let otherNames: [String: [String]] = [
        "after_script": ["finally"], "arguments": ["args", "command"], "args": ["command"],
        "concurrency": ["at_once", "overlap"],
        "continue-on-error": ["allow_failure"], "continueOn": ["allow_failure"], "cron": ["schedule"],
        "cwd": ["working_dir"],
        "depends": ["needs"], "depends_on": ["needs"], "dependencies": ["needs"], "dir": ["working_dir"],
        "entrypoint": ["command"], "environment": ["env"], "exec": ["command"], "handlerOn": ["finally", "notify"],
        "id": ["name"], "interval": ["every"], "jobs": ["steps"], "mailOn": ["notify"], "matrix": ["for_each"],
        "maxActiveSteps": ["at_once"], "max_retries": ["retry"], "max-parallel": ["at_once"], "name": ["title"],
        "nice": ["limits"], "on": ["schedule", "triggers"], "on_failure": ["when_failed", "notify"],
        "options": ["inputs"],
        "outputs": ["artifacts"], "parallel": ["for_each", "at_once"], "parallelism": ["at_once"],
        "parameters": ["inputs"],
        "params": ["inputs", "with"], "preconditions": ["if"], "repeatPolicy": ["repeat"], "retries": ["retry"],
        "retryPolicy": ["retry"], "run": ["shell"], "script": ["shell"], "stages": ["steps"], "tasks": ["steps"],
        "timeoutSec": ["timeout"], "timeout_seconds": ["timeout"], "timeout-minutes": ["timeout"], "variables": ["env"],
        "vars": ["env"], "when": ["if"], "workdir": ["working_dir"], "workingDir": ["working_dir"],
        "working-directory": ["working_dir"],
    ]

    private func accepts(_ text: String) -> Bool {
        switch self {
        case .text(let limit): text.unicodeScalars.count <= limit
        case .name(let limit): Self.isName(text, limit: limit)
        case .choice(let words): words.contains(text)
        case .integer(let range): Self.integer(text).map(range.contains) ?? false
        case .number: Self.number(text) != nil
        case .flag: Self.flag(text) != nil
        case .duration(let most): Self.duration(text).map { $0 > .zero && $0 <= most } ?? false
        case .bytes: (ByteCount(text)?.bytes ?? 0) > 0
        case .mask: FileMask(text) != nil
        case .scalar: text.unicodeScalars.count <= 10_000
        default: false
        }
    }

    private func wrong(_ value: FileValue, _ name: String, _ list: inout MistakeList) {
        let name = name.isEmpty ? "The file" : "`\(name)`"
        guard let text = value.text, !value.isEmpty else {
            return list.note(value, "\(name) must be \(expectation), not \(value.kind).")
        }
        var sentence = "\(name) must be \(expectation), not “\(text.prefix(40))\(text.count > 40 ? "…" : "")”."
        if case .choice(let words) = self, let nearest = NearestName.of(text, among: words) {
            sentence += " Did you mean `\(nearest)`?"
        }
        list.note(value, sentence)
    }

    /// The accepted values, as the object of a sentence.
    private var expectation: String {
        switch self {
        case .text(let limit): "a text of at most \(limit) characters"
        case .name(let limit):
            "a name of at most \(limit) letters, digits, hyphens and underscores that begins with a letter"
        case .choice(let words): words.count == 1 ? "`\(words.joined())`" : "one of \(words.joined(separator: ", "))"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "a number"
        case .flag: "true or false"
        case .duration(let most):
            "a length of time such as 30s, 5m or 2h, at most \(Self.words(most))"
        case .bytes: "a number of bytes such as 512 MB"
        case .mask: "three octal digits such as 022"
        case .scalar: "a text, a number, or true or false"
        case .words: "a text, or one text for each language such as {en: …, pt-BR: …}"
        case .list: "a list"
        case .dictionary, .object: "a mapping"
        case .either(let first, let second): "\(first.expectation), or \(second.expectation)"
        case .any: "anything"
        case .refused: "left out"
        }
    }
}

// MARK: Scalars

extension Shape {
    static func isName(_ text: String, limit: Int) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= limit else { return false }
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        return isLetter(first)
            && text.utf8.allSatisfy {
                isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// A duration in whole hours, or else in minutes.
    private static func words(_ bound: Duration) -> String {
        let minutes = bound.components.seconds / 60
        let (count, unit) = minutes % 60 == 0 ? (minutes / 60, "hour") : (minutes, "minute")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    static func integer(_ text: String) -> Int64? { Int64(text) }

    static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    static func flag(_ text: String) -> Bool? { text == "true" ? true : text == "false" ? false : nil }

    /// Parses `90s`, `1h30m`, `500ms` or `2d`.
    static func duration(_ text: String) -> Duration? {
        let units: [(String, Int64)] = [
            ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        var rest = Substring(text)
        var milliseconds: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            // Nine digits cover any sensible duration, and their product cannot overflow.
            guard digits.utf8.count <= 9, let count = Int64(digits),
                let factor = units.first(where: { $0.0 == unit })?.1
            else { return nil }
            let (sum, overflows) = milliseconds.addingReportingOverflow(count * factor)
            guard !overflows else { return nil }
            milliseconds = sum
            rest = rest.dropFirst(digits.count + unit.count)
        }
        return text.isEmpty ? nil : .milliseconds(milliseconds)
    }
}
