package import WeirBoards
import WeirJournals
import WeirStates

/// Finds the patches of a page for a publication.
///
/// A tick (another payload in the same case) changes the element of the state and the title. A transition changes the run's
/// section or the operation's card; an opening also changes the lists of runs. Each element is rendered before and after
/// the change, and the difference is sent. Lists are bounded by their `data-limit`.
///
/// Rendering dominates the cost, and views are immutable objects: an element or row that shows the same object as before is
/// not rendered, and the rendering after the previous change is reused.
struct PagePatcher {
    let writer: PageWriter
    let publication: Publication
    let page: LivePage
    let renderings: LatestRenderings

    /// The views that a publication concerns, before or after it.
    struct Side {
        /// The run, or nil before its opening.
        var run: RunView?
        var operation: OperationView?
        var store: StoreView?
        let board: BoardView

        /// The run that the operation's page shows in full; `id` is that of the changed run.
        func run(shownOf id: String) -> RunView? {
            operation?.latest.flatMap { $0.record.id == id ? run : $0 }
        }
    }

    var after: Side {
        Side(
            run: publication.run, operation: publication.board.operation(publication.change.subject),
            store: publication.store, board: publication.board)
    }

    var before: Side {
        Side(
            run: publication.before, operation: publication.operationBefore, store: publication.storeBefore,
            board: publication.boardBefore)
    }

    func patches() -> [Patch] {
        let topic = page.topic
        if let store = publication.store { return patches(topic, after: store) }
        guard let run = publication.run else { return [] }
        switch topic {
        case .board: return board(run)
        case .runs: return runs(run)
        case .wall: return wall(run)
        case .operation(let id): return run.record.operation == id ? operation(id, run) : []
        case .run(let id):
            guard run.record.id == id else { return [] }
            return section(run, isAlone: true) + surroundings(of: run) + (isTransition ? furniture(of: run) : [])
                + scrubber(run, \.run) { writer.scrubber(run: $0) } + title { $0.run.map(PageContent.run) }
        case .stores, .store: return []
        case .output: return []
        }
    }

    private var isTransition: Bool { publication.change.isTransition }
    private var isOpening: Bool { publication.change.draft.opening != nil }

    private func board(_ run: RunView) -> [Patch] {
        let id = run.record.operation
        let isShown = writer.catalog[id].map { $0.partOf == nil } ?? false
        let isLatest = publication.board.operation(id)?.latest?.record.id == run.record.id
        guard isTransition else {
            let card = isShown && isLatest ? changed("op-\(id)-state", \.run, writer.cardState) : []
            let others = isShown && asksOtherwise(run) ? attention() : []
            return card + (isShown ? working(run) : []) + others
        }
        let board = publication.board
        var patches: [Patch] = []
        if isShown {
            patches += changed("op-\(id)", \.operation) {
                writer.render("partials/card", writer.card(id, of: $0))
            }
            patches += attention() + changed("working", "partials/working") { writer.workingFields(on: $0.board) }
        }
        if writer.isListed(run, on: board) {
            patches +=
                isOpening
                ? [.prepend(to: "tail", html: writer.render("partials/tail-item", writer.tailItem(run)).html)]
                : changed("tail-\(run.record.id)", \.run) {
                    writer.render("partials/tail-item", writer.tailItem($0))
                }.map(\.asOptional)
        }
        return patches
    }

    /// The patches of an active run on the overview after a tick.
    private func working(_ run: RunView) -> [Patch] {
        guard run.record.state.phase == .active, writer.isWorkingShown(run, on: publication.board) else { return [] }
        return changed("works-\(run.record.id)-now", \.run) { writer.workingNow($0) }
    }

    private func wall(_ run: RunView) -> [Patch] {
        let isShown = writer.isActive(run) && writer.catalog[run.record.operation].map { $0.partOf == nil } ?? false
        guard isTransition else {
            let state = isShown ? changed("wall-\(run.record.id)-state", \.run) { writer.wallState($0) } : []
            return asksOtherwise(run) ? state + attention() : state
        }
        return attention()
            + changed("running", "partials/running") { ["running": writer.running(on: $0.board)] }
    }

    /// Whether the run waits for other decisions than before.
    private func asksOtherwise(_ run: RunView) -> Bool {
        publication.before.map { writer.pendingDecisions(of: $0.record) } != writer.pendingDecisions(of: run.record)
    }

    /// The patches of the counts, of the runs that need a person, and of the title with their number.
    private func attention() -> [Patch] {
        let (old, new) = (publication.boardBefore, publication.board)
        let (former, current) = (writer.attention(of: old), writer.attention(of: new))
        let summary = difference(
            "summary", "partials/summary", ["summary": writer.summary(of: old, former)],
            ["summary": writer.summary(of: new, current)])
        // Most changes concern no run that needs a person.
        guard former != current else { return summary }
        return summary
            + difference(
                "attention", "partials/attention", writer.attentionFields(former), writer.attentionFields(current))
            + difference("page-title", "partials/title", writer.title(of: former), writer.title(of: current))
    }

