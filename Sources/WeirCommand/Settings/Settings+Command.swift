import ArgumentParser
import Foundation

extension Settings {
    /// The settings of a command.
    ///
    /// Reports every mistake, and then exits with 78, EX_CONFIG.
    static func inForce(_ sources: SettingSources) throws -> Settings {
        do {
            return try sources.read()
        } catch {
            complain(error.description)
            throw ExitCode(78)
        }
    }

    /// The settings of a command that takes only some of them as flags; a flag without a text was not given.
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
