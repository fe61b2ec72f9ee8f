import Foundation
package import WeirStates

extension InputField {
    /// The sentence of a choice whose values are not known yet; nil for every other field.
    package var pendingMessage: Message? { isPending ? Message(InputWording.choicePending) : nil }

    /// What the field accepts, as a sentence that asks for it.
    var expectation: Message {
        if let pendingMessage { return pendingMessage }
        let demand = demand
        return Message(demand.asks, demand.values)
    }

    /// Checks a value.
    ///
    /// - Parameters:
    ///   - value: The value of the input.
    ///   - time: The time left for the patterns of the input; reduced by the time of this one.
    /// - Returns: The value in the form that a run gets.
    /// - Throws: The sentence that refuses the value.
    func check(_ value: JSONValue, within time: inout Duration) throws(InputRejection) -> JSONValue {
        switch kind {
        case .text(let limit, let pattern):
            let text = try text(value, limit: limit)
            guard !text.unicodeScalars.contains(where: Self.breaksLine) else {
                throw InputRejection(.controlCharacters)
            }
            try match(text, pattern, within: &time)
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
            guard let text = value.string, values.contains(text) else {
                throw isPending ? InputRejection(.choicePending) : rejection(of: value)
            }
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

    /// What the field accepts, and that this is not it.
    func rejection(of value: JSONValue) -> InputRejection {
        var demand = demand
        demand.values["given"] =
            switch value {
            case .string(let text): "“\(Self.shortened(text))”"
            case .integer(let number): "\(number)"
            case .number(let number): "\(number)"
            default: Self.kind(of: value)
            }
        return InputRejection(demand.refuses, demand.values)
    }

    /// The sentence that asks for what the field accepts, the one that also says what was given, and their values.
    private var demand: (asks: InputWording, refuses: InputWording, values: [String: Message.Value]) {
        switch kind {
        case .text(let limit, _): (.line, .lineNot, ["limit": "\(limit)"])
        case .multiline(let limit): (.lines, .linesNot, ["limit": "\(limit)"])
        case .url(let schemes): (.url, .urlNot, ["schemes": .either(schemes.map { "\($0)://" })])
        case .integer(let range): Self.whole(range)
        case .number(let range): Self.number(range)
        case .boolean: (.boolean, .booleanNot, [:])
        case .choice(let values): (.choice, .choiceNot, ["values": .either(values.map { "“\($0)”" })])
        // No mistake quotes it.
        case .secret(let limit): (.secret, .secret, ["limit": "\(limit)"])
        case .file: (.file, .file, [:])
        }
    }

    private static func whole(
        _ range: ClosedRange<Int64>
    ) -> (asks: InputWording, refuses: InputWording, values: [String: Message.Value]) {
        let (least, most) = (range.lowerBound, range.upperBound)
        return switch (least == .min, most == .max) {
        case (true, true): (.whole, .wholeNot, [:])
        case (true, false): (.wholeAtMost, .wholeAtMostNot, ["most": "\(most)"])
        case (false, true): (.wholeAtLeast, .wholeAtLeastNot, ["least": "\(least)"])
        case (false, false): (.wholeBetween, .wholeBetweenNot, ["least": "\(least)", "most": "\(most)"])
        }
    }

    private static func number(
        _ range: ClosedRange<Double>
    ) -> (asks: InputWording, refuses: InputWording, values: [String: Message.Value]) {
        let (least, most) = (range.lowerBound, range.upperBound)
        return switch (least == -.infinity, most == .infinity) {
        case (true, true): (.number, .numberNot, [:])
        case (true, false): (.numberAtMost, .numberAtMostNot, ["most": "\(most)"])
        case (false, true): (.numberAtLeast, .numberAtLeastNot, ["least": "\(least)"])
        case (false, false): (.numberBetween, .numberBetweenNot, ["least": "\(least)", "most": "\(most)"])
        }
    }

    /// The text of a value, if it is short enough: counted in Unicode scalars, as JSON Schema does.
    private func text(_ value: JSONValue, limit: Int) throws(InputRejection) -> String {
        guard let text = value.string else { throw rejection(of: value) }
        if text.utf8.count > limit {
            let length = text.unicodeScalars.count
            guard length <= limit else {
                throw InputRejection(.tooLong, ["length": "\(length)", "limit": "\(limit)"])
            }
        }
        return text
    }

    private func match(_ text: String, _ pattern: String?, within time: inout Duration) throws(InputRejection) {
        guard let pattern else { return }
        let match: TextPattern.Match
        do {
            match = try self.pattern.pattern(of: pattern).match(text, within: time)
        } catch {
            throw InputRejection(.brokenPattern)
        }
        time -= match.time
        switch match.outcome {
        case .matched: return
        case .none:
            throw InputRejection(.otherForm, ["given": "\(Self.shortened(text))", "help": "\(help ?? pattern)"])
        case .tooSlow: throw InputRejection(.slowPattern)
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
}
