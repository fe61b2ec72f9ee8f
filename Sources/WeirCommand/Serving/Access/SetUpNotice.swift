import Foundation
import Logging
import WeirAccess
import WeirStates

/// Says the code for the first user: on the console, or in a file where there is nobody to see one.
struct SetUpNotice {
    let directory: AccessDirectory
    let folder: DataFolder
    let logger: Logger

    private var file: URL { folder.url.appending(path: "setup-code") }

    /// Makes the code if there are no users, and says it.
    ///
    /// Users that there should be by the audit are an error in the log first: whoever sees only that they can set the server
    /// up would do so, although a copy of the file brings everybody back.
    func say(url: String) async throws {
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        guard let code = directory.makeSetUpCode() else { return }
        let missing = await userThatShouldBe()
        if let missing {
            logger.error(
                """
                All users are missing: the audit knows some, and now there is none, as access.sqlite in the data folder, or \
                the database, was removed or emptied. Stop the server, put a copy of access.sqlite back, or of the database, \
                and start it again. Use /setup only if there is no copy.
                """, metadata: ["user": "\(missing)"])
        }
        let words = missing == nil ? "Nobody can sign in yet." : "Nobody can sign in any more."
        if isatty(1) == 1 {
            print("\(words) Open \(url)setup within 15 minutes and enter this code: \(code)")
            fflush(nil)
            return
        }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data((code + "\n").utf8), attributes: [.posixPermissions: 0o600])
        else { throw StartError.unavailable("The code for the first user cannot be written to \(file.path).") }
        logger.notice(
            "\(words) Open /setup within 15 minutes and enter the code that is in the file.",
            metadata: ["file": "\(file.path)"])
    }

    private func userThatShouldBe() async -> String? {
        do {
            return try await directory.audit.userThatShouldBe()
        } catch {
            logger.error("The audit cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            return nil
        }
    }
}
