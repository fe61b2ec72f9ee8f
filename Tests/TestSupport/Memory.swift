import Foundation

/// How much memory the process has in use, in bytes; nil where the system does not say.
package func residentMemory() -> Int64? {
    guard let handle = FileHandle(forReadingAtPath: "/proc/self/statm") else { return nil }
    defer { handle.closeFile() }
    let words = String(decoding: handle.availableData, as: UTF8.self).split(separator: " ")
    return words.dropFirst().first.flatMap { Int64($0) }.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
}
