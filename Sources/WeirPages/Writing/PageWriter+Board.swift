import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The number of latest runs on the overview.
    static var tailLength: Int { 12 }

    func board(_ board: BoardView, _ arrangement: Arrangement = Arrangement()) -> Fields {
        let attention = attention(of: board)
        return arranged(board, arrangement).merging(attentionFields(attention)).merging(workingFields(on: board))
            .merging([
                "summary": summary(of: board, attention), "isFirst": wholes.isEmpty,
                "tail": tail(of: board), "tailLength": String(Self.tailLength),
                "stores": board.stores.isEmpty
                    ? nil : ["cards": board.stores.map { storeCard($0, isWhole: false) }] as Fields,
            ])
    }

    /// The operations that can be started on their own.
    ///
    /// Those that a file declares come before those that are compiled in.
    var wholes: [CatalogEntry] {
        let entries = catalog.entries.filter { $0.partOf == nil }
        return entries.filter { $0.declaration != nil } + entries.filter { $0.declaration == nil }
    }

    /// The card of an operation; `position` is its index in the catalog, looked up if nil.
    func card(_ id: String, of view: OperationView?, at position: Int? = nil) -> Fields {
        let cardID = "op-\(id)"
        var card: Fields = [
            "cardID": cardID, "operation": operation(id), "stateID": "\(cardID)-state", "isWatched": isWatched(id),
            "position": String(position ?? wholes.firstIndex { $0.id == id } ?? 0),
            "changed": String(changed(view?.latest)), "isPinned": false,
            "tags": catalog[id].flatMap { $0.tags.isEmpty ? nil : $0.tags.sorted().joined(separator: " ") },
            "outcomes": view.flatMap(outcomes), "isPaused": paused.contains(id), "next": nextStart(id).map(moment),
            "others": (view?.activeRuns).flatMap { $0 > 1 ? format.integer(Int64($0)) : nil },
        ]
        guard let run = view?.latest else {
            card["chip"] = neverRan.merging(["chipID": "\(cardID)-chip"])
            card["start"] = cardStart(id)
            return card
        }
        let isUrgent = run.record.endedAt != nil && run.record.state.phase != .succeeded
        card["chip"] = chip(run.record, in: cardID)
        card["run"] = summary(run.record).merging(["took": times(run).ran])
        card["about"] = about(run.record)
        card["hasFile"] = hasFile(run.record)
        card["state"] = cardState(run)
        card["cancel"] = cancelForm(run.record)
        card["retry"] = isUrgent ? retryForm(run.record, follows: false) : nil
        card["start"] = run.record.endedAt != nil && !isUrgent ? cardStart(id) : nil
        card["again"] = isUrgent ? againURL(run.record) : nil
        return card
    }

    /// The chip of an operation without runs.
    var neverRan: Fields {
        ["word": strings[.neverRan], "tone": Phase.idle.tone, "shape": Phase.idle.shape, "phase": "", "chipID": nil]
    }

    func cardState(_ run: RunView) -> TrustedHTML {
        let id = "op-\(run.record.operation)"
        return statePanel(run, id: "\(id)-state", place: Place(uid: id, isCompact: true))
    }

    func summary(of board: BoardView, _ attention: Attention? = nil) -> [Fields] {
        let attention = attention ?? self.attention(of: board)
        let decisions = attention.decisions.count
        let views = views(of: board)
        let own = wholes.filter { !isWatched($0.id) }.map { views[$0.id] }
        let phases = own.map { $0?.latest?.record.state.phase }
        // Failures are counted by operation, also interrupted ones; active and queued runs without those of steps. The
        // others count operations by their newest run.
        let queued = own.reduce(0) { $0 + ($1?.queuedRuns ?? 0) }
        let active = own.reduce(0) { $0 + ($1?.activeRuns ?? 0) } - queued
        let groups: [(key: String, phase: Phase?, count: Int, url: String?)] = [
            ("active", .active, active, "\(base)/runs?phase=active"),
            ("failed", .failed, attention.failures.count, "#attention"),
            ("missed", .interrupted, attention.unstarted.count, "#attention"),
            ("queued", .idle, queued, "\(base)/runs?phase=idle"),
            ("stopped", .cancelled, phases.count { $0 == .cancelled }, nil),
            ("succeeded", .succeeded, phases.count { $0 == .succeeded }, nil), ("all", nil, own.count, nil),
        ]
        let never = phases.count { $0 == nil }
        let waiting: Fields? =
            decisions > 0
            ? [
                "countID": "summary-decisions", "word": strings[.summaryDecisions],
                "count": format.integer(Int64(decisions)), "isNone": false, "tone": "warn",
                "shape": StepsProgress.Status.asking.shape,
                "url": "#attention",
            ] : nil
        return [waiting].compactMap { $0 }
            + groups.compactMap { key, phase, count, url in
                // Each start passes through the queue; its count is always there, so that only the number is sent.
                guard count > 0 || phase == nil || phase == .idle else { return nil }
                return [
                    "isNone": count == 0 && phase == .idle,
                    "countID": "summary-\(key)", "word": strings.optional("summary.\(key)") ?? key,
                    "count": format.integer(Int64(count)), "tone": url == nil ? nil : phase?.tone,
                    "shape": phase?.shape, "url": url,
                ]
            }
            + (never == 0
                ? []
                : [
                    [
                        "countID": "summary-never", "word": strings[.neverRan], "count": format.integer(Int64(never)),
                        "tone": nil, "shape": nil, "url": nil, "isNone": false,
                    ]
                ])
    }

    func views(of board: BoardView) -> [String: OperationView] {
        Dictionary(board.operations.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The latest runs, newest first, each with the states that it passed through.
    ///
    /// Runs of operations that run only while watched are omitted: viewing a page is not an event.
    func tail(of board: BoardView) -> [Fields] { listed(board).map(tailItem) }

    func isListed(_ run: RunView, on board: BoardView) -> Bool {
        listed(board).contains { $0.record.id == run.record.id }
    }

    private func listed(_ board: BoardView) -> some Sequence<RunView> {
        var seen: Set<String> = []
        return (board.recentRuns + board.operations.flatMap(\.recent))
            .filter { run in
                let operation = run.record.operation
                return !isWatched(operation) && catalog[operation]?.partOf == nil && seen.insert(run.record.id).inserted
            }
            .sorted { $0.record.openedSequence > $1.record.openedSequence }.prefix(Self.tailLength)
    }

    func tailItem(_ run: RunView) -> Fields {
        let record = run.record
        let passed = run.transitions.dropLast().suffix(Self.tailStates)
        let itemID = "tail-\(record.id)"
        return row(record).merging([
            "itemID": itemID, "at": moment(record.startedAt), "chip": chip(record, in: itemID),
            "passed": passed.map { chip($0, of: record).merging(["passedID": "\(itemID)-\($0.revision)"]) },
        ])
    }

    /// The number of past states shown in an item of the tail, newest last.
    private static var tailStates: Int { 8 }
}

extension PageWriter {
    /// The state of an operation for `partials/badge`: its name and the state of its newest run.
    func badge(_ operation: String, latest: RunView?) -> Fields {
        let chip =
            latest.map { self.chip($0.record) }
            ?? neverRan
        let title = String(title(of: operation).prefix(60))
        let word = String((chip["word"] as? String ?? "").prefix(40))
        let (left, right) = (Self.width(of: title), Self.width(of: word) + Self.shapeWidth)
        return [
            "title": title, "word": word, "tone": chip["tone"], "shape": chip["shape"], "split": String(left),
            "length": String(right), "width": String(left + right), "shapeX": String(left + 7),
            "wordX": String(left + Self.shapeWidth + 2),
        ]
    }

    private static var shapeWidth: Int { 16 }

    /// The approximate width of a text in the badge's font, with padding; wide scripts count almost twice.
    private static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(14) { width, scalar in width + (scalar.value < 0x1100 ? 7 : 12) }
    }
}

