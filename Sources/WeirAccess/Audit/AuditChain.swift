import Crypto
import WeirStates

/// The hash chain of the audit.
///
/// A line is the hash, 64 hexadecimal digits, a space, and a JSON object. The hash is the SHA-256 of the hash of the line
/// before, as 32 bytes, followed by the bytes of the JSON. The first line ever has 32 zeros before it. So no line can be
/// changed, taken out or put in without changing every hash after it.
///
/// Each day has a file of its own. The file `anchors` has a line for each day that is over: the day, the numbers of its
/// first and last entry, and its last hash. It stays when old days are removed, so that those that are left still can be
/// held against it.
package struct AuditChain: Hashable, Sendable {
    /// The number of the last entry; 0 before the first.
    package private(set) var number: Int64
    /// The hash of the last entry.
    package private(set) var hash: [UInt8]

    /// The highest number that is read, as others than Weir may have written it: far beyond any audit, and far from where
    /// counting on would overflow.
    static let highest: Int64 = 9_007_199_254_740_991

    /// Before the first entry.
    package static let start = AuditChain(number: 0, hash: [UInt8](repeating: 0, count: 32))

    init(number: Int64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// The chain's end as a text that can be kept elsewhere: the number, a colon and the hash.
    package var head: String { "\(number):\(Hex(hash).text)" }

    /// Reads a chain's end; nil for anything else.
    package init?(head: String) {
        let parts = head.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), (0...Self.highest).contains(number),
            let hash = Hex(String(parts[1]))?.bytes, hash.count == 32
        else { return nil }
        self.init(number: number, hash: hash)
    }

    /// Adds an entry and returns its line, without the line feed.
    mutating func append(_ entry: AuditEntry) throws -> String {
        let json = try entry.json(number: number + 1).text()
        number += 1
        hash = Self.hash(after: hash, json)
        return "\(Hex(hash).text) \(json)"
    }

    /// Follows a line that was read; returns what it holds, or nil when it does not continue the chain.
    mutating func follow(_ line: String) -> AuditRecord? {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let given = Hex(String(parts[0]))?.bytes else { return nil }
        let json = String(parts[1])
        guard given == Self.hash(after: hash, json), let record = AuditRecord(json: json),
            record.number == number + 1
        else { return nil }
        number = record.number
        hash = given
        return record
    }

    private static func hash(after previous: [UInt8], _ json: String) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: previous)
        hash.update(data: Array(json.utf8))
        return Array(hash.finalize())
    }
}

extension AuditRecord {
    /// Reads the JSON of a line.
    init?(json: String) {
        guard let value = try? JSONValue(parsing: json), let number = value["n"]?.integer,
            (1...AuditChain.highest).contains(number), let entry = AuditEntry(value)
        else { return nil }
        self.init(number: number, entry: entry)
    }

    /// Reads a line without holding it against the chain.
    init?(line: some StringProtocol) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let json = parts.last else { return nil }
        self.init(json: String(json))
    }
}
