package import Foundation
package import Logging
import WeirStates

/// One message of the log as a line of text or JSON.
///
/// Neither format lets a value end the line: both escape control and format characters and the separators of lines.
enum LogLine {
    /// The keys of the context, which JSON shows beside the message; all other metadata is in `metadata`.
    static let contextKeys = ["request", "run", "operation", "trace"]

    /// The event as a JSON object, without a line break.
    static func json(
        _ event: LogEvent, label: String, metadata: Logger.Metadata, at date: Date
    ) -> String {
        var members = [
            ("time", date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            ("level", event.level.rawValue), ("logger", label), ("message", event.message.description),
        ].map { (name: $0, value: JSONValue.string($1)) }
        var rest = metadata
        for key in contextKeys {
            guard let value = rest.removeValue(forKey: key) else { continue }
            members.append((key, json(value)))
        }
        if !rest.isEmpty { members.append(("metadata", .object(rest.mapValues(json)))) }
        let texts = members.map { name, value in "\"\(name)\":\((try? value.text()) ?? "null")" }
        return escaped("{" + texts.joined(separator: ",") + "}")
    }

    /// JSON with escapes for what ends or disguises a line to some readers; outside strings JSON has none of it.
    private static func escaped(_ json: String) -> String {
        if json.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return json }
        var text = ""
        for scalar in json.unicodeScalars {
            guard endsOrDisguises(scalar) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }

    private static func endsOrDisguises(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        // Text quotes values from outside, which JSON does by itself.
        case .string(let text): .string(Quoted.content(of: text) ?? text)
        case .stringConvertible(let value): .string(Quoted.content(of: "\(value)") ?? "\(value)")
        case .array(let values): .array(values.map(json))
        case .dictionary(let members): .object(members.mapValues(json))
        }
    }

    /// A line of text, whose line break at the end is the only one.
    static func text(_ line: String) -> String {
        let isPlain = line.utf8.dropLast().allSatisfy { (0x20..<0x7F).contains($0) }
        if isPlain { return line }
        var text = ""
        for scalar in line.unicodeScalars {
            if endsOrDisguises(scalar) {
                text += scalar == "\n" ? "\\n" : "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return (line.hasSuffix("\n") ? String(text.dropLast(2)) : text) + "\n"
    }
}

/// Writes messages as JSON, one object per line.
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata = Logger.Metadata()
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void

    package init(
        label: String, metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider,
        now: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable (String) -> Void = LogOutput.write
    ) {
        self.label = label
        self.metadataProvider = metadataProvider
        self.now = now
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        write(LogLine.json(event, label: label, metadata: all, at: now()) + "\n")
    }
}

/// Standard error, as a stream of whole lines.
package struct LogOutput: TextOutputStream, Sendable {
    package init() {}

    package mutating func write(_ string: String) { Self.write(LogLine.text(string)) }

    package static let write: @Sendable (String) -> Void = { line in
        // An error of the log itself cannot be logged.
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
