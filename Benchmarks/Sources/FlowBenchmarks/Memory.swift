import Foundation

/// How many bytes each of so many things takes, by what the process has in memory; nil where the system does not tell.
///
/// The things are put into `kept`, so that the next measurement finds no room they left.
func bytesEach<Thing>(_ count: Int, _ kept: inout [Any], _ make: () -> Thing) -> Double? {
    guard let before = residentBytes() else { return nil }
    var things: [Thing] = []
    things.reserveCapacity(count)
    for _ in 0..<count { things.append(make()) }
    kept.append(things)
    guard let after = residentBytes() else { return nil }
    return Double(after - before) / Double(count) - Double(MemoryLayout<Thing>.stride)
}

private func residentBytes() -> Int? {
    guard let status = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
    let pages = String(decoding: status, as: UTF8.self).split(separator: " ")
    return pages.count > 1 ? Int(pages[1]).map { $0 * 4_096 } : nil
}
