import Configuration
import Foundation
import Journals

/// The settings in force: a flag counts before the environment, the environment before the file, the file before the
/// default.
struct Settings: Sendable {
    private let reader: ConfigReader

    /// Gathers the settings.
    ///
    /// - Parameters:
    ///   - flags: Texts given on the command line, by key.
    ///   - environment: The process's environment.
    ///   - file: The file's settings, if there is one.
    /// - Throws: `SettingsError` with every mistake there is, not only the first.
    init(flags: [String: String], environment: [String: String], file: SettingsFile?) throws(SettingsError) {
        var mistakes: [SettingMistake] = []
        func check(_ key: String, _ text: String, place: String) {
            guard let mistake = Setting.named(key)?.mistake(in: text) else { return }
            mistakes.append(SettingMistake(place: place, detail: mistake))
        }
        for (key, text) in flags.sorted(by: { $0.key < $1.key }) { check(key, text, place: "--\(key)") }
        for setting in Setting.all {
            guard let text = environment[setting.variable] else { continue }
            check(setting.key, text, place: setting.variable)
        }
        mistakes += file?.mistakes ?? []
        guard mistakes.isEmpty else { throw SettingsError(mistakes: mistakes) }
        let standards = Setting.all.compactMap { setting in setting.standard.map { (setting.key, $0) } }
        reader = ConfigReader(providers: [
            Self.provider("command line", flags),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "weir"),
            Self.provider("file", (file?.entries ?? [:]).mapValues(\.text)),
            Self.provider("defaults", Dictionary(standards) { $1 }),
        ])
    }

    private static func provider(_ name: String, _ texts: [String: String]) -> InMemoryProvider {
        InMemoryProvider(
            name: name,
            values: Dictionary(
                texts.map {
                    (AbsoluteConfigKey(components(of: $0.key)), ConfigValue(.string($0.value), isSecret: false))
                }
            ) { $1 })
    }

    private static func components(of key: String) -> [String] { key.split(separator: ".").map(String.init) }

    /// The text of a setting, if it has one.
    func text(_ key: String) -> String? { reader.string(forKey: ConfigKey(Self.components(of: key))) }

    /// The whole number of a setting; its bounds were checked before.
    func integer(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

    /// The length of time of a setting.
    func duration(_ key: String) -> Duration? { text(key).flatMap { Double($0) }.map { .seconds($0) } }

    /// Which ended runs are kept.
    var retention: RetentionPolicy {
        let days = { (key: String) in integer(key).map { Int64($0) * 86_400_000 } }
        let standard = RetentionPolicy.Limits(
            maximumAge: days("retention.days"), maximumRuns: integer("retention.runs"))
        let own = StandardCatalog.ids.map { id in
            let limits = RetentionPolicy.Limits(
                maximumAge: days("retention.\(id).days") ?? standard.maximumAge,
                maximumRuns: integer("retention.\(id).runs") ?? standard.maximumRuns)
            return (id, limits)
        }
        return RetentionPolicy(
            maximumAge: standard.maximumAge, maximumRunsPerOperation: standard.maximumRuns,
            operations: Dictionary(own) { $1 }.filter { $0.value != standard })
    }

    /// The folder whose templates take the place of the built-in ones.
    var templatesFolder: URL? { text("templates").map { URL(filePath: $0, directoryHint: .isDirectory) } }

    /// The words of a list.
    func list(_ key: String) -> [String] {
        (text(key) ?? "").split(separator: ",").map { String($0.drop(while: \.isWhitespace)) }.filter { !$0.isEmpty }
    }
}
