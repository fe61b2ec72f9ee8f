import Foundation
package import WeirStates

extension InputField {
    /// The message for a choice whose values are still loading; nil for every other field.
    package var pendingMessage: Message? { isPending ? Message(InputWording.choicePending) : nil }

    /// The message that states what the field accepts.
    var expectation: Message {
        if let pendingMessage { return pendingMessage }
        let demand = demand
        return Message(demand.asks, demand.values)
    }

    /// Validates a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - time: The time left for all patterns of the input; reduced by the time used.
    /// - Returns: The normalized value.
    /// - Throws: The reason why the value is rejected.
    func check(_ value: JSONValue, within time: inout Duration) throws(InputRejection) -> JSONValue {
        switch kind {
        case _ where takesSeveral: return try several(value)
        case .text(let limit, let pattern):
            let text = try text(value, limit: limit)
            guard !text.unicodeScalars.contains(where: Self.breaksLine) else {
                throw InputRejection(.controlCharacters)
            }
            guard format?.accepts(text) ?? true else { throw rejection(of: value) }
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
            guard let number = value.exactNumber, bounds(range).contains(number) else { throw rejection(of: value) }
            return value
        case .boolean:
            guard value.bool != nil else { throw rejection(of: value) }
            return value
        case .choice(let values):
            // Options such as 1 and true are texts, which JSON senders write as numbers and booleans.
            guard let text = value.exactText, acceptsAnyChoice || values.contains(text) else {
                throw isPending ? InputRejection(.choicePending) : rejection(of: value)
            }
            return .string(text)
        case .secret(let limit):
            // Never quoted in a message.
            guard let text = value.string, text.unicodeScalars.count <= limit else {
                throw InputRejection(expectation)
            }
            return .string(text)
        case .file:
            return try file(value)
        }
    }

    /// Validates a list of choices; returns them in the order of the options, each once.
    private func several(_ value: JSONValue) throws(InputRejection) -> JSONValue {
        if isPending { throw InputRejection(.choicePending) }
        guard let given = value.array else { throw rejection(of: value) }
        // The values that a program lists are unknown when the file is read.
        guard case .choice(let values) = kind, !acceptsAnyChoice else {
            return .array(given.map { $0.exactText.map(JSONValue.string) ?? $0 })
        }
        let known = Set(values)
        if let wrong = given.first(where: { $0.exactText.map(known.contains) != true }) { throw rejection(of: wrong) }
        let chosen = Set(given.compactMap(\.exactText))
        return .array(values.filter(chosen.contains).map(JSONValue.string))
    }

    /// The message that states what the field accepts and quotes the rejected value.
    func rejection(of value: JSONValue) -> InputRejection {
        var demand = demand
        if case .integer(let range) = kind, case .number(let number) = value, number.value.magnitude >= 0x1p63 {
            // A bound on one side, or none, would not explain why a number beyond 64 bits is refused.
            demand = (.wholeBetween, .wholeBetweenNot, ["least": "\(range.lowerBound)", "most": "\(range.upperBound)"])
        }
        demand.values["given"] =
            switch value {
            case .string(let text): "“\(Self.shortened(text))”"
            case .integer(let number): "\(number)"
            case .number(let number): "\(Self.shortened(String(number)))"
            default: Self.kind(of: value)
            }
        return InputRejection(demand.refuses, demand.values)
    }

