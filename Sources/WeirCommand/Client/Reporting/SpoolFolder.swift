package import Foundation

/// The folder in which reports wait for their server: `weir/spool` in the user's folder of what is kept.
package struct SpoolFolder: Sendable {
    package let url: URL

    package init(_ url: URL) { self.url = url }

    /// The folder of the user whose environment this is.
    package init(environment: [String: String]) {
        self.init(UserFolders(environment: environment).state.appending(path: "spool"))
    }

    /// The spools that nobody is at work on, in the order of their names.
    package func waiting() -> [Spool] {
        let files = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "jsonl" }.sorted { $0.path < $1.path }.compactMap(Spool.open)
    }
}
