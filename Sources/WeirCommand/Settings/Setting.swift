import Foundation
import WeirAccess
import WeirBoards
import WeirFiles
import WeirJournals
import WeirPostgres
import WeirStandard
import WeirStates
import WeirWeb

/// A setting: its key, the values that it accepts, and its default.
///
/// The table `Setting.all` is the only list of settings. The parsers of the command line, the environment and the file use it;
/// `weir settings` and `weir serve --help` print it; `Documentation/settings.md` is generated from it.
struct Setting: Sendable {
    enum Kind: Sendable {
        case text
        case word([String])
        case integer(ClosedRange<Int>)
        /// A duration in seconds, possibly fractional, within the bounds.
        case seconds(ClosedRange<Double>)
        /// A number of bytes with an optional unit, at least 1.
        case bytes
        case mask
        case cron
        /// The name of a time zone.
        case zone
        case url
        /// A name or an address with a port.
        case listen
        case mailAddress
        case path
        /// A journal location: a word, or the URL of a database, which can include a password.
        case journal
        /// Several words: a list in the file, separated by commas elsewhere.
        case list
        /// A list of destinations that outgoing requests can reach.
        case destinations
        case networks
        case origins
    }

    /// The key in the file, with levels separated by dots: `iss-position.url`.
    let key: String
    let kind: Kind
    /// The default value as text, or nil if the setting has no default.
    let standard: String?
    let help: String

    /// The value of the flag without one: only a start can be quiet in passing.
    var bareValue: String? { key == "quiet" ? "yes" : nil }

    var isList: Bool {
        switch kind {
        case .list, .destinations, .networks, .origins: true
        default: false
        }
    }

    var accepts: String {
        switch kind {
        case .text: "text"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .integer(let bounds): "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .seconds(let bounds): "seconds from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .bytes: "a number of bytes, such as 512 MB or 2 GiB"
        case .cron: "a cron expression, such as `30 3 * * *`"
        case .zone: "the name of a time zone, such as `Europe/Lisbon`"
        case .mask: "three octal digits, such as 022"
        case .url: "an http or https URL"
        case .listen: "an address and a port, such as 127.0.0.1:9464"
        case .mailAddress: "an e-mail address, such as weir@example.com"
        case .path: "a path"
        case .journal: "`sqlite`, `memory`, or the URL of a PostgreSQL database, `postgres://USER@HOST/DATABASE`"
        case .list: "a list; outside the file, separated by commas or with repeated flags"
        case .origins:
            "a list of origins such as `https://wiki.example.com`; outside the file, separated by commas or with repeated flags"
        case .networks:
            "a list of addresses and networks; outside the file, separated by commas or with repeated flags"
        case .destinations:
            "a list of addresses, networks, hosts or host:port; outside the file, separated by commas or with repeated flags"
        }
    }

    /// Describes why a text is not a valid value, or returns nil if it is valid.
    func mistake(in text: String) -> String? {
        switch kind {
        case .text, .path, .list:
            text.isEmpty ? "is empty; leave it out to use the default" : nil
        case .word(let words):
            words.contains(text) ? nil : "is \"\(text)\"; it must be one of \(words.joined(separator: ", "))"
        case .journal: Self.mistake(inJournal: text)
        case .integer(let bounds):
            Int(text).map(bounds.contains) == true
                ? nil : "is \"\(text)\"; it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .seconds(let bounds):
            Double(text).map(bounds.contains) == true
                ? nil : "is \"\(text)\"; it must be seconds from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .bytes:
            (ByteCount(text)?.bytes ?? 0) > 0
                ? nil : "is \"\(text)\"; it must be a number of bytes such as 512 MB or 2 GiB, and not 0"
        case .cron: Self.mistake(inSchedule: text)
        case .zone: Self.mistake(inZone: text)
        case .mask:
            FileMask(text) == nil ? "is \"\(text)\"; it must be three octal digits such as 022" : nil
        case .url:
            Self.mistake(inURL: text)
        case .listen:
            ListenAddress(text) == nil
                ? "is \"\(text)\"; it must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464" : nil
        case .mailAddress:
            MailAddress(text) == nil
                ? "is \"\(text)\"; it must be an e-mail address such as weir@example.com, in ASCII and without a name"
                : nil
        case .origins:
            Self.words(of: text).first { FrameAncestor($0) == nil }.map {
                "has \"\($0)\"; write the origin of a site, such as https://wiki.example.com, without a path"
            } ?? (Self.words(of: text).isEmpty ? "is empty; leave it out to allow no site" : nil)
        case .networks:
            Self.words(of: text).first { NetworkRange($0) == nil }.map {
                "has \"\($0)\"; write an address such as 127.0.0.1 or a network such as 10.0.0.0/8"
            } ?? (Self.words(of: text).isEmpty ? "is empty; leave it out to use the default" : nil)
        case .destinations:
            Self.words(of: text).first { OutgoingAllowance($0) == nil }.map {
                "has \"\($0)\"; write an address, a network such as 10.0.0.0/8, the name of a host, or host:port"
            } ?? (Self.words(of: text).isEmpty ? "is empty; leave it out to use the default" : nil)
        }
    }

