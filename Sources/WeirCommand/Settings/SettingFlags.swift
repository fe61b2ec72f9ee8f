import ArgumentParser
import Foundation
import WeirStates

/// The flags of a command that accepts every setting in the table `Setting.all`.
///
/// ArgumentParser handles only `--config` and passes all other arguments through unchanged.
struct SettingFlags: ParsableArguments {
    @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?
    @Argument(parsing: .allUnrecognized, help: .hidden) var words: [String] = []

    static let help: String = {
        let lines = Setting.all.map { setting in
            let standard = setting.standard.map { " (default: \($0))" } ?? ""
            return "  \(setting.flag) <value>\n      \(setting.help)\(standard)"
        }
        return """
            A flag counts before the environment (WEIR_PORT), the environment before the file, the file before the \
            default. A flag's value follows it, or is joined to it: --port 9000, --port=9000.

            SETTINGS:
            \(lines.joined(separator: "\n"))
            """
    }()

    func sources(environment: [String: String]) -> SettingSources {
        SettingSources(flags: FlagTexts(words), config: config, environment: environment)
    }
}

/// The settings and mistakes of a command line.
struct FlagTexts: Sendable {
    /// The values by key; those of a repeated list are joined by commas.
    private(set) var texts: [String: String] = [:]
    private(set) var mistakes: [SettingMistake] = []

    init(texts: [String: String]) { self.texts = texts }

    /// Parses the arguments of a command line: `--port 9000` or `--port=9000`.
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
                // Skips the probable value of the unknown flag, so that it is not reported as well.
                if joined == nil, rest.first?.hasPrefix("--") == false { rest.removeFirst() }
                continue
            }
            if let joined {
                take(joined, for: setting)
            } else if let next = rest.first, !next.hasPrefix("--") {
                rest.removeFirst()
                take(next, for: setting)
            } else if let value = setting.bareValue {
                take(value, for: setting)
            } else {
                let form = "a value that begins with two hyphens is joined to it: \(setting.flag)=VALUE"
                note(setting.flag, "has no value; " + form)
            }
        }
    }

    /// Replaces the values of settings that something else than the command line decides.
    mutating func use(_ decided: [String: String]) { texts.merge(decided) { $1 } }

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

/// The sources of a command's settings, which a running server reads again on reload.
struct SettingSources: Sendable {
    private static let fileLimit = 1 << 20

    var flags = FlagTexts()
    /// The path of the file, or nil for `weir.yml` if it exists.
    var config: String?
    var environment: [String: String] = [:]

    /// Reads all sources; throws `SettingsError` with every mistake, not only the first.
    func read() throws(SettingsError) -> Settings {
        try Settings(flags: flags, environment: environment, file: try file())
    }

    private func file() throws(SettingsError) -> SettingsFile? {
        let standard = "weir.yml"
        guard let path = config ?? (FileManager.default.fileExists(atPath: standard) ? standard : nil) else {
            return nil
        }
        do throws(RegularFile.Failure) {
            return SettingsFile(text: try RegularFile.text(of: path, limit: Self.fileLimit), name: path)
        } catch {
            throw SettingsError(mistakes: [
                SettingMistake(
                    place: path,
                    detail: "cannot be read; use an existing file, and no pipe, with at most 1 MiB of UTF-8 text")
            ])
        }
    }
}
