package import Foundation
package import WeirOperations

/// Tracks a folder of operation files, and reports complete changes.
///
/// Editors, rsync and git write files one after another, and some in parts. A change therefore counts only when two polls find
/// the same state, which is also the state after reading.
package struct FolderTracker: Sendable {
    let url: URL
    private let reserved: [String: [InputField]]
    private let limit: Int
    private let timezone: String?
    package private(set) var current: OperationFolder
    private var taken: FolderSignature?
    private var seen: FolderSignature?

    /// Reads the current contents of a folder, which may be missing if `isOptional`.
    ///
    /// `reserved` has the fields of other operations by their ids, which files cannot use; `limit` is the number of files read.
    /// `timezone` is the zone of schedules that name none.
    package init(
        _ url: URL, reserved: [String: [InputField]], isOptional: Bool = false,
        limit: Int = OperationFolder.standardLimit, timezone: String? = nil
    ) throws(OperationFolder.Unreadable) {
        self.url = url
        self.reserved = reserved
        self.limit = limit
        self.timezone = timezone
        let signature = FolderSignature(url, limit: limit)
        do {
            current = try OperationFolder(url, reserved: reserved, limit: limit, timezone: timezone)
        } catch {
            guard isOptional else { throw error }
            current = OperationFolder(empty: url)
        }
        // A folder that changed during reading is read again.
        if FolderSignature(url, limit: limit) == signature { taken = signature }
    }

    /// Polls the folder; returns the operations to apply, or nil if nothing has changed or the change is incomplete.
    ///
    /// `atOnce` reads the files without waiting for a second poll, and even if they are unchanged.
    package mutating func look(atOnce: Bool = false) -> OperationFolder? {
        let signature = FolderSignature(url, limit: limit)
        defer { seen = signature }
        guard atOnce || signature != taken && signature == seen else { return nil }
        let next: OperationFolder
        do {
            next = try OperationFolder(url, reserved: reserved, keeping: current, limit: limit, timezone: timezone)
        } catch {
            // A folder that never existed is not reported as missing.
            next =
                current.definitions.isEmpty && current.mistakes.isEmpty ? current : OperationFolder(vanished: current)
        }
        guard FolderSignature(url, limit: limit) == signature else { return nil }
        return next
    }

    package mutating func took(_ folder: OperationFolder) {
        current = folder
        taken = seen
    }
}

/// A fingerprint of a folder's file metadata, which is equal as long as no file changes.
///
/// It follows symbolic links, so it also changes when links are switched atomically, as Kubernetes does.
struct FolderSignature: Sendable, Hashable {
    private struct File: Hashable {
        let size: Int64
        let inode: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// Nil for an unreadable folder.
    private let files: [String: File]?

    /// Examines enough items for `limit` operation files with their templates.
    init(_ folder: URL, limit: Int) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            files = nil
            return
        }
        var files: [String: File] = [:]
        for name in names.sorted().prefix(4 * max(limit, OperationFolder.standardLimit)) where !name.hasPrefix(".") {
            let path = folder.appending(path: name).path
            if name.hasSuffix(".yml") || name.hasSuffix(".yaml") || CalendarFolder.isName(name) {
                files[name] = Self.file(path)
            } else if let templates = try? FileManager.default.contentsOfDirectory(atPath: path) {
                for template in templates.prefix(OperationFolder.templateLimit) where template.hasSuffix(".mustache") {
                    files["\(name)/\(template)"] = Self.file(path + "/" + template)
                }
            }
        }
        self.files = files
    }

    private static func file(_ path: String) -> File? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return File(
            size: Int64(clamping: status.st_size), inode: UInt64(clamping: status.st_ino),
            seconds: Int64(clamping: time.tv_sec),
            nanoseconds: Int64(clamping: time.tv_nsec))
    }
}
