import ArgumentParser
import Foundation
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStandard
import WeirStates
import WeirWeb

/// The effective settings: a flag overrides the environment, the environment the file, and the file the default.
struct Settings: Sendable {
    private let texts: [String: String]
    let file: SettingsFile?
    /// The access rules from the file's roles and grants, or nil if it has neither.
    let rules: AccessRules?
    let notifications: [NotificationRule]
    /// The client secret of `auth: oidc`, from the environment.
    let clientSecret: String?

    /// Merges the sources; throws `SettingsError` with every mistake, not only the first.
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

    init(flags: [String: String], environment: [String: String], file: SettingsFile?) throws(SettingsError) {
        try self.init(flags: FlagTexts(texts: flags), environment: environment, file: file)
    }

    func text(_ key: String) -> String? { texts[key] }

    /// The value as an integer, whose bounds are already checked.
    func integer(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

    func bytes(_ key: String) -> ByteCount? { text(key).flatMap { ByteCount($0) } }

    func duration(_ key: String) -> Duration? { text(key).flatMap { Double($0) }.map { .seconds($0) } }

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

    /// The destinations that outgoing requests can reach, in addition to the public internet.
    var allowances: [OutgoingAllowance] { list("http-request.allow").compactMap { OutgoingAllowance($0) } }

    var journal: SQLiteJournal.Configuration {
        SQLiteJournal.Configuration(durability: text("journal.durability") == "machine" ? .machine : .process)
    }

    /// The zone of `timezone`, whose name is already checked.
    var zone: TimeZone { text("timezone").flatMap { try? Schedule.zone($0) } ?? .gmt }

    var templatesFolder: URL? { text("templates").map { URL(filePath: $0, directoryHint: .isDirectory) } }

    func list(_ key: String) -> [String] {
        Setting.words(of: text(key) ?? "")
    }
}

struct SettingsError: Error, CustomStringConvertible {
    /// The mistakes, in order of precedence of their sources.
    let mistakes: [SettingMistake]

    var description: String { mistakes.map(\.description).joined(separator: "\n") }
}

extension Settings {
    /// Whether the server is reachable only from this machine.
    ///
    /// If so, programs can name the actor they act for; on a network, any client could.
    var isOnLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(text("host") ?? "127.0.0.1") }

    func setLimits(of board: inout Board.Configuration) {
        board.zone = zone
        set(&board.maximumActiveRuns, "runs.maximum")
        set(&board.maximumActiveRunsPerOperation, "runs.maximum-per-operation")
        set(&board.maximumActiveRunsPerActor, "runs.maximum-per-actor")
        board.maximumOutput = bytes("programs.max-output")?.bytes ?? board.maximumOutput
        set(&board.maximumReportedRuns, "reports.maximum")
        set(&board.reportLease, "reports.lease")
        set(&board.maximumReportLease, "reports.maximum-lease")
    }

    func setLimits(of web: inout WebConfiguration) {
        web.maximumActiveRuns = integer("runs.maximum")
        web.showsViewers = text("store.viewers") != "no"
        set(&web.maximumStateBytes, "store.state-bytes")
        set(&web.stateWritesPerMinute, "store.state-writes")
        web.maximumUploadBytes = bytes("upload.maximum-size")?.bytes
        web.unfinishedUploads.bytes = bytes("upload.maximum-unfinished")?.bytes ?? web.unfinishedUploads.bytes
        web.unfinishedUploads.age = Int64(max(1, integer("upload.keep-days") ?? 3)) * 86_400_000
        web.maximumImportBytes = bytes("import.maximum-size")?.bytes ?? web.maximumImportBytes
        web.maximumImportLine = bytes("import.maximum-line") ?? web.maximumImportLine
        set(&web.maximumExports, "export.maximum-concurrent")
        web.connections.count = integer("connections.count")
        web.connections.countPerAddress = integer("connections.per-address")
        set(&web.connections.idle, "connections.idle")
        set(&web.connections.head, "connections.head")
        set(&web.connections.bodyRate, "connections.body-rate")
        set(&web.connections.bodyGrace, "connections.body-grace")
        set(&web.connections.stall, "connections.stall")
        set(&web.connections.pipeline, "connections.pipeline")
        set(&web.connections.unsentBytes, "connections.unsent-bytes")
        set(&web.reports.messages, "reports.messages")
        set(&web.reports.lineBytes, "reports.line-bytes")
        set(&web.reports.stateBytes, "reports.state-bytes")
        set(&web.maximumHolds, "requests.holds")
        set(&web.maximumBodyBytes, "requests.body-bytes")
        set(&web.bodyMemory, "requests.body-memory")
        set(&web.answerMemory, "requests.answer-memory")
    }

    private func set(_ limit: inout Int, _ key: String) { limit = integer(key) ?? limit }

    private func set(_ limit: inout Duration, _ key: String) { limit = duration(key) ?? limit }
}

extension Settings {
    /// Reads the settings of a command; prints every mistake and exits with 78, EX_CONFIG.
    static func inForce(_ sources: SettingSources) throws -> Settings {
        do {
            return try sources.read()
        } catch {
            complain(error.description)
            throw ExitCode(78)
        }
    }

    /// Reads the settings of a command that accepts only some of them as flags; a nil value is an absent flag.
    static func inForce(flags: [String: String?], config: String?) throws -> Settings {
        try inForce(
            SettingSources(
                flags: FlagTexts(texts: flags.compactMapValues { $0 }), config: config,
                environment: ProcessInfo.processInfo.environment))
    }
}

/// Writes a message to standard error.
func complain(_ words: String) {
    FileHandle.standardError.write(Data((words + "\n").utf8))
}
