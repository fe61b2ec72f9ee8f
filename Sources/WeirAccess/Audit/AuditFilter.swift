import Foundation

package struct AuditFilter: Hashable, Sendable {
    /// Matches principals whose name or key contains this text, ignoring case.
    package var principal: String?
    package var action: AuditAction?
    package var outcome: AuditEntry.Outcome?
    /// Matches subjects that contain this text, ignoring case.
    package var subject: String?

    /// Creates a filter; criteria that are nil match every entry.
    package init(
        principal: String? = nil, action: AuditAction? = nil, outcome: AuditEntry.Outcome? = nil,
        subject: String? = nil
    ) {
        self.principal = principal
        self.action = action
        self.outcome = outcome
        self.subject = subject
    }

    func matches(_ entry: AuditEntry) -> Bool {
        if let action, entry.action != action { return false }
        if let outcome, entry.outcome != outcome { return false }
        if let subject, entry.subject?.range(of: subject, options: .caseInsensitive) == nil { return false }
        guard let principal else { return true }
        return entry.name.range(of: principal, options: .caseInsensitive) != nil
            || entry.principal.range(of: principal, options: .caseInsensitive) != nil
    }
}

package struct AuditPage: Sendable {
    package let records: [AuditRecord]
    /// The number below which the next page starts, or nil on the last page.
    package let older: Int64?
}

/// Merges repeated entries (refusals and reads of output) until they are written.
///
/// The first entry of each kind is written at once, so that a crash loses repetitions only. The number of entries per interval
/// is bounded.
struct AuditCounts: Sendable {
    private struct Key: Hashable {
        let principal: String
        let action: AuditAction
        let subject: String?
        let outcome: AuditEntry.Outcome
    }

    /// The number of distinct keys counted separately; further keys share one entry.
    static let kinds = 200

    /// The repetitions of each kind, merged; nil for a kind without repetitions.
    private var counted: [Key: AuditEntry?] = [:]
    private var others: AuditEntry?

    var isEmpty: Bool { counted.isEmpty && others == nil }

    /// Counts an entry; returns true if it is the first of its kind, which the caller writes.
    mutating func count(_ entry: AuditEntry) -> Bool {
        let key = Key(principal: entry.principal, action: entry.action, subject: entry.subject, outcome: entry.outcome)
        if let repeated = counted[key] {
            var merged = repeated ?? entry
            if repeated != nil { merged.add(entry) }
            counted[key] = merged
        } else if counted.count < Self.kinds {
            counted.updateValue(nil, forKey: key)
            return true
        } else if var known = others {
            known.add(entry)
            others = known
        } else {
            var first = entry
            first.subject = nil
            first.detail = "Many kinds, counted together."
            others = first
        }
        return false
    }

    /// Removes and returns all merged entries, ordered by first occurrence.
    mutating func take() -> [AuditEntry] {
        defer { self = AuditCounts() }
        return (counted.values.compactMap { $0 } + [others].compactMap { $0 }).sorted {
            ($0.at, $0.principal, $0.action.rawValue) < ($1.at, $1.principal, $1.action.rawValue)
        }
    }
}

extension AuditEntry {
    /// Whether repetitions of the entry are merged instead of being written on their own.
    ///
    /// Clients that follow a run's output send many requests.
    var isCounted: Bool { outcome == .refused || (action == .readOutput && outcome == .done) }

    fileprivate mutating func add(_ other: AuditEntry) {
        count = count.addingReportingOverflow(other.count).partialValue
        until = max(until ?? at, other.until ?? other.at)
        // Merged entries from several addresses have no single address.
        if address != other.address { address = nil }
        request = nil
    }
}
