package import Foundation
package import Logging
import Synchronization
import WeirStates

/// The secrets for operation files, by name, in a file with permissions for its owner only.
///
/// The file is a JSON object of texts. It is read at each use, so changes by commands take effect at once, and replaced
/// atomically. If it is emptied, corrupted or removed while a server runs, the secrets read last stay in effect and an error is
/// logged.
package struct KeptSecrets: Sendable {
    /// The secrets read last, shared by all copies of the struct.
    private final class Memory: Sendable {
        let state = Mutex((secrets: [String: String](), isLost: false))
    }

    private let file: URL
    private let memory = Memory()
    private let logger: Logger

    package init(_ file: URL, logger: Logger = Logger(label: "weir.secrets")) {
        self.file = file
        self.logger = logger
    }

    /// Returns whether a text is a valid name: at most 40 letters, digits, hyphens and underscores.
    static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }

    package static let limit = 65_536
    private static let fileLimit = 64 << 20

    /// Reads all secrets; empty if the file does not exist.
    ///
    /// Throws `AccessError` if the file cannot be read.
    package func all() throws(AccessError) -> [String: String] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        guard let data = try? RegularFile.bytes(of: file.path, limit: Self.fileLimit),
            let members = try? JSONValue(parsing: data).object
        else {
            throw AccessError(
                .unavailable,
                "The file of secrets, \(file.lastPathComponent) in the data folder, cannot be read. Put a copy of it in its "
                    + "place, or remove it and set the secrets again.")
        }
        return members.compactMapValues(\.string)
    }

    /// The secret with the given name, or nil if it is not set or the file was never readable.
    package func value(_ name: String) -> String? {
        let read = try? all()
        let isThere = FileManager.default.fileExists(atPath: file.path)
        let (secret, isNewlyLost, changed) = memory.state.withLock { state in
            let (wasLost, before) = (state.isLost, state.secrets)
            state.isLost = read == nil || (!isThere && !state.secrets.isEmpty)
            if let read, !state.isLost { state.secrets = read }
            let secrets = state.secrets
            return (
                secrets[name], state.isLost && !wasLost, before.filter { secrets[$0.key] != $0.value }.keys.sorted()
            )
        }
        for name in changed {
            logger.notice("A secret has another value than before.", metadata: ["secret": "\(Quoted(name))"])
        }
        if isNewlyLost {
            logger.error(
                "The file of secrets is missing or cannot be read; the secrets read before stay in force. Put a copy of it in its place, or set the secrets again.",
                metadata: ["file": "\(file.lastPathComponent)"])
        }
        return secret
    }

    /// Sets a secret, or removes it if `value` is nil.
    ///
    /// Throws `AccessError` with the remedy.
    package func set(_ name: String, to value: String?) throws(AccessError) {
        guard Self.isName(name) else {
            throw AccessError(
                .invalid, "The name of a secret is made of at most 40 letters, digits, hyphens and underscores.")
        }
        if let value, value.isEmpty || value.utf8.count > Self.limit {
            throw AccessError(.invalid, "A secret has 1 to \(Self.limit) bytes.")
        }
        var members = try all()
        if value == nil, members[name] == nil { throw AccessError(.missing, "There is no secret “\(name)”.") }
        members[name] = value
        do {
            try write(members)
        } catch {
            throw AccessError(
                .unavailable,
                "The file of secrets, \(file.lastPathComponent) in the data folder, cannot be written. Check the folder’s owner "
                    + "and the disk.")
        }
    }

    private func write(_ members: [String: String]) throws {
        let text = try JSONValue.object(members.mapValues(JSONValue.string)).text()
        // Created with restricted permissions before anything is written.
        let draft = file.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: draft)
        guard
            FileManager.default.createFile(
                atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forWritingTo: draft)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.synchronize()
        try handle.close()
        guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
