package import Foundation
package import WeirOperations

/// Follows a folder of operation files: says when there is something whole and new to take up.
///
/// Editors, rsync and git write files one after the other, and some in pieces. A change therefore counts when two looks
/// found the same, and when the files were still the same after they had been read.
package struct FolderTracker: Sendable {
    /// The folder.
    package let url: URL
    private let reserved: [String: [InputField]]
    /// The operations that were taken up last.
    package private(set) var current: OperationFolder
    private var taken: FolderSignature?
    private var seen: FolderSignature?

    /// Begins with what is there.
    ///
    /// - Parameters:
    ///   - url: The folder.
    ///   - reserved: The fields of other operations by their ids, which files cannot have.
    ///   - isOptional: Whether the folder may come later.
    /// - Throws: ``OperationFolder/Unreadable`` when it cannot be listed, unless it may come later.
    package init(_ url: URL, reserved: [String: [InputField]], isOptional: Bool = false) throws(OperationFolder
        .Unreadable)
    {
        self.url = url
        self.reserved = reserved
        let signature = FolderSignature(url)
        do {
            current = try OperationFolder(url, reserved: reserved)
        } catch {
            guard isOptional else { throw error }
            current = OperationFolder(empty: url)
        }
        // What was written while it was read is looked at once more.
        if FolderSignature(url) == signature { taken = signature }
    }

    /// Looks at the folder.
    ///
    /// - Parameter atOnce: Whether to read the files without waiting for a second look, and also if nothing has changed.
    /// - Returns: The operations to take up; nil if there is nothing new, or nothing whole yet.
    package mutating func look(atOnce: Bool = false) -> OperationFolder? {
        let signature = FolderSignature(url)
        defer { seen = signature }
        guard atOnce || signature != taken && signature == seen else { return nil }
        let next: OperationFolder
        do {
            next = try OperationFolder(url, reserved: reserved, keeping: current)
        } catch {
            // A folder that never was is not missed.
            next = current.definitions.isEmpty && current.mistakes.isEmpty ? current : .vanished(current)
        }
        guard FolderSignature(url) == signature else { return nil }
        return next
    }

    /// Notes that operations were taken up.
    package mutating func took(_ folder: OperationFolder) {
        current = folder
        taken = seen
    }
}
