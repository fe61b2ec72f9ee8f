import Foundation

/// The folder in which a server keeps what it has to keep.
struct DataFolder: Sendable {
    let url: URL

    /// The folder that is set.
    init(_ settings: Settings) {
        url = URL(filePath: settings.text("data") ?? "weir-data", directoryHint: .isDirectory)
    }

    /// The path of the journal's file.
    var journal: String { url.appending(path: "journal.sqlite").path }

    /// Where uploaded files are while they are received.
    var spool: URL { url.appending(path: "spool") }

    /// Makes the folder where it is not there.
    func make() throws(StartError) {
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw .unavailable("The data folder \(url.path) cannot be made; choose another by --data.")
        }
    }
}