extension PageWriter {
    /// An operation or run in short, for `pages/widget`; nil for other content.
    ///
    /// It offers no actions, because another site could overlay it (clickjacking).
    func widget(_ content: PageContent, after: String?) -> Fields? {
        let (run, id, path): (RunView?, String, String)
        switch content {
        case .operation(let view): (run, id, path) = (view.latest, view.id, "operations/\(view.id)")
        case .run(let view): (run, id, path) = (view, view.record.operation, "runs/\(view.record.id)")
        case .board, .runs, .stores, .store, .wall: return nil
        }
        return [
            "operation": operation(id), "url": "\(base)/\(path)", "after": after, "pageTitle": title(content),
            "chip": run.map { chip($0.record) } ?? neverRan, "run": run.map { summary($0.record) },
            "about": run.flatMap { about($0.record) },
            "state": run.map { statePanel($0, id: "widget-state", place: Place(uid: "widget", isCompact: true)) },
        ]
    }
}

extension OperationView {
    /// The number of runs that wait to begin.
    ///
    /// Active runs that the view omits are older than the known ones, and count as the oldest of these.
    var queuedRuns: Int {
        let active = recent.filter { $0.record.endedAt == nil }
        let queued = active.count { $0.record.state.phase == .idle }
        return active.last?.record.state.phase == .idle ? queued + max(activeRuns - active.count, 0) : queued
    }
}

