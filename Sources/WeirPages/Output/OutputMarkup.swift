import WeirJournals
import WeirStates

/// A line of output as markup that can do nothing but be read.
struct OutputMarkup {
    /// The item of a list.
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