    static func words(of list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func mistake(inSchedule text: String) -> String? {
        do throws(ScheduleError) {
            _ = try Schedule(cron: text)
            return nil
        } catch {
            return "cannot be used: \(error)"
        }
    }

    private static func mistake(inZone text: String) -> String? {
        do throws(ScheduleError) {
            _ = try Schedule.zone(text)
            return nil
        } catch {
            return "cannot be used: \(error)"
        }
    }

    private static func mistake(inURL text: String) -> String? {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains(where: \.isWhitespace) else {
            return text.contains("@")
                ? "must be a URL that begins with http:// or https://"
                : "is \"\(text)\"; it must be a URL that begins with http:// or https://"
        }
        do throws(HTTPFailure) {
            _ = try HTTPTarget(text)
            return nil
        } catch {
            return "cannot be used: \(error)"
        }
    }
}

extension Setting {
    /// Whether a reload applies a new value; all other settings require a restart.
    var isLive: Bool { Self.live.contains(key) || key.hasPrefix("retention.") }

    private static let live: Set<String> = ["allowed-hosts", "log-level"]
}

/// A mistake in a setting, with its location and the fix.
struct SettingMistake: Sendable, Equatable, CustomStringConvertible {
    /// The location: `weir.yml:3`, `WEIR_PORT` or `--port`.
    let place: String
    let detail: String

    var description: String { "\(place): \(detail)" }
}

extension Setting {
    /// The environment variable: `WEIR_ISS_POSITION_URL`.
    var variable: String {
        Self.prefix + key.uppercased().replacing("-", with: "_").replacing(".", with: "_")
    }

    /// The command-line flag: `--iss-position-url`.
    var flag: String { "--" + key.replacing(".", with: "-") }

    static let prefix = "WEIR_"

    static func named(_ key: String) -> Setting? { all.first { $0.key == key } }

    static func flagged(_ flag: String) -> Setting? { all.first { $0.flag == flag } }

    /// The setting name most similar to a mistyped one, if any; by default it compares keys.
    static func resembling(_ name: String, among names: (Setting) -> String = \.key) -> String? {
        NearestName.of(
            name, among: all.map(names), ignoring: name.hasPrefix(prefix) ? prefix.count : name.hasPrefix("--") ? 2 : 0)
    }

    /// The names of the file's levels, such as `mail` and `retention.greeting`.
    static var levels: Set<String> {
        Set(
            all.flatMap { setting in
                let words = setting.key.split(separator: ".")
                return words.indices.dropFirst().map { words[..<$0].joined(separator: ".") }
            })
    }

    /// A log line for each environment variable that has the prefix but is not a setting.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let others = ["WEIR_SERVER", "WEIR_TOKEN", "WEIR_CA_FILE", clientSecretVariable]
        let known = Set(all.map(\.variable)).union(others)
        return environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted().map { name in
            let hint = resembling(name, among: \.variable).map { "did you mean \($0)?" } ?? "`weir settings` lists all."
            return "\(name) is not a setting and has no effect; \(hint)"
        }
    }
}

/// A name or an address to listen on, with a port: `127.0.0.1:9464` or `[::1]:9464`.
struct ListenAddress: Sendable, Hashable {
    let host: String
    let port: Int

    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" }) else { return nil }
        (self.host, self.port) = (String(host), Int(port))
    }
}

extension Setting {
    /// Describes why a text is not a valid journal location, or returns nil if it is valid.
    ///
    /// The description never contains a URL, which can include a password.
    static func mistake(inJournal text: String) -> String? {
        if ["sqlite", "memory"].contains(text) { return nil }
        guard PostgresAddress.isURL(text) else {
            let shown = text.contains(":") || text.contains("@") ? "" : "is \"\(text)\"; it "
            return "\(shown)must be sqlite, memory, or the URL of a database, postgres://USER@HOST/DATABASE"
        }
        do throws(JournalError) {
            _ = try PostgresAddress(text)
            return nil
        } catch {
            return "cannot be used: \(error)"
        }
    }
}
