import Foundation
import WeirAccess
import WeirBoards
import WeirStates

/// The values of the settings by key, without secrets, for the log and the audit.
struct SettingsSummary: Sendable {
    private struct Value: Sendable {
        let shown: String
        /// The exact value, or nil in a summary that was read from a file.
        var exact: String?

        func differs(from other: Value) -> Bool {
            guard let exact, let other = other.exact else { return shown != other.shown }
            return exact != other
        }
    }

    private var values: [String: Value] = [:]

    init(_ settings: Settings) {
        for setting in Setting.all {
            guard let text = settings.text(setting.key) else { continue }
            values[setting.key] = Value(shown: Self.shown(text, setting.kind), exact: text)
        }
        for (key, words) in (settings.rules ?? AccessRules()).summary {
            values[key] = Value(shown: words, exact: words)
        }
        for rule in settings.notifications {
            let events = rule.events.map(\.rawValue).sorted().joined(separator: ", ")
            values["notify \(rule.name)"] = Value(shown: "\(events): \(rule.place)", exact: "\(rule)")
        }
    }

    /// A value without secrets: of a URL, only the scheme, the host and the port.
    private static func shown(_ text: String, _ kind: Setting.Kind) -> String {
        switch kind {
        case .url, .journal: break
        default: return text
        }
        guard let scheme = text.range(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let hidden = rest.count > authority.count + 1 ? "/…" : ""
        return "\(text[..<scheme.upperBound])\(host)\(hidden)"
    }

    // MARK: Comparing

    func changes(to later: SettingsSummary) -> [SettingsChange] {
        Set(values.keys).union(later.values.keys).sorted().compactMap { key in
            let (before, after) = (values[key], later.values[key])
            guard let before, let after else { return SettingsChange(key: key, before?.shown, after?.shown) }
            guard before.differs(from: after) else { return nil }
            let isSeen = before.shown != after.shown
            return SettingsChange(key: key, before.shown, isSeen ? after.shown : "\(after.shown) (another value)")
        }
    }

    // MARK: In a file

    private static let fileLimit = 16 << 20

    /// Reads a summary written by ``write(to:)``; nil if the file is missing or damaged.
    init?(file: URL) {
        guard let data = try? RegularFile.bytes(of: file.path, limit: Self.fileLimit),
            let members = try? JSONValue(parsing: data).object
        else { return nil }
        values = members.compactMapValues { $0.string.map { Value(shown: $0) } }
    }

    /// Writes the summary for the next start, readable by its owner only.
    func write(to file: URL) throws {
        let text = try JSONValue.object(values.mapValues { .string($0.shown) }).text()
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}

/// A changed setting, role, grant or notification.
struct SettingsChange: Sendable, Equatable {
    /// The key of the setting, or `roles.NAME`, `grants GRANTEE`, `notify NAME`.
    let key: String
    /// The values without secrets, or `none` if absent.
    let before, after: String

    init(key: String, _ before: String?, _ after: String?) {
        self.key = key
        self.before = before ?? "none"
        self.after = after ?? "none"
    }

    /// Whether the change modifies an existing role or grant.
    var isOfRights: Bool { before != "none" && (key.hasPrefix("roles.") || key.hasPrefix("grants ")) }

    var isLive: Bool { Setting.named(key)?.isLive ?? true }
}
