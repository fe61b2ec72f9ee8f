import NIOCore

/// A server's reply to a command: a code and one or more lines of text.
struct SMTPReply: Sendable, Hashable {
    let code: Int
    let lines: [String]

    var isPositive: Bool { (200..<300).contains(code) }
    var isPermanent: Bool { code >= 500 }

    /// The code and the text on one line, without characters that control terminals.
    var words: String {
        "\(code) \(lines.joined(separator: " "))".trimmingBlanks.inertLine
    }
}

extension String {
    fileprivate var trimmingBlanks: String { split(separator: " ").joined(separator: " ") }
    fileprivate var inertLine: String {
        let text = unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(text).prefix(200))
    }
}

/// Reads replies from the bytes of a connection (RFC 5321, 4.2).
struct SMTPReplyReader: Sendable {
    struct Malformed: Error, Hashable {}

    private static let (lineLimit, linesLimit) = (2_000, 200)

    private var bytes: [UInt8] = []
    private var lines: [String] = []

    /// Whether bytes have arrived that belong to no complete reply.
    var hasRest: Bool { !bytes.isEmpty || !lines.isEmpty }

    mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// The next complete reply, or nil until more bytes arrive.
    ///
    /// Throws ``Malformed`` for anything that is no reply, or is too long.
    mutating func next() throws(Malformed) -> SMTPReply? {
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            var line = bytes[..<end]
            bytes.removeFirst(line.count + 1)
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            let digits = line.prefix(3)
            let mark = line.dropFirst(3).first ?? UInt8(ascii: " ")
            guard line.count <= Self.lineLimit, lines.count < Self.linesLimit, digits.count == 3,
                digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let code = Int(String(decoding: digits, as: UTF8.self)), (200..<600).contains(code),
                mark == UInt8(ascii: " ") || mark == UInt8(ascii: "-")
            else { throw Malformed() }
            lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
            guard mark == UInt8(ascii: " ") else { continue }
            defer { lines = [] }
            return SMTPReply(code: code, lines: lines)
        }
        guard bytes.count <= Self.lineLimit else { throw Malformed() }
        return nil
    }
}
