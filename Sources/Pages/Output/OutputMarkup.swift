import Journals
import States

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
                html += Self.escaped(piece.text)
            } else {
                html += #"<span class="\#(classes)">\#(Self.escaped(piece.text))</span>"#
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

    /// Escaped scalar by scalar: a mark that combines with a `<` must not hide it.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
