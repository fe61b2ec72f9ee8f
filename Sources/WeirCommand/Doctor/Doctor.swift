import Foundation
import WeirAccess
import WeirFiles
import WeirFlows
import WeirStandard

/// Examines an installation: its settings, its data folder, the server, and what it depends on.
struct Doctor: Sendable {
    /// The difference between two clocks from which on times of runs and sessions are wrong, in milliseconds.
    static let tolerableSkew: Int64 = 2_500

    private let sources: SettingSources
    private let url: String?

    init(_ sources: SettingSources, url: String?) {
        self.sources = sources
        self.url = url
    }

    /// Runs all checks in order; takes 16 seconds if there is a public URL.
    func examine() async -> [Finding] {
        let watch = ClockCheck.Watch()
        let (valid, mistakes) = settingsOrDefaults()
        var findings = mistakes
        guard let settings = valid else { return findings }
        let folder = DataFolder(settings)
        if mistakes.isEmpty { findings += await configuration(settings) }
        let files = FolderCheck(folder: folder, settings: settings)
        findings += files.findings()
        let record = ServerRecord.read(in: folder)
        let server = await ServerCheck(settings: settings, folder: folder, record: record).examine()
        findings += server.findings
        if files.isReadable {
            let journal = JournalCheck(settings: settings, folder: folder)
            findings += await journal.findings() + journal.otherFiles()
            findings += BackupCheck(settings: settings, folder: folder).findings()
            findings += FolderCheck.findings(of: KeptSecrets(folder.secrets))
        }
        findings += await mail(settings)
        findings += ServiceCheck(settings: settings, record: record).findings()
        if let address = url ?? (server.isAnswering ? settings.text("public-url") : nil) {
            findings += await ProxyCheck(url: address, settings: settings).findings()
        }
        findings += ClockCheck(folder: folder, watch: watch, serverSkew: server.skew).findings()
        return findings
    }

    /// The settings; if they have mistakes, the mistakes, and the defaults with the flags for the other checks.
    private func settingsOrDefaults() -> (Settings?, [Finding]) {
        do throws(SettingsError) {
            return (try sources.read(), [])
        } catch {
            let findings = error.mistakes.map { mistake in
                Finding(
                    "settings", .failure, "\(mistake)",
                    remedy: "The other checks use the defaults. `weir settings` lists every setting and its values.")
            }
            var valid = sources.flags.texts
            for setting in Setting.all {
                if let text = valid[setting.key], setting.mistake(in: text) != nil { valid[setting.key] = nil }
            }
            return (try? Settings(flags: valid, environment: [:], file: nil), findings)
        }
    }

    private func configuration(_ settings: Settings) async -> [Finding] {
        var check: ConfigurationCheck
        do {
            check = try await WorkPool.files.run { [sources] in
                ConfigurationCheck.all(settings, config: sources.config, environment: sources.environment)
            }
        } catch {
            return [Finding("settings", .failure, "The settings cannot be checked: \(error)")]
        }
        await check.addUsers(settings)
        let problems = check.problems.map { Finding("settings", .failure, $0) }
        let remarks = check.remarks.map { Finding("settings", .warning, $0) }
        let summary = Finding(
            "settings", .good,
            "The settings, \(check.operations) operations and \(check.stores) stores have no mistakes.")
        return problems + remarks + (problems.isEmpty ? [summary] : [])
    }

    /// Signs in at the mail server, and sends nothing.
    private func mail(_ settings: Settings) async -> [Finding] {
        guard settings.text("mail.server") != nil else { return [] }
        let secrets = KeptSecrets(DataFolder(settings).secrets)
        guard let server = try? MailServer(settings, secret: { secrets.value($0) }) else { return [] }
        if let fault = await server.fault(in: .init(), within: .seconds(10)) {
            return [
                Finding(
                    "mail", .failure, "E-mail cannot be sent. \(fault)", remedy: "Correct mail.server and its settings."
                )
            ]
        }
        return [Finding("mail", .good, "The mail server \(server.host) accepts messages.")]
    }
}
