package import Foundation
import WeirStates

package struct AuditVerification: Sendable, Equatable {
    package struct Fault: Sendable, Equatable, CustomStringConvertible {
        /// The file and the line, counted from 1.
        let place: String
        let detail: String

        package var description: String { "\(place): \(detail)" }
    }

    /// The faults in order; empty if the audit is intact.
    ///
    /// After a fault, verification continues from the faulty line.
    package private(set) var faults: [Fault] = []
    package private(set) var entries: Int64 = 0
    /// How many entries could not be written, as later entries say.
    package private(set) var lost: Int64 = 0
    package private(set) var head = AuditChain.start.head

    /// Verifies all files of the audit in a folder.
    ///
    /// Blocks on file I/O.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - known: A head of the chain stored elsewhere, which the audit must contain.
    /// - Throws: An error of the file system.
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
            let (lines, cut) = try files.lines(of: day, withBlank: true)
            var moments: Set<String> = []
            for (index, line) in lines.enumerated() {
                guard !line.isEmpty else {
                    note("\(name):\(index + 1)", "is a blank line, which the server never writes")
                    continue
                }
                if let record = AuditRecord(line: line) {
                    moments.insert(AuditFolder.day(of: record.entry.at))
                    if record.entry.action == .lose {
                        let (sum, overflows) = lost.addingReportingOverflow(max(0, record.entry.count))
                        lost = overflows ? .max : sum
                    }
                }
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
            // Entries of other days can be merged ones, or follow after the clock was set back.
            if !moments.isEmpty, !moments.contains(day) {
                note(name, "has only entries of \(moments.sorted().joined(separator: ", ")): the file was renamed")
            }
            if cut > 0 { note(name, "ends with a line that was cut short") }
            if let anchor = anchors.first(where: { $0.day == day }), anchor.end != chain {
                note(name, "does not end as its anchor says, with entry \(anchor.end.number)")
            }
        }
        for name in try files.strangers() { note(name, "is not named for a day: the file was renamed or added") }
        let kept = Set(days)
        // Retention removes only the oldest days; a gap between others is a fault.
        for anchor in anchors where !kept.contains(anchor.day) && days.first.map({ $0 < anchor.day }) == true {
            note(anchor.day + AuditFolder.suffix, "is missing")
        }
        if !isReached { note("head", "the entry of the head that was given is missing: the end was cut off") }
        head = chain.head
    }

    private mutating func note(_ place: String, _ detail: String) { faults.append(Fault(place: place, detail: detail)) }
}
