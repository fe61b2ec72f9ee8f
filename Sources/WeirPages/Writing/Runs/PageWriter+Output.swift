import WeirBoards
import WeirJournals

extension PageWriter {
    func output(_ output: PageOutput, of run: String) -> Fields {
        [
            "count": outputCount(output.tail), "limit": String(OutputTail.lineLimit),
            "lines": TrustedHTML(lines(output.tail.lines)), "downloadURL": "\(base)/runs/\(run)/output",
            "cursor": output.cursor.map(fields(of:)),
        ]
    }

    /// The number of lines, and how many are not shown, for `partials/output-count`.
    func outputCount(_ tail: OutputTail) -> Fields {
        let words: String
        switch tail.head {
        case 0: words = strings[tail.isClosed ? .outputNone : .outputNothingYet]
        case 1: words = strings[.outputOne]
        default: words = strings(.outputCount, ["count": format.integer(tail.head)])
        }
        let earlier = tail.earlier
        return [
            "words": words,
            "earlier": earlier == 0
                ? nil
                : earlier == 1
                    ? strings[.outputEarlierOne]
                    : strings(.outputEarlier, ["earlier": format.integer(earlier)]),
        ]
    }

    /// The patches from a line number to the last line, or a replacement of the list if lines in between are missing.
    ///
    /// The lines of one step are sent together, so that they are painted together.
    func outputPatches(_ tail: OutputTail, after number: SequenceNumber) -> [(number: SequenceNumber, patches: [Patch])]
    {
        let count = Patch.morph(
            id: "output-count", html: render("partials/output-count", ["count": outputCount(tail)]).html)
        guard let new = tail.lines(after: number) else {
            let list = render(
                "partials/output-lines",
                ["limit": String(OutputTail.lineLimit), "lines": TrustedHTML(lines(tail.lines))])
            return [(tail.head, [.morph(id: "output-lines", html: list.html), count])]
        }
        var steps: [(number: SequenceNumber, patches: [Patch])] = []
        var rest = new
        while let last = rest.prefix(Self.linesInStep).last {
            steps.append(
                (
                    last.number,
                    rest.prefix(Self.linesInStep).map { .append(to: "output-lines", html: OutputMarkup($0).html) }
                ))
            rest = rest.dropFirst(Self.linesInStep)
        }
        if let last = steps.indices.last { steps[last].patches.append(count) }
        return steps
    }

    private static var linesInStep: Int { 100 }

    private func lines(_ lines: [OutputLine]) -> String { lines.map { OutputMarkup($0).html }.joined() }
}
