import Foundation
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStandard
import WeirStates

/// The settings: a flag overrides the environment, the environment overrides the file, the file overrides the default.
struct Settings: Sendable {
    /// The text of each setting that has one, by key.
    private let texts: [String: String]
    /// The file's settings; nil without a file.
    let file: SettingsFile?
    /// Who may do what, by the file's roles and grants; nil without either.
    let rules: AccessRules?
    /// Who is told how runs of all operations end, by the file.
    let notifications: [NotificationRule]
    /// The client secret of `auth: oidc`, if the environment has it.
    let clientSecret: String?

    /// Gathers the settings.
    ///
    /// - Parameters:
    ///   - flags: What the command line says.
    ///   - environment: The process's environment.
    ///   - file: The file's settings, if there is one.
    /// - Throws: `SettingsError` with every mistake there is, not only the first.
    init(flags: FlagTexts, environment: [String: String], file: SettingsFile?) throws(SettingsError) {
        var mistakes = flags.mistakes
        func check(_ key: String, _ text: String, place: String) {
            guard let mistake = Setting.named(key)?.mistake(in: text) else { return }
            mistakes.append(SettingMistake(place: place, detail: mistake))
        }
        for setting in Setting.all {
            guard let text = flags.texts[setting.key] else { continue }
            check(setting.key, text, place: setting.flag)
        }
        for setting in Setting.all {
            guard let text = environment[setting.variable] else { continue }
            check(setting.key, text, place: setting.variable)
        }
        mistakes += file?.mistakes ?? []
        guard mistakes.isEmpty else { throw SettingsError(mistakes: mistakes) }
        self.file = file
        rules = file?.rules
        notifications = file?.notifications ?? []
        clientSecret = environment[Setting.clientSecretVariable]
        var texts: [String: String] = [:]
        for setting in Setting.all {
            texts[setting.key] =
                flags.texts[setting.key] ?? environment[setting.variable] ?? file?.entries[setting.key]?.text
                ?? setting.standard
        }
        self.texts = texts
    }

    /// Gathers the settings, those of the command line being texts by key.
    init(flags: [String: String], environment: [String: String], file: SettingsFile?) throws(SettingsError) {
        try self.init(flags: FlagTexts(texts: flags), environment: environment, file: file)
    }

    /// The text of a setting, if it has one.
    func text(_ key: String) -> String? { texts[key] }

    /// The whole number of a setting; its bounds have already been checked.
    func integer(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

    /// The number of bytes of a setting.
    func bytes(_ key: String) -> ByteCount? { text(key).flatMap { ByteCount($0) } }

    /// The duration of a setting.
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

    /// Where requests may go besides the public internet.
    var allowances: [OutgoingAllowance] { list("http-request.allow").compactMap { OutgoingAllowance($0) } }

    /// What a recorded change survives.
    var journal: SQLiteJournal.Configuration {
        SQLiteJournal.Configuration(durability: text("journal.durability") == "machine" ? .machine : .process)
    }

    /// The folder whose templates replace the built-in ones.
    var templatesFolder: URL? { text("templates").map { URL(filePath: $0, directoryHint: .isDirectory) } }

    /// The words of a list.
    func list(_ key: String) -> [String] {
        Setting.words(of: text(key) ?? "")
    }
}

/// All mistakes in the settings.
struct SettingsError: Error, CustomStringConvertible {
    /// The mistakes, in order of precedence of their sources.
    let mistakes: [SettingMistake]

    var description: String { mistakes.map(\.description).joined(separator: "\n") }
}
