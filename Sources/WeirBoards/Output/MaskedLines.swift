import WeirStates

/// Masks the secrets in lines, also a secret that begins in one line and ends in a later one of its channel.
///
/// A line is held back while its end can be the beginning of a secret of several lines.
struct MaskedLines: Sendable {
    private struct Channel: Sendable {
        var stream: MaskedStream
        /// The decided part of the line that is not complete.
        var line: [UInt8] = []
    }

    private static let feed = UInt8(ascii: "\n")

    private let mask: SecretMask
    private var channels: [OutputChannel: Channel] = [:]

    init(_ mask: SecretMask) { self.mask = mask }

    /// Adds a line, and returns the complete lines.
    mutating func take(_ line: String, from channel: OutputChannel) -> [String] {
        guard !mask.isEmpty else { return [line] }
        var state = channels[channel] ?? Channel(stream: MaskedStream(mask))
        defer { channels[channel] = state }
        state.line += state.stream.take(Array(line.utf8) + [Self.feed])
        return Self.lines(of: &state.line)
    }

    /// The decided part of a text that continues a channel's lines, without what can be the beginning of a secret.
    func unfinished(_ text: String, on channel: OutputChannel) -> String {
        guard !mask.isEmpty else { return text }
        var state = channels[channel] ?? Channel(stream: MaskedStream(mask))
        state.line += state.stream.take(text.utf8)
        _ = Self.lines(of: &state.line)
        return String(decoding: state.line, as: UTF8.self)
    }

    /// Returns the lines that are held back, at the end of the output.
    mutating func finish() -> [(OutputChannel, String)] {
        defer { channels = [:] }
        return OutputChannel.allCases.flatMap { channel -> [(OutputChannel, String)] in
            guard var state = channels[channel] else { return [] }
            state.line += state.stream.finish()
            return Self.lines(of: &state.line).map { (channel, $0) }
        }
    }

    /// Removes the complete lines from bytes.
    private static func lines(of bytes: inout [UInt8]) -> [String] {
        guard let end = bytes.lastIndex(of: feed) else { return [] }
        let lines = bytes[..<end].split(separator: feed, omittingEmptySubsequences: false)
        bytes = Array(bytes[end...].dropFirst())
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}
