import Foundation
import WeirAccess
import WeirStates
import WeirTelemetry

/// Examines the data folder: its owner, permissions, files and disk.
struct FolderCheck {
    private static let fewFiles = 1_000.0
    private static let namedItems = 5

    let folder: DataFolder
    let settings: Settings
    var user = geteuid()

    private var path: String { folder.url.standardizedFileURL.resolvingSymlinksInPath().path }

    /// Whether this user can read the folder, or there is none.
    var isReadable: Bool {
        !FileManager.default.fileExists(atPath: path) || Foundation.access(path, R_OK | X_OK) == 0
    }

    func findings() -> [Finding] {
        guard FileManager.default.fileExists(atPath: path) else { return missing() }
        var findings = access()
        if folder.isUnfinished {
            findings.append(
                Finding(
                    "data", .failure, "A restore into \(path) was interrupted.",
                    remedy: "Remove the folder, and repeat weir restore."))
        }
        if !findings.hasFailures { findings += items() }
        if isReadable, Quiet.read(in: folder) != nil {
            findings.append(
                Finding(
                    "data", .warning, "The server is quiet: no schedule starts anything, and no message is sent.",
                    remedy: "When all is right, run: weir resume --data \(path)"))
        }
        return findings + disk(path)
    }

    /// A finding if the file of secrets cannot be read.
    static func findings(of secrets: KeptSecrets) -> [Finding] {
        do {
            _ = try secrets.all()
            return []
        } catch {
            return [Finding("data", .failure, "\(error)")]
        }
    }

    private func missing() -> [Finding] {
        if Self.facts(folder.url.path)?.type == .typeSymbolicLink {
            return [
                Finding(
                    "data", .failure, "The data folder \(folder.url.path) is a link to a folder that does not exist.",
                    remedy: "Mount its disk, make the folder, or name another with --data.")
            ]
        }
        let parent = folder.url.nearestExisting
        guard parent.isWritableFolder else {
            return [
                Finding(
                    "data", .failure, "The data folder \(path) does not exist, and cannot be made in \(parent.path).",
                    remedy: "Make it for the server's user, or name another with --data.")
            ]
        }
        return [Finding("data", .good, "The data folder \(path) does not exist yet. The server makes it.")]
            + disk(parent.path)
    }

    // MARK: Permissions

    private func access() -> [Finding] {
        guard let facts = Self.facts(path), facts.type == .typeDirectory else {
            return [Finding("data", .failure, "\(path) is not a folder.", remedy: "Name another with --data.")]
        }
        if Foundation.access(path, R_OK | W_OK | X_OK) != 0 {
            let reason = errno
            let isReadOnly = reason == EROFS
            let owner = facts.owner
            return [
                Finding(
                    "data", .failure,
                    isReadOnly
                        ? "The data folder \(path) is on a file system that cannot be written."
                        : "The data folder \(path), which belongs to \(owner), cannot be read and written by this "
                            + "user.",
                    remedy: isReadOnly
                        ? "Mount the file system for writing, or name another folder with --data."
                        : facts.user == user
                            ? "Give its owner the permissions: chmod u+rwx \(path)"
                            : "Run this command and the server as \(owner): sudo -u \(owner) weir doctor --data \(path)"
                )
            ]
        }
        guard facts.user == user else {
            return [
                Finding(
                    "data", .warning,
                    "The data folder \(path) belongs to \(facts.owner), and this command runs as another user, who "
                        + "can write it.",
                    remedy:
                        "Run commands as the server's user, so that it can use the files that they write: sudo -u "
                        + "\(facts.owner) weir …"
                )
            ]
        }
        return []
    }