    private func runs(_ run: RunView) -> [Patch] {
        let row = { (run: RunView) in
            writer.render("partials/row", writer.listed(run.record, isPicked: writer.mayChange))
        }
        if isOpening {
            let older = writer.older(publication.board)
            return [
                .prepend(to: "runs", html: row(run).html),
                morph("older", "partials/older", ["olderURL": older]),
            ]
        }
        // Also of a run that is not among the newest, so that a filtered list learns of it.
        guard isTransition else { return [] }
        return changed("row-\(run.record.id)", \.run, row).map(\.asOptional)
    }

    private func operation(_ id: String, _ run: RunView) -> [Patch] {
        guard let view = publication.board.operation(id) else { return [] }
        let isLatest = view.latest?.record.id == run.record.id
        let isListed = view.recent.contains { $0.record.id == run.record.id }
        let old = publication.operationBefore
        var patches: [Patch] = []
        if old?.activeRuns != view.activeRuns {
            patches += changed("facts", "partials/facts") { $0.operation.map(writer.facts) }
        }
        if isLatest {
            patches += scrubber(run, { $0.run(shownOf: run.record.id) }) { writer.scrubber(operation: id, $0) }
        }
        if isTransition, isListed || isOpening { patches += choice(of: view, old) }
        if isOpening {
            patches += changed("current", "partials/current") { $0.operation.map(writer.current) }
            patches += earlier(of: view, old)
        } else if isLatest {
            patches += section(run, isAlone: false)
        } else if isTransition, isListed {
            patches += changed("row-\(run.record.id)", \.run) {
                writer.render("partials/row", writer.row($0.record))
            }
        }
        return isLatest ? patches + title { $0.operation.map(PageContent.operation) } : patches
    }

    /// The patches of the form that compares runs: the options of changed runs.
    ///
    /// If the runs to choose from or the chosen run differ, the field is sent whole.
    private func choice(of view: OperationView, _ old: OperationView?) -> [Patch] {
        let whole = RunListChange(before: [], after: view.recent)
        let part = RunListChange(from: old?.recent ?? [], to: view.recent)
        let isSame = old?.recent.map(\.record.id) == view.recent.map(\.record.id)
        let lists = [writer.firstCompared, writer.secondCompared].map { chosen in
            isSame && old.flatMap(chosen) == chosen(view) ? part : whole
        }
        let patches = { (firsts: RunListChange, seconds: RunListChange) in
            changed("compare", "partials/choice") { side in
                side.operation.map {
                    $0 === view
                        ? writer.compareChoice($0, firsts.after, seconds.after)
                        : writer.compareChoice($0, firsts.before, seconds.before)
                }
            }
        }
        let narrow = patches(lists[0], lists[1])
        let parts =
            isSame ? ["compare"] + zip(["compare-a", "compare-b"], lists).filter { !$1.before.isEmpty }.map(\.0) : []
        return (narrow.contains { $0.replaces(parts) } ? patches(whole, whole) : narrow).map(\.asOptional)
    }

    /// The patches of the earlier runs after an opening.
    private func earlier(of view: OperationView, _ old: OperationView?) -> [Patch] {
        let (before, after) = (Array((old?.recent ?? []).dropFirst()), Array(view.recent.dropFirst()))
        let patches = { (lists: RunListChange) in
            changed("earlier", "partials/earlier") { side in
                side.operation.map { ["earlier": writer.earlier($0 === view ? lists.after : lists.before)] }
            }
        }
        let narrow = patches(RunListChange(from: before, to: after))
        // An element sent whole must contain all its rows.
        return narrow.contains { $0.replaces(["earlier"]) }
            ? patches(RunListChange(before: before, after: after)) : narrow
    }

    private func section(_ run: RunView, isAlone: Bool) -> [Patch] {
        let id = "run-\(run.record.id)"
        if isTransition {
            return changed(id, \.run) { writer.render("partials/run", writer.run($0, isAlone: isAlone)) }
        }
        let place = PageWriter.Place(uid: id, isCompact: false, hasVerdict: true)
        return changed("\(id)-state", \.run) { writer.statePanel($0, id: "\(id)-state", place: place) } + lanes(run)
    }

    /// The patches of what surrounds a run's section on its own page, after a transition.
    private func furniture(of run: RunView) -> [Patch] {
        let origin = changed("origin", \.run) { writer.render("partials/origin", writer.origin($0)) }
        let timeline =
            writer.hasLanes(run.record)
            ? [] : changed("timeline", \.run) { writer.render("partials/timeline", writer.timeline($0)) }
        return origin + timeline
    }

    private func surroundings(of run: RunView) -> [Patch] {
        let around = { (side: Side) in
            side.run.map { writer.surroundings($0, RunSurroundings(of: $0, on: side.board)) }
        }
        // The queue may have moved without a change of this run.
        if publication.before?.record.state.phase == .idle, let fields = around(after) {
            return [morph("run-around", "partials/surroundings", fields)]
        }
        return isTransition ? changed("run-around", "partials/surroundings", around) : []
    }

