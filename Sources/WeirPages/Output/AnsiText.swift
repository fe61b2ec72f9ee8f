import WeirOperations

/// A line of output as a page shows it: pieces of text, each with its style, and nothing that acts.
///
/// Of the escape sequences (ECMA-48, and what terminals add to it) only colours and weights are interpreted; all others
/// are removed, and so are control characters and those that change the writing direction. Of a line that was
/// overwritten with CR, as progress bars do, the last text is shown. A style ends with its line.
struct AnsiText: Sendable {
    /// A piece in one style.
    struct Piece: Hashable, Sendable {
        var style: AnsiStyle
        var text: String
    }

    /// The pieces, none of them empty.
    private(set) var pieces: [Piece] = []
    /// Whether the line is longer than what is shown.
    private(set) var isCut = false

    /// Reads a line, of which at most a number of scalars is shown.
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

    /// What is left to be seen of a line after all its CRs.
    private static func visible(_ line: String) -> Substring.UnicodeScalarView {
        var scalars = line[...].unicodeScalars
        while scalars.last == "\r" { scalars.removeLast() }
        if let carriage = scalars.lastIndex(of: "\r") {
            scalars = scalars[scalars.index(after: carriage)...]
        }
        return scalars
    }
}