    private func items() -> [Finding] {
        guard let root = Self.facts(path),
            let names = try? FileManager.default.contentsOfDirectory(atPath: path).sorted()
        else { return [Finding("data", .failure, "The data folder \(path) cannot be read.")] }
        var (foreign, closed, open): ([String], [String], [String]) = ([], [], [])
        for name in [""] + names {
            let item = name.isEmpty ? path : path + "/" + name
            guard let facts = Self.facts(item), facts.type != .typeSymbolicLink else { continue }
            if facts.user != root.user { foreign.append("\(name) (\(facts.owner))") }
            let needed = facts.type == .typeDirectory ? 0o700 : 0o600
            if facts.user == root.user, facts.mode & needed != needed { closed.append(name) }
            if facts.mode & 0o077 != 0 { open.append(name.isEmpty ? "." : name) }
        }
        var findings: [Finding] = []
        func note(_ names: [String], _ status: Finding.Status, _ words: String, _ remedy: String) {
            guard !names.isEmpty else { return }
            let more = names.count > Self.namedItems ? " and \(names.count - Self.namedItems) more" : ""
            let list = names.prefix(Self.namedItems).joined(separator: ", ") + more
            findings.append(Finding("data", status, "\(words): \(list).", remedy: remedy))
        }
        note(
            foreign, .failure,
            "Items of the data folder belong to another user than the folder, so the server cannot use them",
            "chown -R \(root.owner) \(path)")
        note(closed, .failure, "Their owner cannot read or write items of the data folder", "chmod -R u+rwX \(path)")
        note(
            open, .warning, "Other users of this machine can read items of the data folder", "chmod -R go= \(path)")
        guard findings.isEmpty else { return findings }
        return [Finding("data", .good, "The data folder \(path) belongs to \(root.owner), and only to it.")]
    }

    // MARK: Disk

    private func disk(_ path: String) -> [Finding] {
        guard let free = ProcessUsage.freeBytes(at: path) else { return [] }
        let room = ChangeText.bytes(Int64(clamping: free))
        let isFile = if case .file = JournalPlace(settings) { true } else { false }
        let keep = isFile ? settings.bytes("disk.keep-free") : nil
        let warn = settings.bytes("disk.warn-below")
        let remedy = "Remove files, lower retention.days or retention.runs, or enlarge the file system."
        var findings: [Finding] = []
        if let keep, keep.bytes > 1, free < Double(keep.bytes) {
            findings.append(
                Finding(
                    "disk", .failure,
                    "\(room) are free on the disk of the data folder, less than disk.keep-free (\(keep)): no run "
                        + "starts.",
                    remedy: remedy))
        } else if let warn, free < Double(warn.bytes) {
            findings.append(
                Finding(
                    "disk", .warning,
                    "\(room) are free on the disk of the data folder, less than disk.warn-below (\(warn)).",
                    remedy: remedy))
        } else {
            findings.append(Finding("disk", .good, "\(room) are free on the disk of the data folder."))
        }
        if let files = ProcessUsage.freeFiles(at: path), files < Self.fewFiles {
            findings.append(
                Finding(
                    "disk", .failure, "The file system of the data folder has room for \(Int(files)) more files.",
                    remedy: "Remove files that are no longer needed, or make a file system with more inodes."))
        }
        return findings
    }

    private struct Facts {
        let user: uid_t
        let owner: String
        let mode: Int
        let type: FileAttributeType?
    }

    private static func facts(_ path: String) -> Facts? {
        guard let found = try? FileManager.default.attributesOfItem(atPath: path),
            let user = (found[.ownerAccountID] as? NSNumber)?.uint32Value,
            let mode = (found[.posixPermissions] as? NSNumber)?.intValue
        else { return nil }
        return Facts(
            user: user, owner: found[.ownerAccountName] as? String ?? "user \(user)", mode: mode,
            type: found[.type] as? FileAttributeType)
    }
}

extension URL {
    /// The file itself if it exists, otherwise the nearest folder above it that does.
    var nearestExisting: URL {
        var found = standardizedFileURL
        while !FileManager.default.fileExists(atPath: found.path), found.path != "/" { found.deleteLastPathComponent() }
        return found
    }

    var isWritableFolder: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
            && FileManager.default.isWritableFile(atPath: path)
    }
}
