import WeirFiles
import WeirStates

/// Converts the output of one channel into a reporter's messages: lines, and the state lines among them.
///
/// Omits lines that a carriage return overwrites, and splits very long lines into pieces that say so.
struct OutputMessages: Sendable {
    private let channel: OutputChannel
    private var splitter = LineSplitter()

    init(_ channel: OutputChannel) { self.channel = channel }

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> [JSONValue] {
        // Unsafe memory: the bytes are read only during the call, and within their count.
        var messages: [JSONValue] = []
        splitter.take(bytes) { [channel] in messages += Self.message($0, channel) }
        return messages
    }

    /// Returns the messages of the incomplete last line at the end of the output.
    mutating func finish() -> [JSONValue] {
        var messages: [JSONValue] = []
        splitter.finish { [channel] in messages += Self.message($0, channel) }
        return messages
    }

    private static func message(_ piece: LineSplitter.Piece, _ channel: OutputChannel) -> [JSONValue] {
        if case .tick = piece { return [] }
        if case .line(let text, continues: false) = piece, let state = StateMessage.message(text) { return [state] }
        let texts = pieces(of: piece.text)
        return texts.enumerated().map { index, text in
            var members: [String: JSONValue] = ["line": .string(text)]
            if channel != .standardOutput { members["channel"] = .string(channel.rawValue) }
            if piece.continues || index < texts.count - 1 { members["continues"] = true }
            return .object(members)
        }
    }

    /// Splits a text into pieces of the maximum line length: replacing invalid UTF-8 can exceed it.
    private static func pieces(of text: String) -> [String] {
        if text.utf8.count <= LineSplitter.limit { return [text] }
        var pieces = [""]
        var room = LineSplitter.limit
        for scalar in text.unicodeScalars {
            let count = UTF8.width(scalar)
            if count > room {
                pieces.append("")
                room = LineSplitter.limit
            }
            pieces[pieces.endIndex - 1].unicodeScalars.append(scalar)  // Never traps: there is a first piece.
            room -= count
        }
        return pieces
    }
}

/// Converts a printed state line into a message of a reported run.
///
/// Pure.
enum StateMessage {
    private static let units = ["bytes", "items", "percent"]
    private static let largestCount: Int64 = 9_007_199_254_740_991

    /// Parses a line without its newline; nil for ordinary output.
    static func message(_ text: String) -> JSONValue? {
        guard let line = StateLine(text), let state = line.state, StateName.isValid(state) else { return nil }
        var members: [String: JSONValue] = ["state": .string(state)]
        for member in line.members {
            guard let value = value(of: member) else { return nil }
            members[member.name] = value
        }
        return members["total"] == nil || members["completed"] != nil ? .object(members) : nil
    }

    private static func value(of member: StateLine.Member) -> JSONValue? {
        switch member.name {
        case "completed", "total":
            guard let count = Int64(member.value), (0...largestCount).contains(count) else { return nil }
            return .integer(count)
        case "unit": return units.contains(member.value) ? .string(member.value) : nil
        case "state", "phase": return nil
        default: return .string(member.value)
        }
    }
}
