/// What is counted together until it is written, refusals and looks at output: who, what, and how often.
///
/// Pure. However many strangers try however much, a minute of it makes a bounded number of entries.
struct AuditCounts: Sendable {
    private struct Key: Hashable {
        let principal: String
        let action: AuditAction
        let subject: String?
        let outcome: AuditEntry.Outcome
    }

    /// How many kinds are counted apart; all further ones are one.
    static let kinds = 200

    private var counted: [Key: AuditEntry] = [:]
    private var others: AuditEntry?

    /// Whether there is anything to write.
    var isEmpty: Bool { counted.isEmpty && others == nil }

    /// Counts one.
    mutating func count(_ entry: AuditEntry) {
        let key = Key(principal: entry.principal, action: entry.action, subject: entry.subject, outcome: entry.outcome)
        if var known = counted[key] {
            known.add(entry)
            counted[key] = known
        } else if counted.count < Self.kinds {
            counted[key] = entry
        } else if var known = others {
            known.add(entry)
            others = known
        } else {
            var first = entry
            first.subject = nil
            first.detail = "Many kinds, counted together."
            others = first
        }
    }

    /// Takes out all that was counted, in the order of the first times.
    mutating func take() -> [AuditEntry] {
        defer { self = AuditCounts() }
        return (Array(counted.values) + [others].compactMap { $0 }).sorted {
            ($0.at, $0.principal, $0.action.rawValue) < ($1.at, $1.principal, $1.action.rawValue)
        }
    }
}

extension AuditEntry {
    /// Whether others like it are counted with it.
    ///
    /// Somebody who follows what a run prints asks again and again.
    var isCounted: Bool { outcome == .refused || (action == .readOutput && outcome == .done) }

    /// Counts another one like this.
    fileprivate mutating func add(_ other: AuditEntry) {
        count = count.addingReportingOverflow(other.count).partialValue
        until = max(until ?? at, other.until ?? other.at)
        // One entry has one address: of many, none is the right one.
        if address != other.address { address = nil }
        request = nil
    }
}
