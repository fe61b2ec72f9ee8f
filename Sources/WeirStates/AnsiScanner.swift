/// Tokenizes a line of output into text and styles and drops other control sequences.
///
/// Supports the escape sequences of ECMA-48 and common terminal extensions.
package struct AnsiScanner {
    package enum Token: Equatable {
        /// A character of the text.
        case scalar(Unicode.Scalar)
        /// The parameters of a *select graphic rendition*.
        case style([Int])
    }

    private var rest: Substring.UnicodeScalarView

    package init(_ scalars: Substring.UnicodeScalarView) { rest = scalars }

    package mutating func next() -> Token? {
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x1B:
                if let numbers = escape() { return .style(numbers) }
            case 0x9B:
                if let numbers = controlSequence() { return .style(numbers) }
            case 0x90, 0x98, 0x9D...0x9F: controlString()
            case 0x09: return .scalar(scalar)
            case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: break
            default: return .scalar(scalar)
            }
        }
        return nil
    }

    private mutating func escape() -> [Int]? {
        guard let scalar = rest.first else { return nil }
        switch scalar {
        case "[":
            rest.removeFirst()
            return controlSequence()
        case "]", "P", "X", "^", "_":
            rest.removeFirst()
            controlString()
        default:
            while let middle = rest.first, (0x20...0x2F).contains(middle.value) { rest.removeFirst() }
            if let last = rest.first, (0x30...0x7E).contains(last.value) { rest.removeFirst() }
        }
        return nil
    }

    /// Parses parameters, intermediates and a final byte; an incomplete sequence ends before the unexpected scalar.
    private mutating func controlSequence() -> [Int]? {
        var parameters = ""
        while let scalar = rest.first, (0x20...0x3F).contains(scalar.value) {
            if parameters.utf8.count < 64 { parameters.unicodeScalars.append(scalar) }
            rest.removeFirst()
        }
        guard let last = rest.first, (0x40...0x7E).contains(last.value) else { return nil }
        rest.removeFirst()
        guard last == "m", parameters.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ";" || $0 == ":") }) else {
            return nil
        }
        return parameters.split(separator: ";", omittingEmptySubsequences: false).flatMap(numbers)
    }

    private func numbers(_ parameter: Substring) -> [Int] {
        var numbers = parameter.split(separator: ":").compactMap { Int($0) }
        switch (numbers.first, numbers.count) {
        case (nil, _): return [0]
        // The form of an underline is not shown.
        case (4, 2...): return [numbers[1] == 0 ? 24 : 4]
        // The colour space before the three components.
        case (38, 6...), (48, 6...): numbers.remove(at: 2)
        default: break
        }
        return numbers
    }

    private mutating func controlString() {
        while let scalar = rest.popFirst() {
            if scalar == "\u{07}" || scalar == "\u{9C}" { return }
            guard scalar == "\u{1B}" else { continue }
            if rest.first == "\\" { rest.removeFirst() }
            return
        }
    }
}

extension String {
    /// The line without escape sequences and other terminal controls.
    package var withoutEscapes: String {
        utf8.contains(0x1B) ? Self(scalars: AnsiScanner(self[...].unicodeScalars)) : self
    }

    /// The text that a terminal shows of the line in the end, without escape sequences and other controls.
    package var visibleText: String { Self(scalars: AnsiScanner(lastOverwritten)) }

    /// The part of the line after its last CR, not counting those at its end.
    package var lastOverwritten: Substring.UnicodeScalarView {
        var scalars = self[...].unicodeScalars
        while scalars.last == "\r" { scalars.removeLast() }
        if let carriage = scalars.lastIndex(of: "\r") {
            scalars = scalars[scalars.index(after: carriage)...]
        }
        return scalars
    }

    private init(scalars scanner: AnsiScanner) {
        var scanner = scanner
        var text = UnicodeScalarView()
        while let token = scanner.next() {
            if case .scalar(let scalar) = token { text.append(scalar) }
        }
        self.init(text)
    }
}
