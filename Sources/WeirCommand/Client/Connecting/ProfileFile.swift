package import Foundation
import WeirStates

/// The file that keeps the profiles: `weir/client.json` in the user's folder of settings, for nobody else to read.
package struct ProfileFile: Sendable {
    private let url: URL

    /// Takes the file in a folder, such as `$XDG_CONFIG_HOME/weir`.
    package init(in folder: URL) { url = folder.appending(path: "client.json") }

    /// The file of the user whose environment this is.
    package init(environment: [String: String]) {
        self.init(in: UserFolders(environment: environment).settings)
    }

    package var path: String { url.path }

    /// Reads the profiles; none where there is no file.
    package func read() throws(ClientError) -> Profiles {
        guard FileManager.default.fileExists(atPath: path) else { return Profiles() }
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            if let mode = attributes[.posixPermissions] as? Int, mode & 0o077 != 0 {
                throw ClientError(
                    .misconfigured, "Others on this machine can read the tokens in \(path). Run `chmod 600 '\(path)'`.")
            }
            return try Profiles(json: try Data(contentsOf: url))
        } catch let error as ClientError {
            throw error
        } catch {
            throw ClientError(
                .misconfigured, "The profiles in \(path) cannot be read. Remove the file, then run `weir login` again.")
        }
    }

    /// Replaces the profiles, wholly or not at all.
    package func write(_ profiles: Profiles) throws(ClientError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try PrivateFile.replace(url, with: try encoder.encode(profiles))
        } catch {
            throw ClientError(.file, "The profile cannot be written to \(path). Check the folder and its permissions.")
        }
    }
}