    /// The wordings that ask for and refuse a value, with their parameters.
    private var demand: (asks: InputWording, refuses: InputWording, values: [String: Message.Value]) {
        switch kind {
        case .text where format == .date: (.date, .dateNot, [:])
        case .text where format == .time: (.time, .timeNot, [:])
        case .text(let limit, _): (.line, .lineNot, ["limit": "\(limit)"])
        case .multiline(let limit): (.lines, .linesNot, ["limit": "\(limit)"])
        case .url(let schemes): (.url, .urlNot, ["schemes": .either(schemes.map { "\($0)://" })])
        case .integer(let range): Self.whole(range)
        case .number(let range): Self.number(bounds(range))
        case .boolean: (.boolean, .booleanNot, [:])
        case .choice([]): (.choiceEmpty, .choiceEmpty, [:])
        case .choice(let values) where takesSeveral:
            (.choices, .choicesNot, ["values": .all(values.map { "“\($0)”" })])
        case .choice(let values): (.choice, .choiceNot, ["values": .either(values.map { "“\($0)”" })])
        // Never quoted in a message.
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

    func bounds(_ range: ClosedRange<Double>) -> ExactBounds { exactBounds ?? ExactBounds(range) }

    /// A bound without an exponent, and without `.0`.
    private static func plain(_ bound: JSONNumber) -> String {
        let text = bound.description
        if text.hasSuffix(".0") { return String(text.dropLast(2)) }
        guard text.lowercased().contains("e") else { return text }
        return Decimal(string: text).map { $0.description } ?? text
    }

    private static func number(
        _ bounds: ExactBounds
    ) -> (asks: InputWording, refuses: InputWording, values: [String: Message.Value]) {
        switch (bounds.least.map(plain), bounds.most.map(plain)) {
        case (nil, nil): (.number, .numberNot, [:])
        case (nil, let most?): (.numberAtMost, .numberAtMostNot, ["most": "\(most)"])
        case (let least?, nil): (.numberAtLeast, .numberAtLeastNot, ["least": "\(least)"])
        case (let least?, let most?):
            (.numberBetween, .numberBetweenNot, ["least": "\(least)", "most": "\(most)"])
        }
    }

    /// The text of a value within the limit, counted in Unicode scalars as in JSON Schema.
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
        // By scalars: what `\r\r\n` leaves would form one character, in which `\r` is not found.
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

extension InputField {
    /// Validates a URL.
    ///
    /// URLs with a password are rejected before anything is recorded, and no message quotes them.
    func url(_ text: String, _ schemes: [String]) throws(InputRejection) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let components = URLComponents(string: trimmed), let url = components.url,
            let scheme = components.scheme?.lowercased(), schemes.contains(scheme)
        else { throw unquoted(text) }
        let isWeb = ["http", "https"].contains(scheme)
        let authority = Self.authority(url.absoluteString)
        // Host names contain no `@`, so an encoded one separates credentials, too.
        guard components.password == nil,
            !isWeb || (components.user == nil && !authority.contains("@") && !authority.contains("%40"))
        else {
            throw InputRejection(.urlWithPassword)
        }
        guard !isWeb || Self.isUsable(host: components.host ?? "") else { throw unquoted(text) }
        guard !isWeb || Self.hasUsablePort(authority, url.port) else {
            throw InputRejection(.urlPort)
        }
        return trimmed
    }

    private func unquoted(_ text: String) -> InputRejection {
        text.unicodeScalars.contains("@") || text.contains("%40")
            ? InputRejection(expectation) : rejection(of: .string(text))
    }

    private static func authority(_ text: String) -> Substring {
        guard let start = text.firstRange(of: "//") else { return "" }
        return text[start.upperBound...].prefix { !"/?#".contains($0) }
    }

    /// Returns whether the host is usable: one with colons must be an IPv6 address, with an optional zone.
    private static func isUsable(host: String) -> Bool {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let plain = isBracketed ? String(host.dropFirst().dropLast()) : host
        guard isBracketed || plain.contains(":") else { return !plain.isEmpty }
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(plain.prefix { $0 != "%" }), &bytes) == 1
    }

    /// Returns whether the port is absent or valid; a port that overflows must not count as absent.
    private static func hasUsablePort(_ authority: Substring, _ port: Int?) -> Bool {
        let digits = authority.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        guard authority.contains(":"), !authority.hasSuffix("]"), !digits.isEmpty else { return port == nil }
        return port.map { (1...65_535).contains($0) } ?? false
    }
}
