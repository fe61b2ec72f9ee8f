import Foundation
import WeirStates

/// The operator's agreement that the next reload applies a settings file though it lacks keys: its hash, in a file of the
/// data folder that only its owner can read.
struct SettingsAcceptance: Sendable {
    private let file: URL

    init(_ folder: DataFolder) { file = folder.url.appending(path: "accepted-settings") }

    /// Agrees to exactly that file.
    func give(_ settings: SettingsFile) throws {
        try Data((settings.hash + "\n").utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// The hash of the file that was agreed to; counts once.
    func take() -> String? {
        guard let text = try? RegularFile.text(of: file.path, limit: 1_024) else { return nil }
        do {
            try FileManager.default.removeItem(at: file)
        } catch {
            return nil
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
