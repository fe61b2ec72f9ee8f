import Foundation
import WeirAccess
import WeirFiles
import WeirStandard
import WeirStates
import WeirWeb

/// One thing that can be set: its key, what it accepts, what it is when nobody sets it.
///
/// The table `Setting.all` is the only place where settings are listed: the command line, the environment and the file
/// are read by it, `weir settings` and `weir serve --help` print it, and `Documentation/settings.md` is made of it.
struct Setting: Sendable {
    /// What a setting accepts, and how its text becomes a value.
    enum Kind: Sendable {
        /// Any text.
        case text
        /// One of these words.
        case word([String])
        /// A whole number within the bounds.
        case integer(ClosedRange<Int>)
        /// A length of time in seconds, fractions allowed, within the bounds.
        case seconds(ClosedRange<Double>)
        /// A number of bytes with or without a unit, from 1 byte up.
        case bytes
        /// The bits of `umask`, in octal digits.
        case mask
        /// An absolute http or https URL.
        case url
        /// A file or folder.
        case path
        /// Where a journal is kept: a word, or the URL of a database, which can have a password.
        case journal
        /// Several words, as a list in the file and separated by commas elsewhere.
        case list
        /// Several places that requests may go to, as a list is written.
        case destinations
        /// Addresses and networks, as a list is written.
        case networks
        /// Sites, as a list of their origins is written.
        case origins
    }

    /// The key as in the file, levels separated by dots: `iss-position.url`.
    let key: String
    /// What it accepts.
    let kind: Kind
    /// The text of its value when nobody sets it; nil where there is none.
    let standard: String?
    /// What it is for, in a sentence.
    let help: String

    /// Whether it has several words.
    var isList: Bool {
        switch kind {
        case .list, .destinations, .networks, .origins: true
        default: false
        }
    }

    /// What it accepts, in words for a table.
    var accepts: String {
        switch kind {
        case .text: "text"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .integer(let bounds): "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .seconds(let bounds): "seconds from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .bytes: "a number of bytes, such as 512 MB or 2 GiB"
        case .mask: "three octal digits, such as 022"
        case .url: "an http or https URL"
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

    /// What is wrong with a text as a value of this setting; nil when nothing is.
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
        case .mask:
            FileMask(text) == nil ? "is \"\(text)\"; it must be three octal digits such as 022" : nil
        case .url:
            Self.mistake(inURL: text)
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

    /// The words of a list that is written as one text.
    static func words(of list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
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
    /// Whether a running server takes a new value up when it reads its settings again; all others need a restart.
    var isLive: Bool { Self.live.contains(key) || key.hasPrefix("retention.") }

    private static let live: Set<String> = ["allowed-hosts", "log-level"]
}

/// A mistake in a setting: where it stands and what would be right.
struct SettingMistake: Sendable, Equatable, CustomStringConvertible {
    /// Where it stands: `weir.yml:3`, `WEIR_PORT` or `--port`.
    let place: String
    /// What is wrong and what would be right.
    let detail: String

    var description: String { "\(place): \(detail)" }
}
