package import Foundation
import WeirStates

/// What came of holding the audit's files against their chain.
package struct AuditVerification: Sendable, Equatable {
    /// Something that should not be so.
    package struct Fault: Sendable, Equatable, CustomStringConvertible {
        /// The file, and the line from 1.
        package let place: String
        /// What is wrong.
        package let detail: String

        /// Place and detail.
        package var description: String { "\(place): \(detail)" }
    }

    /// What is wrong, in order; empty when all is well.
    ///
    /// After a fault the chain is followed on from there.
    package private(set) var faults: [Fault] = []
    /// How many entries were held against the chain.
    package private(set) var entries: Int64 = 0
    /// The end of the chain: number and hash.
    package private(set) var head = AuditChain.start.head

    /// Reads all files of the audit in a folder.
    ///
    /// Waits for the disk.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - known: An end of the chain that was kept elsewhere: the audit must go through it.
    /// - Throws: What the file system says.
    package init(folder: URL, known: String? = nil) throws {
        let files = AuditFolder(folder)
        let anchors = try files.anchors()
        let days = try files.days()
        var chain = AuditChain.start
        if let first = days.first, let anchor = anchors.last(where: { $0.day < first }) { chain = anchor.end }
        if days.isEmpty, let last = anchors.last { chain = last.end }
        let known = known.map { (text: $0, chain: AuditChain(head: $0)) }
        if let known, known.chain == nil { note("head", "\"\(known.text)\" is no end of a chain, NUMBER:HASH") }
        var isReached = known?.chain.map { $0.number < chain.number || $0 == chain } ?? true
        for day in days {
            let name = day + AuditFolder.suffix
            let (lines, cut) = try files.lines(of: day)
            for (index, line) in lines.enumerated() {
                let before = chain
                if chain.follow(String(line)) == nil {
                    note(
                        "\(name):\(index + 1)",
                        "does not follow entry \(before.number): it was changed, or lines are missing")
                    guard let record = AuditRecord(line: line), let hash = Hex(String(line.prefix(64)))?.bytes else {
                        continue
                    }
                    chain = AuditChain(number: record.number, hash: hash)
                }
                entries += 1
                if let end = known?.chain, end.number == chain.number {
                    isReached = true
                    if end != chain {
                        note("\(name):\(index + 1)", "is not the entry \(end.number) of the head that was given")
                    }
                }
            }
            if cut > 0 { note(name, "ends with a line that was cut short") }
            if let anchor = anchors.first(where: { $0.day == day }), anchor.end != chain {
                note(name, "does not end as its anchor says, with entry \(anchor.end.number)")
            }
        }
        let kept = Set(days)
        // Retention removes the oldest days: one that is missing between others was taken out.
        for anchor in anchors where !kept.contains(anchor.day) && days.first.map({ $0 < anchor.day }) == true {
            note(anchor.day + AuditFolder.suffix, "is missing")
        }
        if !isReached { note("head", "the entry of the head that was given is missing: the end was cut off") }
        head = chain.head
    }

    private mutating func note(_ place: String, _ detail: String) { faults.append(Fault(place: place, detail: detail)) }
}
