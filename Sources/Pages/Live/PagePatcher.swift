import Boards
import Journals

/// Finds what a publication changes on a page, and renders that and no more.
///
/// A tick (another payload in the same case) changes the element of the state and the title. A transition changes the
/// run's section or the operation's card; an opening, the lists of runs too. Lists are bounded by their `data-limit`.
struct PagePatcher {
    let writer: PageWriter
    let publication: Publication

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
            return section(run, isAlone: true) + scrubber(run) { writer.scrubber(run: run) } + [title(.run(run))]
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
            return isShown && isLatest ? [.morph(id: "op-\(id)-state", html: writer.cardState(run).html)] : []
        }
        let board = publication.board
        var patches: [Patch] = []
        if isShown {
            patches.append(morph("op-\(id)", "partials/card", writer.card(id, on: board)))
            patches.append(morph("summary", "partials/summary", ["summary": writer.summary(of: board)]))
        }
        if isOpening {
            if writer.isListed(run, on: board) {
                patches.append(.prepend(to: "tail", html: tailItem(run)))
            }
        } else if writer.isListed(run, on: board) {
            patches.append(.morphIfPresent(id: "tail-\(run.record.id)", html: tailItem(run)))
        }
        return patches + [title(.board(board))]
    }

    private func tailItem(_ run: RunView) -> String {
        writer.render("partials/tail-item", writer.tailItem(run)).html
    }

    private func runs(_ run: RunView) -> [Patch] {
        let row = { writer.render("partials/row", writer.row(run.record).merging(["isNamed": true])).html }
        if isOpening {
            let older = writer.older(publication.board)
            return [.prepend(to: "runs", html: row()), morph("older", "partials/older", ["olderURL": older])]
        }
        let isListed = publication.board.recentRuns.contains { $0.record.id == run.record.id }
        return isTransition && isListed ? [.morphIfPresent(id: "row-\(run.record.id)", html: row())] : []
    }

    private func operation(_ id: String, _ run: RunView) -> [Patch] {
        guard let view = publication.board.operation(id) else { return [] }
        let isLatest = view.latest?.record.id == run.record.id
        var patches: [Patch] = []
        if isTransition { patches.append(morph("facts", "partials/facts", writer.facts(view))) }
        if isLatest { patches += scrubber(run) { writer.scrubber(operation: id, run) } }
        if isTransition, view.recent.contains(where: { $0.record.id == run.record.id }) || isOpening {
            patches.append(morph("compare", "partials/choice", writer.compareChoice(view)))
        }
        if isOpening {
            patches.append(morph("current", "partials/current", writer.current(view)))
            patches.append(morph("earlier", "partials/earlier", ["earlier": writer.earlier(view)]))
        } else if isLatest {
            patches += section(run, isAlone: false)
        } else if isTransition, view.recent.contains(where: { $0.record.id == run.record.id }) {
            patches.append(morph("row-\(run.record.id)", "partials/row", writer.row(run.record)))
        }
        return isLatest ? patches + [title(.operation(view))] : patches
    }

    private func section(_ run: RunView, isAlone: Bool) -> [Patch] {
        let id = "run-\(run.record.id)"
        if isTransition { return [morph(id, "partials/run", writer.run(run, isAlone: isAlone))] }
        let place = PageWriter.Place(uid: id, isCompact: false)
        return [.morph(id: "\(id)-state", html: writer.statePanel(run, id: "\(id)-state", place: place).html)]
            + lane(run, id)
    }

    /// What a tick changes of a timeline: the lane that continues, or all of them when they have become too short.
    private func lane(_ run: RunView, _ id: String) -> [Patch] {
        guard let lane = writer.openLane(run) else { return [] }
        return hasGrown(run, writer.timelineLength)
            ? [morph("\(id)-timeline", "partials/timeline", writer.timeline(run))]
            : [morph("\(id)-lane", "partials/lane", lane)]
    }

    /// A scrubber changes with its run's states, and when its strip has become too short.
    private func scrubber(_ run: RunView, _ render: () -> TrustedHTML) -> [Patch] {
        guard isTransition || hasGrown(run, writer.stripLength) else { return [] }
        return [.morph(id: "scrubber", html: render().html)]
    }

    private func hasGrown(_ run: RunView, _ length: (RunView) -> Int64) -> Bool {
        publication.before.map(length) != length(run)
    }

    func title(_ content: PageContent) -> Patch { morph("page-title", "partials/title", writer.title(content)) }

    func morph(_ id: String, _ template: String, _ fields: Fields) -> Patch {
        .morph(id: id, html: writer.render(template, fields).html)
    }
}
