import WeirFiles
package import WeirStates

/// Turns what a command prints on one channel into messages of a reporter: its lines, and the states among them.
///
/// Lines that a carriage return overwrites are left out; a line that is very long comes in pieces.
package struct OutputMessages: Sendable {
    private let channel: OutputChannel
    private var splitter = LineSplitter()

    package init(_ channel: OutputChannel) { self.channel = channel }

    /// The messages that are complete with these bytes.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [JSONValue] {
        // Unsafe memory: the bytes are read only during the call, and no further than their count.
        var messages: [JSONValue] = []
        splitter.take(bytes) { [channel] in messages += Self.message($0, channel) }
        return messages
    }

    /// The message for what is left when nothing comes any more.
    package mutating func finish() -> [JSONValue] {
        var messages: [JSONValue] = []
        splitter.finish { [channel] in messages += Self.message($0, channel) }
        return messages
    }

    private static func message(_ piece: LineSplitter.Piece, _ channel: OutputChannel) -> [JSONValue] {
        if case .tick = piece { return [] }
        if case .line(let text) = piece, let state = StateMessage.message(text) { return [state] }
        return pieces(of: piece.text).map { text in
            var members: [String: JSONValue] = ["line": .string(text)]
            if channel != .standardOutput { members["channel"] = .string(channel.rawValue) }
            return .object(members)
        }
    }

    /// A text in pieces that a server records as one line each: one with bytes that are no UTF-8 grows when they are replaced.
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
