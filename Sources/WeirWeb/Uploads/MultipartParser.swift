import Foundation
import NIOCore

/// A strict, incremental parser of `multipart/form-data` (RFC 7578) with bounded memory.
///
/// Push bytes, then call ``next()`` until it returns nil. Accepts the output of browsers and common clients; rejects
/// preambles, epilogues, padding after a boundary, folded headers, transfer encodings and nested bodies.
struct MultipartParser {
    enum Event: Equatable {
        case part(MultipartPart)
        case data(ByteBuffer)
        case endOfPart
        case end
    }

    private enum State { case start, afterDelimiter, head, content, over }

    private static let headLimit = 8_192
    private static let partLimit = 100
    private static let endOfHead = Array("\r\n\r\n".utf8)

    /// CRLF, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var pending = ByteBuffer()
    private var state = State.start
    private var parts = 0

    init?(boundary: String?) {
        guard let boundary, (1...70).contains(boundary.utf8.count), boundary.last != " ",
            boundary.utf8.allSatisfy(Self.isBoundary)
        else { return nil }
        delimiter = Array("\r\n--".utf8) + Array(boundary.utf8)
    }

    mutating func push(_ bytes: ByteBuffer) {
        var bytes = bytes
        pending.discardReadBytes()
        pending.writeBuffer(&bytes)
    }

    mutating func next() throws(MultipartMistake) -> Event? {
        switch state {
        case .start:
            let first = delimiter.dropFirst(2)
            guard pending.readableBytes >= first.count else {
                guard first.starts(with: pending.readableBytesView) else { throw .boundary }
                return nil
            }
            guard pending.readableBytesView.starts(with: first) else { throw .boundary }
            pending.moveReaderIndex(forwardBy: first.count)
            state = .afterDelimiter
            return try next()
        case .afterDelimiter:
            guard let two = pending.readBytes(length: 2) else { return nil }
            switch two {
            case Array("\r\n".utf8):
                parts += 1
                guard parts <= Self.partLimit else { throw .tooManyParts }
                state = .head
                return try next()
            case Array("--".utf8):
                state = .over
                return .end
            default: throw .delimiter
            }
        case .head: return try head()
        case .content: return content()
        case .over:
            let isBreak = Array("\r\n".utf8).starts(with: pending.readableBytesView)
            guard isBreak else { throw .epilogue }
            return nil
        }
    }

    /// Ends the body; throws if it is truncated.
    func finish() throws(MultipartMistake) {
        guard state == .over else { throw .truncated }
    }

    private mutating func head() throws(MultipartMistake) -> Event? {
        let (length, isWhole) = pending.length(before: Self.endOfHead)
        guard length <= Self.headLimit else { throw .headTooLong }
        guard isWhole else { return nil }
        let lines = pending.readBytes(length: length) ?? []
        pending.moveReaderIndex(forwardBy: Self.endOfHead.count)
        let part = try MultipartHead.read(lines)
        state = .content
        return .part(part)
    }

    private mutating func content() -> Event? {
        let (length, isEnd) = pending.length(before: delimiter)
        if length > 0 { return pending.readSlice(length: length).map(Event.data) }
        guard isEnd else { return nil }
        pending.moveReaderIndex(forwardBy: delimiter.count)
        state = .afterDelimiter
        return .endOfPart
    }

    private static func isBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}

extension ByteBuffer {
    /// The number of bytes before `text`, which starts with a carriage return, and whether it follows completely.
    fileprivate func length(before text: [UInt8]) -> (length: Int, isWhole: Bool) {
        // Unsafe memory: the bytes are read within the closure, and no further than their count.
        withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return (0, false) }
            var offset = 0
            while offset < bytes.count, let hit = memchr(base + offset, 13, bytes.count - offset) {
                let index = UnsafeRawPointer(hit) - base
                let length = min(text.count, bytes.count - index)
                let matches = text.withUnsafeBytes { wanted in
                    wanted.baseAddress.map { memcmp(hit, $0, length) == 0 } ?? false
                }
                if matches { return (index, length == text.count) }
                offset = index + 1
            }
            return (bytes.count, false)
        }
    }
}

struct MultipartPart: Hashable, Sendable {
    let name: String
    let filename: String?
    let contentType: String?

