import Foundation
import OpenCombine
import WeirFlows

extension Report {
    /// What a subscriber of each kind takes, by what the process has in memory; nothing where the system does not tell.
    ///
    /// The first rows of all, while no memory has been given back; and what was made is kept.
    func memory() async {
        guard residentBytes() != nil else { return }
        let kept = Kept()
        let flow = MutableStateFlow(0)
        let subject = CurrentValueSubject<Int, Never>(0)
        await row(
            "memory of a callback subscriber", unit: "B",
            [
                Contender("Flows") { kept.bytesEach { flow.subscribe(.conflated) { _ in } } },
                Contender("OpenCombine") { kept.bytesEach { subject.sink { _ in } } },
            ])
        await row(
            "memory of an iterator", unit: "B",
            [
                Contender("Flows") { kept.bytesEach { flow.makeAsyncIterator() } },
                Contender("AsyncStream") {
                    kept.bytesEach { AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1)) }
                },
            ])
    }
}

/// The things that were made, so that the next ones find no room that these left.
private final class Kept {
    private var things: [Any] = []

    func bytesEach<Thing>(_ make: () -> Thing) -> Double {
        let count = 50_000
        var made: [Thing] = []
        made.reserveCapacity(count)
        guard let before = residentBytes() else { return .infinity }
        for _ in 0..<count { made.append(make()) }
        guard let after = residentBytes() else { return .infinity }
        things.append(made)
        return Double(after - before) / Double(count) - Double(MemoryLayout<Thing>.stride)
    }
}

private func residentBytes() -> Int? {
    guard let status = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
    let pages = String(decoding: status, as: UTF8.self).split(separator: " ")
    return pages.count > 1 ? Int(pages[1]).map { $0 * 4_096 } : nil
}
