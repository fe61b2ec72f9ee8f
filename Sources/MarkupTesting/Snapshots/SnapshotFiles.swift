/// Where snapshots are stored.
package protocol SnapshotFiles: Sendable {
    /// The text of a file; nil if there is none.
    /// - Parameter path: The file's path.
    /// - Returns: Its contents.
    /// - Throws: If it exists but cannot be read.
    func text(of path: String) throws -> String?

    /// Writes a whole file, and creates the folders above it.
    /// - Parameters:
    ///   - text: Its contents.
    ///   - path: The file's path.
    /// - Throws: If it cannot be written.
    func write(_ text: String, to path: String) throws

    /// The names of the files in a folder; none if there is no folder.
    /// - Parameter folder: The folder's path.
    /// - Returns: The names, in any order.
    /// - Throws: If it exists but cannot be read.
    func names(in folder: String) throws -> [String]
}
