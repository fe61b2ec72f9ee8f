import CPCRE2

/// A regular expression (PCRE2) for the lines that a program prints.
///
/// Matching takes a bounded time whatever the pattern and the line: it gives up after a number of steps, and looks at the
/// first 4 KiB of a line.
final class LinePattern: Sendable {
    /// How many bytes of a line are looked at.
    static let maximumBytes = 4_096
    /// How many steps a match can take; about a millisecond.
    static let maximumSteps: UInt32 = 20_000

    private static let options = [PCRE2_UTF, PCRE2_NEVER_BACKSLASH_C].reduce(UInt32(clamping: PCRE2_DOLLAR_ENDONLY)) {
        $0 | UInt32(clamping: $1)
    }
    /// A `String` is valid UTF-8, and was cut between two characters.
    private static let checked = UInt32(clamping: PCRE2_NO_UTF_CHECK)

    /// The pattern as it was written.
    let text: String
    /// The names of its groups, with their numbers.
    let groups: [(name: String, number: Int)]
    // Unsafe memory: PCRE2 does not change what it compiled, so that several threads can match with it; freed at the end.
    private nonisolated(unsafe) let code: OpaquePointer
    private nonisolated(unsafe) let context: OpaquePointer

    enum Outcome: Equatable {
        case none
        /// What the named groups matched; those that took no part are left out.
        case matched([String: String])
        /// It was given up.
        case tooSlow
    }

    /// Compiles a pattern.
    ///
    /// Throws a sentence with the place of the mistake.
    init(_ text: String) throws(TextTemplate.Mistake) {
        var error: Int32 = 0
        var offset = 0
        let bytes = Array(text.utf8)
        guard let code = pcre2_compile_8(bytes, bytes.count, Self.options, &error, &offset, nil) else {
            throw .init("This is no regular expression: \(Self.message(error)) (after \(offset) bytes).")
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(code)
            throw .init("There is no memory for this pattern.")
        }
        pcre2_set_match_limit_8(context, Self.maximumSteps)
        pcre2_set_depth_limit_8(context, 1_000)
        pcre2_set_heap_limit_8(context, 4_096)
        self.text = text
        self.code = code
        self.context = context
        groups = Self.groups(of: code)
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
    }

    /// Looks for the pattern in a line.
    func match(_ line: String) -> Outcome {
        var line = line
        return line.withUTF8 { bytes in
            let count = Self.wholeCharacters(bytes)
            // Without a base address there is nothing in it, and any other address does.
            let empty: [UInt8] = [0]
            guard let start = bytes.baseAddress else { return empty.withUnsafeBufferPointer { match($0, 0) } }
            return match(UnsafeBufferPointer(start: start, count: count), count)
        }
    }

    private func match(_ bytes: UnsafeBufferPointer<UInt8>, _ count: Int) -> Outcome {
        guard let data = pcre2_match_data_create_from_pattern_8(code, nil) else { return .none }
        defer { pcre2_match_data_free_8(data) }
        let result = pcre2_match_8(code, bytes.baseAddress, count, 0, Self.checked, data, context)
        guard result > 0 else { return result == PCRE2_ERROR_NOMATCH ? .none : .tooSlow }
        guard !groups.isEmpty, let ends = pcre2_get_ovector_pointer_8(data) else { return .matched([:]) }
        let pairs = Int(pcre2_get_ovector_count_8(data))
        var values: [String: String] = [:]
        for (name, number) in groups where number < pairs {
            // Never traps: there are as many pairs, of a start and an end each.
            let (start, end) = (ends[2 * number], ends[2 * number + 1])
            // A group that took no part has the largest number of C, which is -1 here; with \K an end can come before
            // its start.
            guard 0 <= start, start <= end, end <= count else { continue }
            let range = UnsafeBufferPointer(rebasing: bytes[start..<end])
            values[name] = String(decoding: range, as: UTF8.self)
        }
        return .matched(values)
    }

    /// How many bytes are looked at: not in the middle of a character.
    private static func wholeCharacters(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard bytes.count > maximumBytes else { return bytes.count }
        var count = maximumBytes
        while count > 0, bytes[count] & 0b1100_0000 == 0b1000_0000 { count -= 1 }
        return count
    }

    private static func groups(of code: OpaquePointer) -> [(name: String, number: Int)] {
        var count: UInt32 = 0
        var size: UInt32 = 0
        var table: UnsafePointer<UInt8>?
        pcre2_pattern_info_8(code, UInt32(clamping: PCRE2_INFO_NAMECOUNT), &count)
        pcre2_pattern_info_8(code, UInt32(clamping: PCRE2_INFO_NAMEENTRYSIZE), &size)
        pcre2_pattern_info_8(code, UInt32(clamping: PCRE2_INFO_NAMETABLE), &table)
        guard let table, size > 2 else { return [] }
        return (0..<Int(count)).map { index in
            // Two bytes of the number, then the name and NUL.
            let entry = table + index * Int(size)
            return (String(cString: entry + 2), Int(entry[0]) << 8 | Int(entry[1]))
        }
    }

    private static func message(_ error: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = pcre2_get_error_message_8(error, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(Int(length), 0)), as: UTF8.self)
    }
}
