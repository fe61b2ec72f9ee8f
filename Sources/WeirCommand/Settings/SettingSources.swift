import Foundation
import WeirStates

/// The sources of a command's settings; a running server reads them again on request.
struct SettingSources: Sendable {
    /// The most bytes of a file.
    private static let fileLimit = 1 << 20

    /// The command line.
    var flags = FlagTexts()
    /// The given file; nil for `weir.yml` if it exists.
    var config: String?
    /// The process's environment.
    var environment: [String: String] = [:]

    /// Reads all of them.
    ///
    /// Throws `SettingsError` with every mistake, not only the first.
    func read() throws(SettingsError) -> Settings {
        try Settings(flags: flags, environment: environment, file: try file())
    }

    private func file() throws(SettingsError) -> SettingsFile? {
        let standard = "weir.yml"
        guard let path = config ?? (FileManager.default.fileExists(atPath: standard) ? standard : nil) else {
            return nil
        }
        do throws(RegularFile.Failure) {
            return SettingsFile(text: try RegularFile.text(of: path, limit: Self.fileLimit), name: path)
        } catch {
            throw SettingsError(mistakes: [
                SettingMistake(
                    place: path,
                    detail: "cannot be read; use an existing file, and no pipe, with at most 1 MiB of UTF-8 text")
            ])
        }
    }
}