    /// The patches of a timeline after a tick: all lanes, if they have become too short.
    ///
    /// The client extends the lane of the current state.
    private func lanes(_ run: RunView) -> [Patch] {
        guard run.record.endedAt == nil, !writer.hasLanes(run.record), hasGrown(run, writer.timelineLength) else {
            return []
        }
        return changed("timeline", \.run) { writer.render("partials/timeline", writer.timeline($0)) }
    }

    /// The patches of the scrubber, which changes with the run's states and when its strip becomes too short.
    private func scrubber(
        _ run: RunView, _ view: (Side) -> RunView?, _ render: (RunView) -> TrustedHTML
    ) -> [Patch] {
        guard isTransition || hasGrown(run, writer.stripLength) else { return [] }
        return changed("scrubber", view, render)
    }

    private func hasGrown(_ run: RunView, _ length: (RunView) -> Int64) -> Bool {
        publication.before.map(length) != length(run)
    }

    // MARK: Differences

    /// The patches of an element that shows a single object.
    ///
    /// Empty if the object is identical on both sides, or is no longer shown.
    func changed<View: AnyObject & Sendable>(
        _ id: String, _ view: (Side) -> View?, _ render: (View) -> TrustedHTML
    ) -> [Patch] {
        let (old, new) = (view(before), view(after))
        guard let new, new !== old else { return [] }
        let key = LatestRenderings.Key(page: page, element: id)
        let former = old.map { renderings.html(key, showing: $0) ?? render($0).html }
        let html = render(new).html
        renderings.keep(html, key, showing: new)
        return MarkupDiff.patches(from: former, to: html, id: id)
    }

    /// The patches of an element that is rendered for both sides.
    func changed(_ id: String, _ template: String, _ fields: (Side) -> Fields?) -> [Patch] {
        guard let new = fields(after) else { return [] }
        return difference(id, template, fields(before), new)
    }

    private func difference(_ id: String, _ template: String, _ old: Fields?, _ new: Fields) -> [Patch] {
        let former = old.map { writer.render(template, $0).html }
        return MarkupDiff.patches(from: former, to: writer.render(template, new).html, id: id)
    }

    func title(_ content: (Side) -> PageContent?) -> [Patch] {
        changed("page-title", "partials/title") { content($0).map(writer.title) }
    }

    func morph(_ id: String, _ template: String, _ fields: Fields) -> Patch {
        .morph(id: id, html: writer.render(template, fields).html)
    }
}

extension PagePatcher {
    func patches(_ topic: PageTopic, after store: StoreView) -> [Patch] {
        switch topic {
        case .board: card(store.id, isWhole: false)
        case .stores: card(store.id, isWhole: true)
        case .store(let id): store.id == id ? page(store) : []
        case .runs, .operation, .run, .output, .wall: []
        }
    }

    private func card(_ id: String, isWhole: Bool) -> [Patch] {
        changed("store-\(id)", \.store) {
            writer.render("partials/store-card", writer.storeCard($0, isWhole: isWhole))
        }
    }

    private func page(_ store: StoreView) -> [Patch] {
        // Oldest first, so that the newest ends up in front.
        let effects = store.effects.prefix { $0.sequence == store.sequence }.reversed().map { line in
            Patch.prepend(
                to: "effects", html: writer.render("partials/store-effect", writer.storeEffect(line, of: store)).html)
        }
        var patches = changed("store", \.store) {
            writer.render("partials/store", writer.storeSection($0, draft: nil))
        }
        if let line = store.log.first {
            let entry = writer.render("partials/store-entry", writer.entry(line, of: store))
            patches.append(.prepend(to: "entries", html: entry.html))
        }
        if store.omittedSteps > 0 {
            patches += changed("omitted", "partials/store-omitted") { $0.store.map(writer.storeLog) }
        }
        let scrubber = changed("scrubber", \.store) {
            writer.render("partials/scrubber", writer.storeScrubber($0, past: nil))
        }
        return patches + effects + scrubber + title { $0.store.map(PageContent.store) }
    }
}

extension PageRenderer {
    /// The patches that bring a page from the previous change to this one; empty if the change does not show on the page.
    ///
    /// Rendering is expensive: call this once per publication and page, and keep the result.
    package func patches(
        for publication: Publication, page: LivePage, paused: Set<String> = [],
        acknowledged: [String: Acknowledgement] = [:], withoutStart: [String: ScheduleStanding] = [:]
    ) -> [Patch] {
        var writer = writer(page.locale, at: publication.change.at)
        writer.paused = paused
        writer.acknowledged = acknowledged
        writer.withoutStart = withoutStart
        return PagePatcher(writer: writer, publication: publication, page: page, renderings: renderings).patches()
    }
}
