/// Takes a line apart into what is text, what is a style, and what is neither, which it drops.
struct AnsiScanner {
    /// What is found.
    enum Token: Equatable {
        /// A character that can be shown.
        case scalar(Unicode.Scalar)
        /// The numbers of a *select graphic rendition*.
        case style([Int])
    }

    private var rest: Substring.UnicodeScalarView

    init(_ scalars: Substring.UnicodeScalarView) { rest = scalars }

    mutating func next() -> Token? {
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x1B:
                if let numbers = escape() { return .style(numbers) }
            case 0x9B:
                if let numbers = controlSequence() { return .style(numbers) }
            case 0x90, 0x98, 0x9D...0x9F: controlString()
            case 0x09: return .scalar(scalar)
            case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: break
            default: return .scalar(CleanText.isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return nil
    }

    /// What follows an ESC.
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

    /// Parameters, intermediates and a last byte; one that is broken off ends before what broke it off.
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
        return parameters.split(separator: ";", omittingEmptySubsequences: false).flatMap { parameter in
            parameter.split(separator: ":").compactMap { Int($0) }.nonEmpty ?? [0]
        }
    }

    /// Everything up to BEL, ST, or the line's end.
    private mutating func controlString() {
        while let scalar = rest.popFirst() {
            if scalar == "\u{07}" || scalar == "\u{9C}" { return }
            guard scalar == "\u{1B}" else { continue }
            if rest.first == "\\" { rest.removeFirst() }
            return
        }
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
