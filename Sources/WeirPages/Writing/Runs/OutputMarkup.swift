import WeirJournals
import WeirOperations
import WeirStates

/// A line of output as inert markup.
struct OutputMarkup {
    let html: String

    init(_ line: OutputLine) {
        var html = #"<li id="line-\#(line.number)" value="\#(line.number)""#
        let names = Self.classes(line)
        if !names.isEmpty { html += #" class="\#(names)""# }
        html += ">"
        let text = AnsiText(line.text)
        for piece in text.pieces {
            let classes = piece.style.classes
            if classes.isEmpty {
                html += CleanText.escaped(piece.text)
            } else {
                html += #"<span class="\#(classes)">\#(CleanText.escaped(piece.text))</span>"#
            }
        }
        if text.isCut { html += #"<span class="cut">…</span>"# }
        self.html = html + "</li>"
    }

    private static func classes(_ line: OutputLine) -> String {
        var names: [String] = []
        switch line.channel {
        case .standardOutput: break
        case .standardError: names.append("stderr")
        case .notice: names.append("notice")
        }
        if line.continues { names.append("continues") }
        return names.joined(separator: " ")
    }
}

/// A line of output as pieces of inert text, each with a style.
///
/// Of the escape sequences (ECMA-48 and the additions of terminals) only colours and weights are interpreted; all others
/// are removed, as are control characters and those that change the writing direction. Of a line overwritten with CR, as by
/// progress bars, the last text is shown. A style ends with its line.
struct AnsiText: Sendable {
    struct Piece: Hashable, Sendable {
        var style: AnsiStyle
        var text: String
    }

    private(set) var pieces: [Piece] = []
    private(set) var isCut = false

    /// Parses a line, up to a number of scalars.
    init(_ line: String, limit: Int = 2_000) {
        var scanner = AnsiScanner(Self.visible(line))
        var style = AnsiStyle()
        var text = String.UnicodeScalarView()
        var count = 0
        func finish() {
            if !text.isEmpty { pieces.append(Piece(style: style, text: String(text))) }
            text = String.UnicodeScalarView()
        }
        while let token = scanner.next() {
            switch token {
            case .scalar(let scalar):
                if count == limit {
                    isCut = true
                    finish()
                    return
                }
                count += 1
                text.append(CleanText.isAllowed(scalar) ? scalar : "\u{FFFD}")
            case .style(let numbers):
                var next = style
                next.apply(numbers)
                if next != style { finish() }
                style = next
            }
        }
        finish()
    }

    /// The part of a line after its last CR, not counting those at its end.
    private static func visible(_ line: String) -> Substring.UnicodeScalarView {
        var scalars = line[...].unicodeScalars
        while scalars.last == "\r" { scalars.removeLast() }
        if let carriage = scalars.lastIndex(of: "\r") {
            scalars = scalars[scalars.index(after: carriage)...]
        }
        return scalars
    }
}

/// The style of a piece of a line, as far as pages show escape sequences.
struct AnsiStyle: Hashable, Sendable {
    /// The colours; bright ones look the same, since each must be readable on the page's background.
    enum Color: String, CaseIterable, Sendable { case black, red, green, yellow, blue, magenta, cyan, white }

    var color: Color?
    var isBold = false
    var isFaint = false
    var isItalic = false
    var isUnderlined = false

    var classes: String {
        var names: [String] = []
        if let color { names.append("ansi-\(color.rawValue)") }
        if isBold { names.append("ansi-bold") }
        if isFaint { names.append("ansi-faint") }
        if isItalic { names.append("ansi-italic") }
        if isUnderlined { names.append("ansi-underline") }
        return names.joined(separator: " ")
    }

    /// Applies the parameters of a *select graphic rendition* sequence of ECMA-48.
    ///
    /// Backgrounds, blinking, and colours beyond the 16 are ignored, because they could be unreadable.
    mutating func apply(_ numbers: [Int]) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: self = AnsiStyle()
            case 1: isBold = true
            case 2: isFaint = true
            case 3: isItalic = true
            case 4, 21: isUnderlined = true
            case 22: (isBold, isFaint) = (false, false)
            case 23: isItalic = false
            case 24: isUnderlined = false
            // Never traps: there are eight colours.
            case 30...37: color = Color.allCases[number - 30]
            // Never traps: there are eight colours.
            case 90...97: color = Color.allCases[number - 90]
            case 39: color = nil
            case 38, 48, 58:
                let index = Self.takeExtended(&rest)
                if number == 38 { color = index.map { Color.allCases[$0 % 8] } }
            default: break
            }
        }
    }

    /// Reads the parameters of an extended colour, and returns its index if it is one of the 16.
    private static func takeExtended(_ rest: inout ArraySlice<Int>) -> Int? {
        switch rest.popFirst() {
        case 5: return rest.popFirst().flatMap { (0..<16).contains($0) ? $0 : nil }
        case 2:
            rest = rest.dropFirst(3)
            return nil
        default: return nil
        }
    }
}
