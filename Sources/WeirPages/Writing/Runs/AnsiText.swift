import WeirStates

/// A line of output as pieces of inert text, each with a style.
///
/// Of the escape sequences (ECMA-48 and the additions of terminals) only colours and weights are interpreted; all others
/// are removed, as are control characters and those that change the writing direction. Of a line overwritten with CR, as by
/// progress bars, the last text is shown.
struct AnsiText: Sendable {
    struct Piece: Hashable, Sendable {
        var style: AnsiStyle
        var text: String
    }

    private(set) var pieces: [Piece] = []
    private(set) var isCut = false
    /// The number of scalars in the pieces.
    private(set) var count = 0
    /// The style at the end, in which the next line of the channel begins.
    private(set) var style: AnsiStyle

    /// Parses a line that begins in a style, up to a number of scalars.
    init(_ line: String, style: AnsiStyle = AnsiStyle(), limit: Int = 2_000) {
        self.style = style
        var scanner = AnsiScanner(line.lastOverwritten)
        var text = String.UnicodeScalarView()
        func piece() -> [Piece] { text.isEmpty ? [] : [Piece(style: self.style, text: String(text))] }
        while let token = scanner.next() {
            switch token {
            case .scalar(let scalar):
                guard count < limit else {
                    isCut = true
                    continue
                }
                count += 1
                text.append(CleanText.isAllowed(scalar) ? scalar : "\u{FFFD}")
            case .style(let numbers):
                var next = self.style
                next.apply(numbers)
                guard next != self.style else { continue }
                pieces += piece()
                text = String.UnicodeScalarView()
                self.style = next
            }
        }
        pieces += piece()
    }

    var html: String {
        pieces.map { piece in
            let (classes, text) = (piece.style.classes, CleanText.escaped(piece.text))
            return classes.isEmpty ? text : #"<span class="\#(classes)">\#(text)</span>"#
        }.joined()
    }
}
