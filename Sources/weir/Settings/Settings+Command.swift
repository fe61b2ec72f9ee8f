import ArgumentParser
import Foundation

extension Settings {
    /// The settings in force for a command that was given these flags, those without a text not being given.
    ///
    /// Tells every mistake, and then ends the command with 78, EX_CONFIG.
    static func inForce(flags: [String: String?], config: String?) throws -> Settings {
        do {
            return try Settings(
                flags: flags.compactMapValues { $0 }, environment: ProcessInfo.processInfo.environment,
                file: try file(config))
        } catch {
            complain(error.description)
            throw ExitCode(78)
        }
    }

    /// The settings file that was named, or `weir.yml` where there is one.
    private static func file(_ path: String?) throws(SettingsError) -> SettingsFile? {
        let standard = "weir.yml"
        guard let path = path ?? (FileManager.default.fileExists(atPath: standard) ? standard : nil) else { return nil }
        do {
            let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
            return SettingsFile(text: text, name: path)
        } catch {
            throw SettingsError(mistakes: [
                SettingMistake(place: path, detail: "cannot be read; name a file that is there and is UTF-8 text")
            ])
        }
    }
}

/// Says what is wrong, on standard error.
func complain(_ words: String) {
    FileHandle.standardError.write(Data((words + "\n").utf8))
}
