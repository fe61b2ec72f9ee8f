import Foundation

/// How much memory the process has in use; nil where the system does not say.
func residentBytes() -> Int64? {
    guard let file = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
    let words = String(decoding: file, as: UTF8.self).split(separator: " ")
    return words.dropFirst().first.flatMap { Int64($0) }.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
}
