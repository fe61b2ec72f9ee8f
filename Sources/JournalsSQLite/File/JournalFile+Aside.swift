import Foundation
import Journals

extension JournalFile {
    /// The name of the largest of the file and its companions once they are set aside; nil if there are none.
    func nameAside(of suffixes: [String], now: Timestamp) -> String? {
        let sizes = suffixes.compactMap { suffix -> (suffix: String, size: Int64)? in
            guard ["", "-wal"].contains(suffix) else { return nil }
            return OpenFile.status(of: path + suffix).map { (suffix, $0.size) }
        }
        let largest = sizes.max { $0.size < $1.size }
        return largest.map { URL(fileURLWithPath: pathAside(now) + $0.suffix).lastPathComponent }
    }

    /// Renames the file and its companions, as far as they exist; the copy of the log that was made before is kept.
    func setAside(_ suffixes: [String], now: Timestamp) throws {
        for suffix in suffixes where OpenFile.status(of: path + suffix) != nil {
            let target = pathAside(now) + suffix
            if OpenFile.status(of: target) == nil {
                try OpenFile.move(path + suffix, to: target)
            } else {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try forgetSuspicion()
    }

    /// Copies the log, of which opening the file overwrites the beginning; returns the copy's name, nil where there is no log,
    /// or no room for a copy.
    func copyLog(now: Timestamp) -> String? {
        guard !isEmpty(path + "-wal") else { return nil }
        let target = pathAside(now) + "-wal"
        let name = URL(fileURLWithPath: target).lastPathComponent
        do {
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: target)
            return name
        } catch {
            forget(name)
            return nil
        }
    }

    /// Removes a copy of the log that nobody needs, as far as there is one.
    func forget(_ log: String) {
        do {
            try FileManager.default.removeItem(at: URL(fileURLWithPath: folder).appending(path: log))
        } catch { _ = error }
    }

    private func pathAside(_ now: Timestamp) -> String {
        "\(path).damaged-\(now.description.filter { $0.isLetter || $0.isNumber })"
    }

    func forgetSuspicion() throws {
        guard FileManager.default.fileExists(atPath: damageMark) else { return }
        try FileManager.default.removeItem(atPath: damageMark)
    }

    func isEmpty(_ path: String) -> Bool { (OpenFile.status(of: path)?.size ?? 0) == 0 }

    /// Recognises a file that is not a database before SQLite does, which would remove the files beside it.
    ///
    /// Only call this while nobody in this process has the file open, because reading it drops SQLite's locks on it.
    func found() throws -> Found {
        guard !isEmpty(path) else { return .nothing }
        let file = try OpenFile(path: path)
        defer { file.close() }
        return try file.read(upTo: 16) == Array("SQLite format 3\u{0}".utf8) ? .database : .something
    }
}