extension PageWriter {
    /// The place of a state: the available room, and the prefix of ids.
    struct Place {
        /// The prefix of all ids inside, so that ids stay unique if a state is shown several times.
        let uid: String
        /// Whether the state is shown on a card.
        let isCompact: Bool
        /// Whether the verdict of the run is shown above the state.
        var hasVerdict = false
    }

    /// The name of the template of a state.
    ///
    /// The operation's own template of the case takes precedence, then that of a shared kind of states, then the default of
    /// the phase.
    func template(for state: StateRecord, of operation: String) -> String {
        let own = "operations/\(operation)/\(state.caseName)"
        let shared = catalog[operation]?.sharedTemplates.map { "operations/default/\($0)" }
        // States named only by a file or program use the template of their phase.
        let names = shared.map { ["\($0)/\(state.caseName)", "\($0)/\(state.phase.rawValue)"] } ?? []
        return ([own] + names).first(where: library.contains)
            ?? "operations/default/\(state.phase.rawValue)"
    }

    /// The element that shows the state of a run: the state's own template, and the gauge.
    func statePanel(_ run: RunView, id: String, place: Place) -> TrustedHTML {
        render("partials/state", stateFields(run, place).merging(["id": id]))
    }

    func stateFields(_ run: RunView, _ place: Place) -> Fields {
        let state = run.record.state
        return [
            "body": stateBody(run, place), "tone": tone(of: run.record),
            "gauge": state.phase == .active ? gauge(state.progress, in: place) : nil, "left": left(run),
            "cause": cause(of: run.record).map(words(for:)),
        ]
    }

    /// The state's own template, rendered with the payload's members, which take precedence.
    func stateBody(_ run: RunView, _ place: Place) -> TrustedHTML {
        let record = run.record
        let values = PayloadValues(format: format, strings: strings, operation: record.operation)
        let payload = values.payload(record.state.payload)
        let name = template(for: record.state, of: record.operation)
        return render(name, stateContext(run, place).merging(members(of: payload)))
    }

    func stateContext(_ run: RunView, _ place: Place) -> Fields {
        let record = run.record
        let isTold = place.hasVerdict && tellsReason(record)
        return [
            "uid": place.uid, "compact": place.isCompact,
            "case": label(of: record.state.caseName, in: record.operation),
            "operation": operation(record.operation), "run": summary(record),
            "progress": gauge(record.state.progress), "stepList": stepList(run, place),
            "told": isTold && record.state.lastWords == nil, "toldLast": isTold && record.state.lastWords != nil,
        ]
    }

    /// The members of a payload by name, and all of them as a list.
    func members(of payload: ObjectValue) -> Fields {
        var fields: Fields = ["members": payload.transform("members")]
        for name in payload.json.keys { fields[name] = payload.child(named: name) }
        return fields
    }

    /// The progress of the work, for `partials/gauge`; without a total, only the completed amount.
    func gauge(_ progress: WorkProgress?) -> Fields? {
        guard let progress else { return nil }
        let count: (Int64) -> String = { count in
            switch progress.unit {
            case .bytes: format.bytes(Double(count))
            case .items: format.integer(count)
            case .percent: format.integer(count) + "\u{A0}%"
            }
        }
        return [
            "completed": count(progress.completed),
            "total": progress.unit == .percent ? nil : progress.total.map(count),
            "percent": progress.fraction.map(format.percent),
            "thousandths": progress.fraction.map { String(Int64(clamping: $0 * 1_000)) },
        ]
    }

    /// The gauge of a state with an id, so that patches can address it.
    func gauge(_ progress: WorkProgress?, in place: Place) -> Fields? {
        gauge(progress)?.merging(["gaugeID": "\(place.uid)-gauge"])
    }

    /// The cause of a run's end, unless its state already shows it.
    private func cause(of record: RunRecord) -> EndCause? {
        let cause = record.cause.map { EndCause($0) }
        return switch record.state.phase {
        case .cancelled, .interrupted: cause
        case .failed: cause == .notAnEnd ? cause : nil
        case .idle, .active, .succeeded: nil
        }
    }
}
