import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    func output(_ output: PageOutput, of run: String) -> Fields {
        let page = "\(base)/runs/\(run)"
        // The page of a failed run shows the line of the failure.
        let newest = output.tail.isClosed ? line(output.tail.head, of: run) : "\(page)#output"
        var fields: Fields = [
            "count": outputCount(output.tail), "pageURL": page, "downloadURL": "\(page)/output",
            "linesURL": "\(page)/lines", "cursor": output.cursor.map(self.fields(of:)), "search": output.search,
            "errors": output.isErrorsOnly, "limit": String(OutputTail.lineLimit), "window": true, "result": nil,
            "earlierURL": nil, "laterURL": nil, "newestURL": nil, "previousURL": nil, "nextURL": nil,
            "unfinished": unfinished(output.tail.unfinished), "failure": output.failure.map(\.description),
        ]
        switch output.excerpt {
        case .newest:
            let newest = output.tail.lines.suffix(output.newestLimit)
            fields["lines"] = lines(newest, after: output.tail.lines.dropLast(newest.count), of: run)
            let earlier = output.tail.head.advanced(by: -newest.count)
            if earlier > 0 { fields["earlierURL"] = line(earlier, of: run) }
        case .part(let part, let number):
            fields["lines"] = lines(part.lines, after: part.context, of: run)
            if number > part.head { fields["result"] = noLine(number, head: part.head) }
            if let first = part.lines.first?.number, first > 1 { fields["earlierURL"] = line(first.previous, of: run) }
            if let last = part.lines.last?.number, last < part.head { fields["laterURL"] = line(last.next, of: run) }
            fields["newestURL"] = newest
        case .matches(let matches, let lines):
            fields["window"] = false
            fields["lines"] = found(lines, of: run)
            fields["result"] = result(matches, head: output.tail.head)
            fields["newestURL"] = newest
            let following = matches.preceding + lines.count < matches.count
            let query = query(of: output)
            if let first = lines.first?.number, matches.preceding > 0 {
                fields["previousURL"] = "\(page)?\(query)&before=\(first)#output"
            }
            if let last = lines.last?.number, following { fields["nextURL"] = "\(page)?\(query)&after=\(last)#output" }
        }
        return fields
    }

    private func query(of output: PageOutput) -> String {
        URLText.query("search", output.search) + (output.isErrorsOnly ? "&errors=true" : "")
    }

    private func line(_ number: SequenceNumber, of run: String) -> String {
        "\(base)/runs/\(run)?line=\(number)#line-\(number)"
    }

    /// One element with the lines that have not ended, or nothing.
    func unfinished(_ unfinished: UnfinishedLines) -> TrustedHTML {
        let lines = unfinished.lines.map { channel, text in
            "<p\(channel == .standardError ? #" class="stderr""# : "")>\(AnsiText(text).html)</p>"
        }
        return TrustedHTML(lines.isEmpty ? "" : "<div>\(lines.joined())</div>")
    }

    /// The number of lines, for `partials/output-count`.
    func outputCount(_ tail: OutputTail) -> Fields {
        let words: String
        switch tail.head {
        case 0: words = strings[tail.isClosed ? .outputNone : .outputNothingYet]
        case 1: words = strings[.outputOne]
        default: words = strings(.outputCount, ["count": format.integer(tail.head)])
        }
        return ["words": words, "head": String(tail.head.rawValue)]
    }

    func noLine(_ number: SequenceNumber, head: SequenceNumber) -> String {
        strings(.outputNoLine, ["line": format.integer(number), "all": format.integer(head)])
    }

    /// The sentence about a search: how many lines match, and which were searched.
    func result(_ matches: OutputMatches, head: SequenceNumber) -> String {
        var sentences: [String]
        switch matches.count {
        case 0: sentences = [strings[.outputMatchesNone]]
        case 1: sentences = [strings[.outputMatchesOne]]
        default: sentences = [strings(.outputMatches, ["count": format.integer(Int64(clamping: matches.count))])]
        }
        sentences.append(
            strings(
                matches.isComplete ? .outputSearchedAll : .outputSearchedPart,
                ["all": format.integer(matches.searched), "head": format.integer(max(head, matches.searched))]))
        if let first = matches.first, first > 1 {
            sentences.append(strings(.outputRemoved, ["line": format.integer(first)]))
        }
        return sentences.joined(separator: " ")
    }

    /// The patches from a line number to the last line, or a replacement of the list if lines in between are missing.
    ///
    /// The lines of one step are sent together, so that they are painted together.
    func outputPatches(
        _ tail: OutputTail, of run: String, after number: SequenceNumber
    ) -> [(number: SequenceNumber, patches: [Patch])] {
        let count = Patch.morph(
            id: "output-count", html: render("partials/output-count", ["count": outputCount(tail)]).html)
        guard let new = tail.lines(after: number) else {
            let fields: Fields = [
                "limit": String(OutputTail.lineLimit), "window": true, "lines": lines(tail.lines, of: run),
            ]
            let list = render("partials/output-lines", fields)
            return [(tail.head, [.morph(id: "output-lines", html: list.html), count])]
        }
        var markup = outputMarkup(of: run, after: tail.lines.dropLast(new.count))
        for line in new { markup.add(line) }
        var steps: [(number: SequenceNumber, patches: [Patch])] = []
        var rest = markup.elements[...]
        while let last = rest.prefix(Self.linesInStep).last {
            let patches = rest.prefix(Self.linesInStep).map { Patch.append(to: "output-lines", html: $0.html) }
            steps.append((last.number, patches))
            rest = rest.dropFirst(Self.linesInStep)
        }
        if let last = steps.indices.last {
            steps[last].patches += markup.grownElements.map {
                .morph(id: "line-\($0.number)", html: $0.html).asOptional
            }
            steps[last].patches.append(count)
        }
        return steps
    }

    private static var linesInStep: Int { 100 }

    /// The element of lines from anywhere in the output.
    func outputList(_ part: OutputPart, of run: String) -> TrustedHTML {
        let lines = lines(part.lines, after: part.context, of: run)
        return render(
            "partials/output-lines", ["limit": String(OutputTail.lineLimit), "window": true, "lines": lines])
    }

    private func outputMarkup(of run: String, after context: some Sequence<OutputLine>) -> OutputMarkup {
        OutputMarkup(after: context, whole: ("\(base)/runs/\(run)/output?line=", strings[.outputWhole]))
    }

    private func lines(
        _ lines: some Sequence<OutputLine>, after context: some Sequence<OutputLine> = [OutputLine](), of run: String
    ) -> TrustedHTML {
        var markup = outputMarkup(of: run, after: context)
        for line in lines { markup.add(line) }
        return TrustedHTML(markup.elements.map(\.html).joined())
    }

    /// The found lines, each with a link to its place in the output.
    private func found(_ lines: [OutputLine], of run: String) -> TrustedHTML {
        TrustedHTML(
            lines.map { line in
                var markup = outputMarkup(of: run, after: [])
                markup.add(line)
                let link = CleanText.escaped(self.line(line.number, of: run))
                return #"<li class="match"><a class="mono" href="\#(link)">\#(line.number)</a><ol>"#
                    + markup.elements.map(\.html).joined() + "</ol></li>"
            }.joined())
    }
}
