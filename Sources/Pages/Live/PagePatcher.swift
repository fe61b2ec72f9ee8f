import Boards
import Journals

/// Finds what a publication changes on a page, and sends that and no more.
///
/// A tick (another payload in the same case) changes the element of the state and the title. A transition changes the
/// run's section or the operation's card; an opening, the lists of runs too. Each of these is rendered as it was and as it
/// is, and what differs is what is sent. Lists are bounded by their `data-limit`.
struct PagePatcher {
    let writer: PageWriter
    let publication: Publication

    /// What a publication is about, before it or after it.
    struct Side {
        /// The run; nil before its opening.
        var run: RunView?
        /// The run's operation.
        var operation: OperationView?
        /// The store.
        var store: StoreView?
        /// The board.
        let board: BoardView
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

    /// The patches of a page, in the order in which they are applied.
    func patches(_ topic: PageTopic) -> [Patch] {
        if let store = publication.store { return patches(topic, after: store) }
        guard let run = publication.run else { return [] }
        switch topic {
        case .board: return board(run)
        case .runs: return runs(run)
        case .operation(let id): return run.record.operation == id ? operation(id, run) : []
        case .run(let id):
            guard run.record.id == id else { return [] }
            return section(run, isAlone: true) + scrubber(run) { $0.run.map { writer.scrubber(run: $0) } }
                + title { $0.run.map(PageContent.run) }
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
            return isShown && isLatest ? changed("op-\(id)-state") { $0.run.map(writer.cardState) } : []
        }
        let board = publication.board
        var patches: [Patch] = []
        if isShown {
            patches += changed("op-\(id)", "partials/card") { writer.card(id, on: $0.board) }
            patches += changed("summary", "partials/summary") { ["summary": writer.summary(of: $0.board)] }
        }
        if writer.isListed(run, on: board) {
            patches +=
                isOpening
                ? [.prepend(to: "tail", html: writer.render("partials/tail-item", writer.tailItem(run)).html)]
                : changed("tail-\(run.record.id)", "partials/tail-item") { $0.run.map(writer.tailItem) }
                    .map(\.asOptional)
        }
        return patches + title { .board($0.board) }
    }

    private func runs(_ run: RunView) -> [Patch] {
        let row = { (run: RunView) in writer.listed(run.record, isPicked: writer.mayChange) }
        if isOpening {
            let older = writer.older(publication.board)
            return [
                .prepend(to: "runs", html: writer.render("partials/row", row(run)).html),
                morph("older", "partials/older", ["olderURL": older]),
            ]
        }
        let isListed = publication.board.recentRuns.contains { $0.record.id == run.record.id }
        guard isTransition && isListed else { return [] }
        return changed("row-\(run.record.id)", "partials/row") { $0.run.map(row) }.map(\.asOptional)
    }

    private func operation(_ id: String, _ run: RunView) -> [Patch] {
        guard let view = publication.board.operation(id) else { return [] }
        let isLatest = view.latest?.record.id == run.record.id
        let isListed = view.recent.contains { $0.record.id == run.record.id }
        var patches: [Patch] = []
        if isTransition { patches += changed("facts", "partials/facts") { $0.operation.map(writer.facts) } }
        if isLatest {
            patches += scrubber(run) { side in
                side.operation.map {
                    writer.scrubber(operation: id, $0.latest?.record.id == run.record.id ? side.run : $0.latest)
                }
            }
        }
        if isTransition, isListed || isOpening {
            patches += changed("compare", "partials/choice") { $0.operation.map(writer.compareChoice) }
        }
        if isOpening {
            patches += changed("current", "partials/current") { $0.operation.map(writer.current) }
            patches += changed("earlier", "partials/earlier") { side in
                side.operation.map { ["earlier": writer.earlier($0)] }
            }
        } else if isLatest {
            patches += section(run, isAlone: false)
        } else if isTransition, isListed {
            patches += changed("row-\(run.record.id)", "partials/row") { side in side.run.map { writer.row($0.record) }
            }
        }
        return isLatest ? patches + title { $0.operation.map(PageContent.operation) } : patches
    }

    private func section(_ run: RunView, isAlone: Bool) -> [Patch] {
        let id = "run-\(run.record.id)"
        if isTransition {
            return changed(id, "partials/run") { side in side.run.map { writer.run($0, isAlone: isAlone) } }
        }
        let place = PageWriter.Place(uid: id, isCompact: false)
        return changed("\(id)-state") { side in
            side.run.map { writer.statePanel($0, id: "\(id)-state", place: place) }
        } + lanes(run)
    }

    /// What a tick changes of a timeline: all lanes, when they have become too short.
    ///
    /// The lane of a state that continues grows by itself.
    private func lanes(_ run: RunView) -> [Patch] {
        guard run.record.endedAt == nil, hasGrown(run, writer.timelineLength) else { return [] }
        return changed("timeline", "partials/timeline") { $0.run.map(writer.timeline) }
    }

    /// A scrubber changes with its run's states, and when its strip has become too short.
    private func scrubber(_ run: RunView, _ render: (Side) -> TrustedHTML?) -> [Patch] {
        guard isTransition || hasGrown(run, writer.stripLength) else { return [] }
        return changed("scrubber", render)
    }

    private func hasGrown(_ run: RunView, _ length: (RunView) -> Int64) -> Bool {
        publication.before.map(length) != length(run)
    }

    // MARK: What differs

    /// What differs of an element between both sides; nothing where it is not shown any more.
    func changed(_ id: String, _ render: (Side) -> TrustedHTML?) -> [Patch] {
        guard let new = render(after) else { return [] }
        return MarkupDiff.patches(from: render(before)?.html, to: new.html, id: id)
    }

    func changed(_ id: String, _ template: String, _ fields: (Side) -> Fields?) -> [Patch] {
        changed(id) { side in fields(side).map { writer.render(template, $0) } }
    }

    func title(_ content: (Side) -> PageContent?) -> [Patch] {
        changed("page-title", "partials/title") { content($0).map(writer.title) }
    }

    func morph(_ id: String, _ template: String, _ fields: Fields) -> Patch {
        .morph(id: id, html: writer.render(template, fields).html)
    }
}
