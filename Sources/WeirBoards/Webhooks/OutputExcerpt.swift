package import WeirJournals
import WeirStates

/// The last lines of a run's output, as messages contain them.
///
/// The lines are those of the journal, in which secrets are masked already. They fit into every receiver's limit, and into
/// an argument of a command.
package enum OutputExcerpt {
    static let lineLimit = 20
    static let (lineBytes, byteLimit) = (400, 2_500)

    /// Returns the newest lines, oldest first, as visible text; pieces of a long line count as one line.
    package static func of(_ lines: [OutputLine]) -> [String] {
        var whole: [String] = []
        // By channel, because the other one can print between two pieces.
        var open: [OutputChannel: Int] = [:]
        for line in lines.suffix(200) {
            if let index = open[line.channel], whole.indices.contains(index) {
                // Of a long line, only the beginning is shown.
                if whole[index].utf8.count <= lineBytes { whole[index] += line.text }
            } else {
                whole.append(line.text)
            }
            open[line.channel] = line.continues ? open[line.channel] ?? whole.count - 1 : nil
        }
        var size = 0
        var kept: [String] = []
        for line in whole.suffix(lineLimit).reversed() {
            let text = cut(line.visibleText)
            size += text.utf8.count + 1
            guard size <= byteLimit else { break }
            kept.append(text)
        }
        return kept.reversed()
    }

    private static func cut(_ line: String) -> String {
        guard line.utf8.count > lineBytes else { return line }
        var text = String.UnicodeScalarView()
        var size = 0
        for scalar in line.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= lineBytes - 3 else { break }
            text.append(scalar)
        }
        return String(text) + "…"
    }
}
