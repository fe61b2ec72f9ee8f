import CPCRE2

/// A regular expression (PCRE2) for untrusted texts.
///
/// The time of a match is bounded for every pattern and text, by a number of steps and by CPU time. Compiling takes at most
/// about ten milliseconds.
package final class TextPattern: Sendable {
    /// The kind of text a pattern matches, with the limits of a match.
    package struct Extent: Sendable {
        let options: [UInt32]
        let bytes: Int
        /// Whether longer texts are truncated; otherwise they count as too slow.
        let isCut: Bool
        /// The maximum number of steps of a match, over all start positions.
        let steps: Int
        let interval: Int
        package let time: Duration
        /// The maximum nesting depth, and the maximum memory in KiB.
        let depth, memory: UInt32

        /// Matches anywhere in the first 4 KiB of a line of output, within 5 ms.
        ///
        /// A typical line takes microseconds.
        package static let line = Extent(
            options: [], bytes: 4_096, isCut: true, steps: 100_000, interval: 32, time: .milliseconds(5), depth: 1_000,
            memory: 4_096)
        /// Matches the whole text of a form field within 50 ms, with ECMAScript semantics where PCRE2 supports them.
        ///
        /// Browsers check the same pattern. It runs once per start, so it can take longer than a line.
        package static let input = Extent(
            options: [
                PCRE2_ANCHORED, PCRE2_ENDANCHORED, UInt32(clamping: PCRE2_ALT_BSUX),
                UInt32(clamping: PCRE2_ALLOW_EMPTY_CLASS), UInt32(clamping: PCRE2_MATCH_UNSET_BACKREF),
            ], bytes: 65_536, isCut: false, steps: 1_000_000, interval: 4, time: .milliseconds(50), depth: 200_000,
            memory: 32_768)
    }

    package struct Mistake: Error {
        package let sentence: String
    }

    // With a callout before each item, nothing between two callouts takes longer than one pass over the text.
    private static let options = [PCRE2_UTF, PCRE2_NEVER_BACKSLASH_C, PCRE2_AUTO_CALLOUT].reduce(
        UInt32(clamping: PCRE2_DOLLAR_ENDONLY)
    ) { $0 | UInt32(clamping: $1) }
    /// A `String` is valid UTF-8, and is truncated between characters only.
    private static let checked = UInt32(clamping: PCRE2_NO_UTF_CHECK)
    private static let maximumLength = 8_192

    package let text: String
    package let groups: [(name: String, number: Int)]
    private let extent: Extent
    // Unsafe memory: compiled patterns are immutable, so several threads can match with one; freed in `deinit`.
    private nonisolated(unsafe) let code: OpaquePointer
    private nonisolated(unsafe) let context: OpaquePointer

    package enum Outcome: Equatable {
        case none
        /// The values of the named groups that took part in the match.
        case matched([String: String])
        case tooSlow
    }

    package struct Match: Equatable {
        package let outcome: Outcome
        /// The time since the clock was first read; zero for short matches, which never read it.
        package let time: Duration
    }

    /// Compiles a pattern; throws a sentence with the position of the error.
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

    /// Matches a text against the pattern.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - time: The maximum time; nil for that of the extent.
    ///   - clock: Returns the time since a fixed moment.
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
            // An empty buffer may have no base address, but PCRE2 requires one.
            let empty: [UInt8] = [0]
            guard let start = bytes.baseAddress else { return empty.withUnsafeBufferPointer { match($0, 0, &meter) } }
            return match(UnsafeBufferPointer(start: start, count: count), count, &meter)
        }
        return Match(outcome: outcome, time: meter.finish())
    }

    private func match(_ bytes: UnsafeBufferPointer<UInt8>, _ count: Int, _ meter: inout StepMeter) -> Outcome {
        guard let data = pcre2_match_data_create_from_pattern_8(code, nil) else { return .tooSlow }
        defer { pcre2_match_data_free_8(data) }
        // The callout data belongs to the context, so each match copies it.
        guard let context = pcre2_match_context_copy_8(context) else { return .tooSlow }
        defer { pcre2_match_context_free_8(context) }
        let result = withUnsafeMutablePointer(to: &meter) { meter in
            pcre2_set_callout_8(
                context,
                // Unsafe memory: the meter outlives the match.
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
            // Never traps: the vector holds `pairs` pairs of a start and an end.
            let (start, end) = (ends[2 * number], ends[2 * number + 1])
            // An unused group has PCRE2_UNSET, which is -1 here; with \K, an end can precede its start.
            guard 0 <= start, start <= end, end <= count else { continue }
            let range = UnsafeBufferPointer(rebasing: bytes[start..<end])
            values[name] = String(decoding: range, as: UTF8.self)
        }
        return .matched(values)
    }

    /// The number of bytes to match, cut at a character boundary.
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

extension TextPattern {
    /// The maximum number of wide ranges in a case-insensitive pattern.
    private static let maximumRanges = 2

    /// Rejects constructs that take too long where no limit applies; nil if there are none.
    static func excess(in pattern: String, isInput: Bool) -> Mistake? {
        var rest = Array(pattern.utf8)[...]
        var (ranges, ignoresCase) = (0, false)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                // A single \X takes quadratic time in the length of the text.
                if rest.popFirst() == UInt8(ascii: "X"), isInput {
                    return Mistake(sentence: "A pattern of an input cannot use \\X, which browsers do not know.")
                }
            case UInt8(ascii: "-"): if hasWideEnd(rest) { ranges += 1 }
            case UInt8(ascii: "("): if ignoresCaseAfter(rest) { ignoresCase = true }
            default: break
            }
        }
        // The compiler looks up the other cases of each character in a range, which takes 10 ms for the longest.
        guard ignoresCase, ranges > maximumRanges else { return nil }
        return Mistake(
            sentence:
                "A pattern that ignores case can have at most \(maximumRanges) ranges that end beyond U+2FFF or are "
                + "written with numbers such as \\x{80}. Use \\p{L}, or leave out (?i).")
    }

    /// Returns whether a range end follows that is beyond U+2FFF or written as an escape.
    private static func hasWideEnd(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first else { return false }
        // The first byte of U+3000 in UTF-8.
        guard first == UInt8(ascii: "\\") else { return first >= 0xE3 }
        let next = rest.dropFirst().prefix(2)
        return ["x{", "u", "o", "N"].contains { next.starts(with: $0.utf8) }
    }

    /// Returns whether a `?` with options that include `i` follows.
    private static func ignoresCaseAfter(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: "?") else { return false }
        return rest.dropFirst().prefix { "^-imsxnJUaDP".utf8.contains($0) }.contains(UInt8(ascii: "i"))
    }
}
