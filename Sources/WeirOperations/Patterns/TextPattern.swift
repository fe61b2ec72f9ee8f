import CPCRE2

/// A regular expression (PCRE2) for texts from outside.
///
/// The time of a match is bounded for every pattern and text: it ends after a number of steps, or after an amount of
/// processor time. Compiling takes some ten milliseconds at most.
package final class TextPattern: Sendable {
    /// What a pattern is held against, and how long that may take.
    package struct Extent: Sendable {
        let options: [UInt32]
        /// The maximum number of bytes that are looked at.
        let bytes: Int
        /// Whether a longer text is cut there; otherwise it is too slow.
        let isCut: Bool
        /// The maximum number of steps of a match, over all places where it can begin.
        let steps: Int
        /// After how many steps the clock is read, each time.
        let interval: Int
        /// The maximum time of a match.
        package let time: Duration
        /// The maximum number of steps within each other, and of KiB of memory.
        let depth, memory: UInt32

        /// Anywhere in the first 4 KiB of a line that a program prints; for 5 ms.
        ///
        /// An ordinary line takes some microseconds.
        package static let line = Extent(
            options: [], bytes: 4_096, isCut: true, steps: 100_000, interval: 32, time: .milliseconds(5), depth: 1_000,
            memory: 4_096)
        /// A whole text that a form asks for, which a browser holds against the same pattern: read as ECMAScript reads it,
        /// where PCRE2 can; for 50 ms.
        ///
        /// It is checked once for each start, so it can take longer than a line.
        package static let input = Extent(
            options: [
                PCRE2_ANCHORED, PCRE2_ENDANCHORED, UInt32(clamping: PCRE2_ALT_BSUX),
                UInt32(clamping: PCRE2_ALLOW_EMPTY_CLASS), UInt32(clamping: PCRE2_MATCH_UNSET_BACKREF),
            ], bytes: 65_536, isCut: false, steps: 1_000_000, interval: 4, time: .milliseconds(50), depth: 200_000,
            memory: 32_768)
    }

    /// What is wrong with a pattern, in a sentence.
    package struct Mistake: Error {
        package let sentence: String
    }

    // With a callout before each item of the pattern, nothing between two callouts takes longer than one pass over the text.
    private static let options = [PCRE2_UTF, PCRE2_NEVER_BACKSLASH_C, PCRE2_AUTO_CALLOUT].reduce(
        UInt32(clamping: PCRE2_DOLLAR_ENDONLY)
    ) { $0 | UInt32(clamping: $1) }
    /// A `String` is valid UTF-8, and was cut between two characters.
    private static let checked = UInt32(clamping: PCRE2_NO_UTF_CHECK)
    /// The maximum length of a pattern, in bytes.
    private static let maximumLength = 8_192

    /// The pattern as it was written.
    package let text: String
    /// The names of its groups, with their numbers.
    package let groups: [(name: String, number: Int)]
    private let extent: Extent
    // Unsafe memory: PCRE2 does not change what it compiled, so that several threads can match with it; freed at the end.
    private nonisolated(unsafe) let code: OpaquePointer
    private nonisolated(unsafe) let context: OpaquePointer

    package enum Outcome: Equatable {
        case none
        /// What the named groups matched; those that took no part are left out.
        case matched([String: String])
        /// It was given up.
        case tooSlow
    }

    /// An outcome and its time.
    package struct Match: Equatable {
        package let outcome: Outcome
        /// The time since the clock was first read; zero for a match of a few steps, which never reads it.
        package let time: Duration
    }

    /// Compiles a pattern.
    ///
    /// Throws a sentence with the place of the mistake.
    package init(_ text: String, for extent: Extent) throws(Mistake) {
        if let mistake = Self.excess(in: text, isInput: !extent.isCut) { throw mistake }
        var error: Int32 = 0
        var offset = 0
        let bytes = Array(text.utf8)
        let options = extent.options.reduce(Self.options, |)
        let compiling = pcre2_compile_context_create_8(nil)
        defer { pcre2_compile_context_free_8(compiling) }
        pcre2_set_max_pattern_length_8(compiling, Self.maximumLength)
        guard let code = pcre2_compile_8(bytes, bytes.count, options, &error, &offset, compiling) else {
            throw Mistake(sentence: "This is no regular expression: \(Self.message(error)) (after \(offset) bytes).")
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(code)
            throw Mistake(sentence: "There is no memory for this pattern.")
        }
        pcre2_set_match_limit_8(context, UInt32(clamping: extent.steps))
        pcre2_set_depth_limit_8(context, extent.depth)
        pcre2_set_heap_limit_8(context, extent.memory)
        self.text = text
        self.extent = extent
        self.code = code
        self.context = context
        groups = Self.groups(of: code)
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
    }

    /// Holds a text against the pattern.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - time: The maximum time; nil for that of the extent.
    ///   - clock: Returns the time since some moment.
    /// - Returns: The outcome, and the time of the match.
    package func match(
        _ text: String, within time: Duration? = nil, clock: @escaping StepMeter.Clock = StepMeter.processorTime
    ) -> Match {
        var text = text
        var meter = StepMeter(
            steps: extent.steps, interval: extent.interval, time: time ?? extent.time, clock: clock)
        let outcome = text.withUTF8 { bytes in
            guard bytes.count <= extent.bytes || extent.isCut else { return Outcome.tooSlow }
            let count = wholeCharacters(bytes)
            // Without a base address there is nothing in it, and any other address does.
            let empty: [UInt8] = [0]
            guard let start = bytes.baseAddress else { return empty.withUnsafeBufferPointer { match($0, 0, &meter) } }
            return match(UnsafeBufferPointer(start: start, count: count), count, &meter)
        }
        return Match(outcome: outcome, time: meter.finish())
    }

    private func match(_ bytes: UnsafeBufferPointer<UInt8>, _ count: Int, _ meter: inout StepMeter) -> Outcome {
        guard let data = pcre2_match_data_create_from_pattern_8(code, nil) else { return .tooSlow }
        defer { pcre2_match_data_free_8(data) }
        // The context names the meter, so each match has its own.
        guard let context = pcre2_match_context_copy_8(context) else { return .tooSlow }
        defer { pcre2_match_context_free_8(context) }
        let result = withUnsafeMutablePointer(to: &meter) { meter in
            pcre2_set_callout_8(
                context,
                // Unsafe memory: the meter lives as long as the match.
                { _, meter in
                    meter?.assumingMemoryBound(to: StepMeter.self).pointee.step() == true ? 0 : PCRE2_ERROR_CALLOUT
                }, meter)
            return pcre2_match_8(code, bytes.baseAddress, count, 0, Self.checked, data, context)
        }
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
    private func wholeCharacters(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard bytes.count > extent.bytes else { return bytes.count }
        var count = extent.bytes
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
