import Foundation
import WeirStates

/// Reads and writes the files of the audit: one per day, and the anchors.
///
/// All methods block on file I/O; do not call them on an event loop. Not thread-safe.
final class AuditFolder {
    struct Anchor: Hashable {
        let day: String
        let first: Int64
        let end: AuditChain

        var line: String { "\(day) \(first) \(end.head)\n" }

        init(day: String, first: Int64, end: AuditChain) {
            self.day = day
            self.first = first
            self.end = end
        }

        init?(_ line: some StringProtocol) {
            let parts = line.split(separator: " ")
            guard parts.count == 3, let first = Int64(parts[1]), let end = AuditChain(head: String(parts[2])) else {
                return nil
            }
            self.init(day: String(parts[0]), first: first, end: end)
        }
    }

    static let suffix = ".audit"

    let url: URL
    private var handle: FileHandle?
    private var day: String?
    private var first: Int64 = 1

    init(_ url: URL) { self.url = url }

    /// Creates the folder with permissions for its owner only.
    func make() throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The days that have a file, in order.
    func days() throws -> [String] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }
            .filter(Self.isDay).sorted()
    }

    /// The names of files that look like those of days and are not.
    func strangers() throws -> [String] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(Self.suffix) && !Self.isDay(String($0.dropLast(Self.suffix.count))) }.sorted()
    }

    /// Returns the complete lines of a day, without blank ones unless asked for, and the size in bytes of an incomplete last
    /// line.
    func lines(of day: String, withBlank: Bool = false) throws -> (lines: [Substring], cut: Int) {
        let data = try Data(contentsOf: file(of: day))
        let end = data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? data.startIndex
        let text = String(decoding: data[..<end], as: UTF8.self)
        // Split by scalars, because CR LF is one character.
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: !withBlank)
        if withBlank { _ = lines.popLast() }  // What follows the last line feed.
        return (lines.map(Substring.init), data.endIndex - end)
    }

    func anchors() throws -> [Anchor] {
        let path = anchorsURL
        guard FileManager.default.fileExists(atPath: path.path) else { return [] }
        return String(decoding: try Data(contentsOf: path), as: UTF8.self).split(separator: "\n").compactMap(
            Anchor.init)
    }

    /// Finds the end of the chain and truncates an incomplete last line.
    ///
    /// - Returns: The end of the chain and the number of bytes removed.
    func end() throws -> (chain: AuditChain, cut: Int) {
        guard let last = try days().last else { return (try anchors().last?.end ?? .start, 0) }
        let (lines, cut) = try lines(of: last)
        if cut > 0 {
            let handle = try FileHandle(forUpdating: file(of: last))
            let end = try handle.seekToEnd()
            try handle.truncate(atOffset: end - min(end, UInt64(clamping: cut)))
            try handle.close()
        }
        guard let line = lines.last else { return (try anchors().last?.end ?? .start, cut) }
        guard let record = AuditRecord(line: line), let hash = Hex(String(line.prefix(64)))?.bytes, hash.count == 32
        else { throw CocoaError(.fileReadCorruptFile) }
        day = last
        first = lines.first.flatMap { AuditRecord(line: $0)?.number } ?? record.number
        return (AuditChain(number: record.number, hash: hash), cut)
    }

    /// Returns whether the chain contains the given head, or contained it in days already removed by retention.
    func passes(through head: AuditChain) throws -> Bool {
        for day in try days().reversed() {
            for line in try lines(of: day).lines.reversed() {
                guard let record = AuditRecord(line: line), record.number <= head.number else { continue }
                return record.number == head.number && line.hasPrefix(Hex(head.hash).text)
            }
        }
        return try anchors().contains { $0.end == head || $0.end.number > head.number }
    }

    /// Appends lines to a day's file.
    ///
    /// The first write of a new day writes the anchor of the previous one.
    ///
    /// - Parameters:
    ///   - lines: The lines, without line feeds.
    ///   - today: Their day.
    ///   - before: The chain before the first line.
    /// - Throws: An error of the file system. The number of lines written is then unknown.
    func append(_ lines: [String], on today: String, after before: AuditChain) throws {
        // If the clock was set back, stay in the newest day.
        let today = max(today, day ?? today)
        if today != day || handle == nil {
            if let day, day != today {
                try handle?.synchronize()
                try write(Anchor(day: day, first: first, end: before))
                first = before.number + 1
            } else if day == nil {
                first = before.number + 1
            }
            try handle?.close()
            handle = nil
            handle = try Self.open(file(of: today))
            day = today
        }
        guard var handle else { return }
        if !FileManager.default.fileExists(atPath: file(of: today).path) {
            handle = try restored(handle, of: today)
            self.handle = handle
        }
        let end = try handle.seekToEnd()
        do {
            try handle.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        } catch {
            // Remove a partial write, so that the next lines do not follow it.
            try handle.truncate(atOffset: end)
            throw error
        }
    }

    /// Recreates a day's file that was deleted, from the handle that is still open.
    private func restored(_ removed: FileHandle, of day: String) throws -> FileHandle {
        try make()
        try removed.seek(toOffset: 0)
        let lines = try removed.readToEnd() ?? Data()
        let handle = try Self.open(file(of: day))
        try handle.write(contentsOf: lines)
        try handle.synchronize()
        try removed.close()
        return handle
    }

    /// Removes the files of the days before `day` and returns those days; their anchors are kept.
    func remove(before day: String) throws -> [String] {
        let old = try days().filter { $0 < day && $0 != self.day }
        for day in old { try FileManager.default.removeItem(at: file(of: day)) }
        return old
    }

    private func write(_ anchor: Anchor) throws {
        guard try !anchors().contains(where: { $0.day == anchor.day }) else { return }
        let handle = try Self.open(anchorsURL)
        // Start a new line after an anchor that was written incompletely.
        let isCut = try Data(contentsOf: anchorsURL).last.map { $0 != UInt8(ascii: "\n") } ?? false
        try handle.write(contentsOf: Data(((isCut ? "\n" : "") + anchor.line).utf8))
        try handle.synchronize()
        try handle.close()
    }

    private var anchorsURL: URL { url.appending(path: "anchors") }

    func file(of day: String) -> URL { url.appending(path: day + Self.suffix) }

    /// The UTC day of a time given in milliseconds since 1970.
    static func day(of milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601.year().month().day())
    }

    /// The start of a UTC day in milliseconds since 1970.
    static func moment(of day: String) -> Int64? {
        do {
            return Int64(clamping: try Date(day, strategy: .iso8601.year().month().day()).timeIntervalSince1970 * 1_000)
        } catch {
            return nil
        }
    }

    private static func isDay(_ name: String) -> Bool {
        name.utf8.count == 10 && name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
    }

    private static func open(_ url: URL) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: url.path) {
            guard
                FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
        }
        let handle = try FileHandle(forUpdating: url)
        try handle.seekToEnd()
        return handle
    }
}
