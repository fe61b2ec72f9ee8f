import Crypto
import WeirStates

/// The hash chain of the audit.
///
/// A line is the hash (64 hexadecimal digits), a space and a JSON object. The hash is the SHA-256 of the previous line's hash
/// (32 bytes) followed by the bytes of the JSON. The first line uses 32 zero bytes as the previous hash. Changing, removing or
/// inserting a line therefore changes every later hash.
///
/// Each day has its own file. For each finished day, the file `anchors` holds the day, the numbers of its first and last entry,
/// and its last hash. Anchors are kept when old days are removed, so the remaining days can still be verified.
struct AuditChain: Hashable, Sendable {
    /// The number of the last entry, or 0 for an empty chain.
    private(set) var number: Int64
    private(set) var hash: [UInt8]

    /// The largest entry number accepted from a file; files may be edited by others; this limit keeps the next number from
    /// overflowing.
    static let highest: Int64 = 9_007_199_254_740_991

    /// The chain before the first entry.
    static let start = AuditChain(number: 0, hash: [UInt8](repeating: 0, count: 32))

    init(number: Int64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// The end of the chain as text: the number, a colon and the hash.
    var head: String { "\(number):\(Hex(hash).text)" }

    /// Parses a chain's ``head``; nil if the text is malformed.
    init?(head: String) {
        let parts = head.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), (0...Self.highest).contains(number),
            let hash = Hex(String(parts[1]))?.bytes, hash.count == 32
        else { return nil }
        self.init(number: number, hash: hash)
    }

    /// Appends an entry and returns its line, without the line feed.
    mutating func append(_ entry: AuditEntry) throws -> String {
        let json = try entry.json(number: number + 1).text()
        number += 1
        hash = Self.hash(after: hash, json)
        return "\(Hex(hash).text) \(json)"
    }

    /// Verifies that a line continues the chain and advances to it; returns nil and stays in place if it does not.
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
    /// Parses the JSON of a line.
    package init?(json: String) {
        guard let value = try? JSONValue(parsing: json), let number = value["n"]?.integer,
            (1...AuditChain.highest).contains(number), let entry = AuditEntry(value)
        else { return nil }
        self.init(number: number, entry: entry)
    }

    /// Parses a line without verifying its hash.
    init?(line: some StringProtocol) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let json = parts.last else { return nil }
        self.init(json: String(json))
    }
}
