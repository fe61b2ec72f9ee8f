import Foundation

/// How much memory this process takes.
enum ProcessMemory {
    /// Resident bytes; nil where the system does not tell in `/proc`.
    static func resident() -> Int64? {
        guard let line = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
        let pages = String(decoding: line, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return pages.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
