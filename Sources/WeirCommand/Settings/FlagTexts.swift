/// The settings of a command line, by key, and its mistakes.
struct FlagTexts: Sendable {
    /// The texts by key; those of a list that was given several times are joined by commas.
    private(set) var texts: [String: String] = [:]
    /// The mistakes, in the order of the command line.
    private(set) var mistakes: [SettingMistake] = []

    /// Uses texts by key, for a command that parses its own flags.
    init(texts: [String: String]) { self.texts = texts }

    /// Reads the words of a command line: `--port 9000` or `--port=9000`.
    init(_ words: [String] = []) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                note(word, "is not a flag; a setting is written as \(Setting.all.first?.flag ?? "--port") VALUE")
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let joined = parts.count > 1 ? parts[1] : nil
            guard let setting = Setting.flagged(parts[0]) else {
                let hint = Setting.resembling(parts[0], among: \.flag).map { "did you mean \($0)?" }
                note(parts[0], "there is no such flag; " + (hint ?? "`weir settings` lists all"))
                // Most likely its value, which is not a mistake of its own.
                if joined == nil, rest.first?.hasPrefix("--") == false { rest.removeFirst() }
                continue
            }
            if let joined {
                take(joined, for: setting)
            } else if let next = rest.first, !next.hasPrefix("--") {
                rest.removeFirst()
                take(next, for: setting)
            } else {
                let form = "a value that begins with two hyphens is joined to it: \(setting.flag)=VALUE"
                note(setting.flag, "has no value; " + form)
            }
        }
    }

    private mutating func take(_ text: String, for setting: Setting) {
        if setting.isList, let before = texts[setting.key] {
            texts[setting.key] = before + "," + text
        } else {
            texts[setting.key] = text
        }
    }

    private mutating func note(_ place: String, _ detail: String) {
        mistakes.append(SettingMistake(place: place, detail: detail))
    }
}
