/// Refusals that are counted together until they are written: who was refused what, and how often.
///
/// Pure. However many strangers try however much, a minute of it makes a bounded number of entries.
struct AuditRefusals: Sendable {
    private struct Key: Hashable {
        let principal: String
        let action: AuditAction
        let subject: String?
    }

    /// How many kinds of refusals are counted apart; all further ones are one.
    static let kinds = 200

    private var counted: [Key: AuditEntry] = [:]
    private var others: AuditEntry?

    /// Whether there is anything to write.
    var isEmpty: Bool { counted.isEmpty && others == nil }

    /// Counts a refusal.
    mutating func count(_ entry: AuditEntry) {
        let key = Key(principal: entry.principal, action: entry.action, subject: entry.subject)
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
            first.detail = "Refusals of many kinds, counted together."
            others = first
        }
    }

    /// Takes out all that was counted, in the order of the first times.
    mutating func take() -> [AuditEntry] {
        defer { self = AuditRefusals() }
        return (Array(counted.values) + [others].compactMap { $0 }).sorted {
            ($0.at, $0.principal, $0.action.rawValue) < ($1.at, $1.principal, $1.action.rawValue)
        }
    }
}

extension AuditEntry {
    /// Counts another one like this.
    fileprivate mutating func add(_ other: AuditEntry) {
        count = count.addingReportingOverflow(other.count).partialValue
        until = max(until ?? at, other.until ?? other.at)
        // One entry has one address: of many, none is the right one.
        if address != other.address { address = nil }
        request = nil
    }
}
