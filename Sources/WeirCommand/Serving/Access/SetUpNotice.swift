import Access
import Foundation
import Logging

/// Says the code for the first user: on the console, or in a file where there is nobody to see one.
struct SetUpNotice {
    let directory: AccessDirectory
    let folder: DataFolder
    let logger: Logger

    private var file: URL { folder.url.appending(path: "setup-code") }

    /// Makes the code if there are no users yet, and says it.
    func say(url: String) throws {
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        guard let code = directory.makeSetUpCode() else { return }
        if isatty(1) == 1 {
            print("Nobody can sign in yet. Open \(url)setup within 15 minutes and enter this code: \(code)")
            fflush(nil)
            return
        }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data((code + "\n").utf8), attributes: [.posixPermissions: 0o600])
        else { throw StartError.unavailable("The code for the first user cannot be written to \(file.path).") }
        logger.notice(
            "Nobody can sign in yet. Open /setup within 15 minutes and enter the code that is in the file.",
            metadata: ["file": "\(file.path)"])
    }
}