    /// Returns the last path component of a file name from any system, without control characters.
    static func plainFilename(_ sent: String) -> String {
        // Splits scalars: a slash with a combining mark is another character, but still a slash to a file system.
        let last = sent.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? sent.unicodeScalars.prefix(0)
        let plain = String(String.UnicodeScalarView(last.filter { $0.value >= 0x20 && $0.value != 0x7f }))
        let name = String(plain.prefix(200))
        return ["", ".", ".."].contains(name) ? "file" : name
    }
}

enum MultipartHead {
    static func read(_ bytes: [UInt8]) throws(MultipartMistake) -> MultipartPart {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains("\0") else {
            throw .head
        }
        var disposition: String?
        var contentType: String?
        // `\r\n` is one character regardless of its neighbors.
        for line in text.split(separator: "\r\n" as Character) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "-") })
            else { throw .head }
            let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) else { throw .head }
            switch parts[0].lowercased() {
            case "content-disposition":
                guard disposition == nil else { throw .head }
                disposition = value
            case "content-type":
                guard contentType == nil else { throw .head }
                contentType = value
            case "content-transfer-encoding":
                guard ["7bit", "8bit", "binary"].contains(value.lowercased()) else { throw .encoding }
            default: break
            }
        }
        guard let disposition else { throw .head }
        let parameters = try parameters(disposition)
        guard let name = parameters["name"], !name.isEmpty else { throw .head }
        return MultipartPart(name: name, filename: parameters["filename"], contentType: contentType)
    }

    /// Parses the parameters of `form-data; name="…"; filename="…"`.
    ///
    /// In quotes, `%22`, `%0D` and `%0A` are decoded (browsers encode them, WHATWG HTML), and so is a backslash before a
    /// quote or a backslash (curl); any other backslash is literal.
    private static func parameters(_ disposition: String) throws(MultipartMistake) -> [String: String] {
        var rest = Substring(disposition)
        guard rest.lowercased().hasPrefix("form-data") else { throw .head }
        rest = rest.dropFirst("form-data".count).drop { $0 == " " }
        var parameters: [String: String] = [:]
        while !rest.isEmpty {
            guard rest.first == ";" else { throw .head }
            rest = rest.dropFirst().drop { $0 == " " }
            if rest.isEmpty { break }
            guard let equals = rest.firstIndex(of: "=") else { throw .head }
            let name = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            guard ["name", "filename"].contains(name), parameters[name] == nil else { throw .head }
            parameters[name] = rest.first == "\"" ? try quoted(&rest) : token(&rest)
            rest = rest.drop { $0 == " " }
        }
        return parameters
    }

    private static func token(_ rest: inout Substring) -> String {
        let token = rest.prefix { $0 != ";" && $0 != " " }
        rest = rest[token.endIndex...]
        return String(token)
    }

    private static func quoted(_ rest: inout Substring) throws(MultipartMistake) -> String {
        var result = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" {
                return
                    result.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
            }
            if character == "\\", let next = rest.first, next == "\"" || next == "\\" {
                result.append(next)
                rest = rest.dropFirst()
            } else {
                result.append(character)
            }
        }
        throw .head
    }
}

/// Why a body is not valid `multipart/form-data`, as a message for the sender.
struct MultipartMistake: Error, Hashable, Sendable {
    let detail: String

    static let boundary = MultipartMistake(
        detail: "The body does not begin with the boundary that Content-Type names, on a line of its own.")
    static let delimiter = MultipartMistake(
        detail: "A boundary in the body is followed by something other than the end of its line.")
    static let head = MultipartMistake(
        detail: "A part's header is malformed: it needs one Content-Disposition of form-data with a name, in UTF-8.")
    static let headTooLong = MultipartMistake(detail: "A part's header is longer than 8 KiB.")
    static let tooManyParts = MultipartMistake(detail: "The body has more than 100 parts.")
    static let encoding = MultipartMistake(
        detail: "A part names a Content-Transfer-Encoding; send its bytes as they are.")
    static let epilogue = MultipartMistake(detail: "There is text after the last boundary.")
    static let truncated = MultipartMistake(detail: "The body ends before its last boundary.")
    static let noBoundary = MultipartMistake(
        detail:
            "Content-Type names no usable boundary: 1 to 70 letters, digits and '()+_,-./:=?, not ending with a space.")
}
