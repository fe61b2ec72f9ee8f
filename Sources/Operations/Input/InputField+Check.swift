import Foundation
import States

extension InputField {
    /// What the field accepts, as a sentence that asks for it.
    var expectation: String {
        switch kind {
        case .text(let limit, _): "Give one line of text of at most \(limit) characters."
        case .multiline(let limit): "Give text of at most \(limit) characters."
        case .url(let schemes): "Give a URL that begins with \(Self.alternatives(schemes.map { "\($0)://" }))."
        case .integer(let range): "Give a whole number \(Self.bounds(range, none: Int64.min...Int64.max))."
        case .number(let range): "Give a number \(Self.bounds(range, none: -Double.infinity...Double.infinity))."
        case .boolean: "Give true or false."
        case .choice(let values): "Choose \(Self.alternatives(values.map { "“\($0)”" }))."
        case .secret(let limit): "Give a secret of at most \(limit) characters. It is not recorded."
        case .file: "Choose a file."
        }
    }

    /// The value as a run gets it.
    func check(_ value: JSONValue) throws(InputRejection) -> JSONValue {
        switch kind {
        case .text(let limit, let pattern):
            let text = try text(value, limit: limit)
            guard !text.unicodeScalars.contains(where: Self.breaksLine) else {
                throw InputRejection("Give one line of text without control characters.")
            }
            try match(text, pattern)
            return .string(text)
        case .multiline(let limit):
            let text = try text(value, limit: limit)
            return .string(text.utf8.contains(UInt8(ascii: "\r")) ? Self.unixLines(text) : text)
        case .url(let schemes):
            return .string(try url(text(value, limit: 2_048), schemes))
        case .integer(let range):
            guard let number = value.integer else { throw rejection(of: value) }
            guard range.contains(number) else { throw rejection(of: value) }
            return .integer(number)
        case .number(let range):
            guard let number = value.number, range.contains(number) else { throw rejection(of: value) }
            return value
        case .boolean:
            guard value.bool != nil else { throw rejection(of: value) }
            return value
        case .choice(let values):
            guard let text = value.string, values.contains(text) else { throw rejection(of: value) }
            return value
        case .secret(let limit):
            // No mistake quotes it.
            guard let text = value.string, text.unicodeScalars.count <= limit else {
                throw InputRejection(expectation)
            }
            return .string(text)
        case .file:
            return try file(value)
        }
    }

    func rejection(of value: JSONValue) -> InputRejection {
        let given =
            switch value {
            case .string(let text): "“\(Self.shortened(text))”"
            case .integer(let number): "\(number)"
            case .number(let number): "\(number)"
            default: Self.kind(of: value)
            }
        return InputRejection("\(expectation.dropLast()), not \(given).")
    }

    /// The text of a value, if it is short enough: counted in Unicode scalars, as JSON Schema does.
    private func text(_ value: JSONValue, limit: Int) throws(InputRejection) -> String {
        guard let text = value.string else { throw rejection(of: value) }
        if text.utf8.count > limit {
            let length = text.unicodeScalars.count
            guard length <= limit else {
                throw InputRejection("This is \(length) characters long; at most \(limit) are accepted.")
            }
        }
        return text
    }

    private func match(_ text: String, _ pattern: String?) throws(InputRejection) {
        guard let pattern else { return }
        let isMatch: Bool
        do {
            isMatch = try Regex(pattern).wholeMatch(in: text) != nil
        } catch {
            throw InputRejection("The pattern of this field is no regular expression: its operation must be corrected.")
        }
        guard isMatch else {
            throw InputRejection("“\(Self.shortened(text))” does not have the form asked for: \(help ?? pattern)")
        }
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        (scalar.value < 0x20 && scalar != "\t") || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value)
            || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func unixLines(_ text: String) -> String {
        // By scalars: what were left of `\r\r\n` would be one character, in which no `\r` is found.
        var lines = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            if scalar != "\n" || !isAfterReturn { lines.append(scalar == "\r" ? "\n" : scalar) }
            isAfterReturn = scalar == "\r"
        }
        return String(lines)
    }

    static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(41)
        guard scalars.count > 40 else { return text }
        return String(String.UnicodeScalarView(scalars.prefix(40))) + "…"
    }

    private static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    private static func bounds<Number>(_ range: ClosedRange<Number>, none: ClosedRange<Number>) -> String {
        switch (range.lowerBound == none.lowerBound, range.upperBound == none.upperBound) {
        case (true, true): "of any size"
        case (true, false): "of at most \(range.upperBound)"
        case (false, true): "of at least \(range.lowerBound)"
        case (false, false): "from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}
