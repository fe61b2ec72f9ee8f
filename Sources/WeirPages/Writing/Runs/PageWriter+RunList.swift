import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    func liveRuns(_ board: BoardView) -> Fields {
        runsPage(board.recentRuns.map(\.record), filter: RunFilter(), olderURL: older(board))
    }

    /// The URL of the runs before the newest ones, or nil if there are none.
    func older(_ board: BoardView) -> String? {
        guard board.recentRuns.count >= Self.liveRuns, let last = board.recentRuns.last else { return nil }
        return url(RunFilter(before: last.record.openedSequence))
    }

    func url(_ filter: RunFilter) -> String { filter.isEmpty ? "\(base)/runs" : "\(base)/runs?\(filter.query)" }

    /// The number of runs in the live list, which is that of a board's view.
    static var liveRuns: Int { 25 }

    /// The titles and ids of operations, by which a search finds their runs.
    var operationNames: [String: String] {
        Dictionary(titles.map { ($0.key, "\($0.value) \($0.key)") }) { first, _ in first }
    }

    var titles: [String: String] {
        Dictionary(catalog.entries.map { ($0.id, title(of: $0.id)) }) { first, _ in first }
    }

    /// The list, or with a mistake in the filter a sentence about it, and no action on what the filter would select.
    func runsPage(
        _ runs: [RunRecord], filter: RunFilter, olderURL: String?, mistake: Message? = nil, total: RunTotal? = nil
    ) -> Fields {
        let known = Set(catalog.entries.map(\.id))
        let operations = catalog.entries.map(\.id) + (known.contains(filter.operation) ? [] : [filter.operation])
        let highlight = Highlight(SearchQuery(filter.text))
        let chips = chips(filter)
        let isUnderstood = filter.mistake == nil
        let (mayChange, mayExport) = (
            isUnderstood && self.mayChange, isUnderstood && permissions.allowsAnywhere(.export)
        )
        return [
            "mistake": filter.hasBadFrom || filter.hasBadTo ? nil : mistake.map { strings($0) },
            "rows": rows(runs, filter, highlight, isPicked: mayChange), "bulk": mayChange ? bulk(filter) : nil,
            "total": total.map(words),
            "limit": String(Self.liveRuns),
            "isFiltered": !filter.isEmpty, "isFirstPage": filter.isFirstPage,
            "action": "\(base)/runs", "filter": fields(of: filter),
            "operations": operations.filter { !$0.isEmpty }.map { id -> Fields in
                ["value": id, "label": wholeTitle(of: id), "isChosen": id == filter.operation]
            },
            "phases": Phase.allCases.map { phase -> Fields in
                ["value": phase.rawValue, "label": word(for: phase), "isChosen": phase.rawValue == filter.phase]
            },
            "whose": permissions.isLink ? nil : whose(filter),
            "attempts": attempts(filter), "spans": spans(filter),
            "chips": chips.isEmpty ? nil : ["list": chips, "clearURL": "\(base)/runs"] as Fields,
            "sorts": sorts(filter),
            "hasBundles": mayExport || mayImport,
            "exportURL": mayExport ? exportURL(filter) : nil,
            "csvURL": mayExport ? exportURL(filter, format: "csv") : nil,
            "jsonURL": mayExport ? exportURL(filter, format: "json") : nil,
            "importURL": mayImport ? "\(base)/imports" : nil,
            "views": nil, "olderURL": olderURL, "newestURL": filter.isEmpty ? nil : "\(base)/runs",
        ]
    }

    /// A run as a row of the list, for `partials/row`, with a checkbox if `isPicked` is true.
    func listed(_ record: RunRecord, _ highlight: Highlight = Highlight(nil), isPicked: Bool = false) -> Fields {
        let title = wholeTitle(of: record.operation)
        let about = about(record)
        let isSeen = [title, about ?? ""].contains(where: highlight.isFound)
        return row(record).merging([
            "isNamed": true,
            "pick": isPicked ? ["id": record.id, "short": String(record.id.suffix(6))] as Fields : nil,
            "title": highlight.html(title), "summary": about.map(highlight.html),
            "found": isSeen ? nil : found(record, highlight),
            "reason": [.failed, .interrupted].contains(record.state.phase) ? reason(of: record) : nil,
        ])
    }

    var mayChange: Bool {
        !permissions.isLink
            && (permissions.allowsAnywhere(.cancel) || permissions.allowsAnywhere(.start) || mayDelete)
    }

    var mayDelete: Bool { !permissions.isLink && permissions.allows(.administer, on: .server) }

    /// The form for the selected runs, or for all that match the filter.
    private func bulk(_ filter: RunFilter) -> Fields {
        [
            "action": "\(base)/runs/change",
            "mayCancel": permissions.allowsAnywhere(.cancel), "mayRetry": permissions.allowsAnywhere(.start),
            "mayDelete": mayDelete,
            "hidden": filter.firstPage.parameters.map { ["name": $0.name, "value": $0.value] as Fields },
        ]
    }

    /// The match of a search that the row of a run does not show otherwise.
    private func found(_ record: RunRecord, _ highlight: Highlight) -> TrustedHTML? {
        if let excerpt = highlight.excerpt(record.id) { return excerpt }
        if let cause = record.cause.map({ words(for: EndCause($0)) }), let excerpt = highlight.excerpt(cause) {
            return excerpt
        }
        return found(in: record.state.payload, highlight) ?? found(in: record.opening.input, highlight)
    }

    private func found(in value: JSONValue, _ highlight: Highlight) -> TrustedHTML? {
        guard !highlight.isOver else { return nil }
        // A lazy sequence would search twice, and trap if the budget ends in between.
        var parts: [JSONValue] = []
        switch value {
        case .string(let text): return highlight.excerpt(text)
        case .integer(let number): return highlight.excerpt(String(number))
        case .number(let number): return highlight.excerpt(String(number))
        case .array(let elements): parts = elements
        case .object(let members): parts = members.sorted { $0.key < $1.key }.map(\.value)
        case .null, .bool: return nil
        }
        for part in parts { if let excerpt = found(in: part, highlight) { return excerpt } }
        return nil
    }

    /// Whether the reader may import runs, which can be those of any operation.
    private var mayImport: Bool { permissions.allowsEverywhere(.see) && permissions.allowsEverywhere(.restore) }

    /// The URL that exports the runs of all pages of a filter as a file.
    private func exportURL(_ filter: RunFilter, format: String? = nil) -> String {
        let parts = [filter.firstPage.query, format.map { "format=\($0)" } ?? ""].filter { !$0.isEmpty }
        return "\(base)/runs/export" + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
    }

    /// The links to everybody's runs and to the reader's, under the other filters.
    private func whose(_ filter: RunFilter) -> Fields {
        let url = { (actor: String) -> String in
            var changed = filter.firstPage
            changed.actor = actor
            return self.url(changed)
        }
        return [
            "list": [
                ["url": url(""), "word": strings[.runsEverybody], "isHere": filter.actor.isEmpty] as Fields,
                ["url": url(RunFilter.me), "word": strings[.runsMine], "isHere": filter.isMine],
            ]
        ]
    }

    /// The choices of attempts: the first, all retries, and another one that is chosen.
    private func attempts(_ filter: RunFilter) -> [Fields] {
        let known = [("1", strings[.runsFirst]), (">1", strings[.runsRetried])]
        let other = known.contains { $0.0 == filter.attempt } || filter.attempt.isEmpty ? [] : [filter.attempt]
        return (known + other.map { ($0, $0) }).map { value, label in
            ["value": value, "label": label, "isChosen": value == filter.attempt]
        }
    }

    private func spans(_ filter: RunFilter) -> [Fields] {
        let link = { (word: StringKey, isHere: Bool, isToday: Bool, change: (inout RunFilter) -> Void) -> Fields in
            var changed = filter.firstPage
            (changed.within, changed.from, changed.to) = ("", "", "")
            if !isHere { change(&changed) }
            return ["url": url(changed), "word": strings[word], "isHere": isHere, "isToday": isToday]
        }
        let today = format.now.map { String(CivilTime($0).iso.prefix(10)) + "T00:00:00" }
        let words: [StringKey] = [.runsDay, .runsWeek, .runsMonth]
        return [link(.runsToday, false, true) { $0.from = today ?? "" }]
            + zip(RunFilter.spans, words).map { span, word in
                link(word, filter.within == span.key, false) { $0.within = span.key }
            }
    }

    /// The active filters that can be read, each with the URL of the list without it.
    private func chips(_ filter: RunFilter) -> [Fields] {
        let chip = {
            (word: StringKey, value: String, moment: Timestamp?, part: WritableKeyPath<RunFilter, String>) -> Fields? in
            guard !filter[keyPath: part].isEmpty else { return nil }
            var without = filter.firstPage
            without[keyPath: part] = ""
            return [
                "name": strings[word], "value": moment == nil ? value : nil, "moment": moment.map(self.moment),
                "url": url(without),
            ]
        }
        let span = zip(RunFilter.spans, [StringKey.runsDay, .runsWeek, .runsMonth]).first { $0.0.key == filter.within }
        return [
            chip(.runsText, filter.text, nil, \.text),
            chip(.runsOperation, wholeTitle(of: filter.operation), nil, \.operation),
            Phase(rawValue: filter.phase).flatMap { chip(.runsPhase, word(for: $0), nil, \.phase) },
            chip(.runsActor, filter.isMine ? strings[.runsMe] : filter.actor, nil, \.actor),
            chip(.runsAttempt, filter.attempt, nil, \.attempt),
            RunFilter.span(filter.from).flatMap { chip(.runsFrom, filter.from, $0.start, \.from) },
            RunFilter.span(filter.to).flatMap { chip(.runsTo, filter.to, $0.start, \.to) },
            span.flatMap { chip(.runsWhen, strings[$0.1], nil, \.within) },
        ].compactMap { $0 }
    }

    /// The reader's saved views, and the form that saves this one; nil if there is neither.
    func views(_ frame: PageFrame, _ filter: RunFilter) -> Fields? {
        let filter = filter.firstPage
        guard !frame.views.isEmpty || !filter.isEmpty && filter.mistake == nil else { return nil }
        return [
            "action": "\(base)/runs/views", "query": filter.isEmpty || filter.mistake != nil ? nil : filter.query,
            "list": frame.views.map { view -> Fields in
                ["name": view.name, "url": url(view.filter), "isHere": view.filter == filter]
            },
        ]
    }

    /// The headers of sortable columns: choosing one again reverses the order.
    private func sorts(_ filter: RunFilter) -> Fields {
        let current = filter.order ?? (.started, isLeastFirst: false)
        var heads = Fields()
        for order in RunOrder.allCases {
            let isHere = current.0 == order
            var other = filter.firstPage
            other.sort = isHere && !current.isLeastFirst ? order.rawValue : "-" + order.rawValue
            if other.sort == "-started" { other.sort = "" }
            heads[order.rawValue] =
                [
                    "url": url(other), "sort": isHere ? (current.isLeastFirst ? "ascending" : "descending") : nil,
                    "isUp": isHere && current.isLeastFirst, "isDown": isHere && !current.isLeastFirst,
                ] as Fields
        }
        return heads
    }

    private func fields(of filter: RunFilter) -> Fields {
        [
            "actor": filter.actor, "text": filter.text, "within": filter.within, "sort": filter.sort,
            // An input of a moment cannot contain anything else.
            "from": filter.hasBadFrom ? "" : filter.from, "to": filter.hasBadTo ? "" : filter.to,
            "fromError": filter.hasBadFrom ? strings[.invalidMoment] : nil,
            "toError": filter.hasBadTo ? strings[.invalidMoment] : nil,
        ]
    }
}
