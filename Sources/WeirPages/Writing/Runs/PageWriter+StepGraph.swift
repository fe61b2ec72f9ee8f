import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The picture of the steps of an operation without runs, for `partials/step-list`; nil for an operation without steps.
    func plannedSteps(_ operation: String) -> Fields? {
        guard let plan = catalog[operation]?.plan else { return nil }
        let progress = StepsProgress(of: plan)
        let place = Place(uid: "plan", isCompact: false)
        return stepList(progress, operation, nil, place)
    }

    /// The steps of a graph as items at their places, with the edges behind them, for `partials/step-graph`.
    func stepGraph(
        _ progress: StepsProgress, _ labels: [String], _ shape: GraphShape, _ critical: [Int], _ operation: String,
        _ run: RunView?, uid: String
    ) -> Fields {
        let layout = steps.layout(shape)
        let marked = Set(critical)
        let places = Dictionary(zip(progress.steps.map(\.name), labels.indices)) { first, _ in first }
        let nodes = layout.order.map { index in
            Node(
                index: index, step: shown(progress.steps[index], run?.record), place: layout.places[index],
                top: layout.rails.tops[index], indent: layout.rails.width, isCritical: marked.contains(index))
        }
        let markup = markup("partials/step-node", of: operation, uid: uid, nodes) { _, node in
            let item = item(node.step, id: "\(uid)-step\(node.index)", of: operation)
            let parts = parts(of: node.step.step, item)
            return item.merging([
                "x": String(node.place.x), "y": String(node.place.y), "top": String(node.top),
                "indent": String(node.indent), "isCritical": node.isCritical,
                "words": nodeWords(item, node.step.step), "parts": parts, "hasParts": !parts.isEmpty,
                "after": after(node.step.step, places, labels),
            ])
        }
        return [
            "graphID": "\(uid)-graph", "sizeClass": "w\(shape.size.step)", "isDense": shape.size.isDense,
            "width": String(layout.width), "height": String(layout.height), "lines": TrustedHTML(layout.lines),
            "dashed": layout.dashed.isEmpty ? nil : TrustedHTML(layout.dashed),
            "criticalLines": critical.count > 1 ? TrustedHTML(layout.path(through: critical, of: shape)) : nil,
            "railWidth": String(layout.rails.width), "railHeight": String(layout.rails.height),
            "railLines": TrustedHTML(layout.rails.lines),
            "railDashed": layout.rails.dashed.isEmpty ? nil : TrustedHTML(layout.rails.dashed),
            "criticalRails": critical.count > 1 ? TrustedHTML(layout.rails.path(through: critical, of: shape)) : nil,
            "nodes": markup,
        ]
    }

    private struct Node: Equatable {
        let index: Int
        let step: ShownStep
        let place: GraphLayout.Place
        let top: Int
        let indent: Int
        let isCritical: Bool
    }

    /// The critical path of an ended run of a graph.
    func criticalPath(_ progress: StepsProgress, _ shape: GraphShape, _ run: RunView) -> [Int] {
        guard run.record.endedAt != nil else { return [] }
        return CriticalPath.nodes(progress.steps, parents: shape.parents, from: run.record.startedAt)
    }

    /// How a step stands, in few words: its state, its progress and the number of its items.
    private func nodeWords(_ item: Fields, _ step: StepsProgress.Step) -> String {
        let items = step.items.map { items in
            let done = strings(
                .stepsItems,
                [
                    "done": format.integer(Int64(items.succeeded + items.failed)),
                    "total": format.integer(Int64(items.total)),
                ])
            return items.failed == 0
                ? done : strings(.stepsItemsFailed, ["n": format.integer(Int64(items.failed))]) + " \u{B7} " + done
        }
        return [items ?? item["word"] as? String, item["percent"] as? String].compactMap(\.self)
            .joined(separator: " \u{B7} ")
    }

    /// The parts of a step's bar, in thousandths of its width: of its items the failed ones first, or of its progress.
    private func parts(of step: StepsProgress.Step, _ item: Fields) -> [Fields] {
        var parts: [(tone: String, share: Double)] = []
        if let items = step.items, items.total > 0 {
            let total = Double(items.total)
            parts = [
                (Phase.failed.tone, Double(items.failed) / total),
                (Phase.succeeded.tone, Double(items.succeeded) / total),
                (Phase.active.tone, Double(items.running) / total),
            ]
        } else if item["percent"] != nil, let fraction = step.progress?.fraction {
            parts = [(Phase.active.tone, fraction)]
        }
        var x: Int64 = 0
        return parts.compactMap { part -> Fields? in
            let width = min(max(Int64(clamping: part.share * 1_000), 0), 1_000 - x)
            defer { x += width }
            return width == 0 ? nil : ["tone": part.tone, "x": String(x), "width": String(width)]
        }
    }

    /// The steps that a step follows, in words.
    private func after(_ step: StepsProgress.Step, _ places: [String: Int], _ labels: [String]) -> String? {
        let needs = (step.needs ?? []).compactMap { places[$0] }.sorted().map { labels[$0] }
        if !needs.isEmpty { return strings(.stepsAfter, ["steps": needs.joined(separator: ", ")]) }
        return step.isFinally ? strings[.stepsAfterAll] : nil
    }

    /// What else is known about the steps of a graph: decisions, reasons, attempts and failed items.
    func remarks(_ progress: StepsProgress, _ operation: String, _ run: RunView?, uid: String) -> Fields? {
        let rows = progress.steps.enumerated().compactMap { index, step -> Fields? in
            let isSeen = step.operation.map { allows(.see, onOperation: $0) } ?? true
            let failures = isSeen ? (step.items?.failures ?? []) : []
            let allowed = step.allowsFailure && step.status == .failed ? strings[.stepsAllowed] : nil
            let because = step.because.map { words(for: $0, operation, isSeen: isSeen) }
            guard
                allowed != nil || because != nil || !failures.isEmpty || step.decision != nil
                    || (step.attempt ?? 1) > 1 || (step.doneIn != nil && !permissions.isLink)
            else { return nil }
            let item = item(shown(step, run?.record), id: "\(uid)-step\(index)", of: operation)
            return item.merging([
                "remarkID": "\(uid)-remark\(index)", "allowed": allowed, "because": because,
                "failures": failures.map { failure in
                    [
                        "item": failure.item, "failedRun": failure.run.map { link(toRun: $0) },
                        "failedBecause": failure.detail.map(strings.said),
                    ] as Fields
                },
            ])
        }
        return rows.isEmpty ? nil : ["remarksID": "\(uid)-remarks", "rows": rows]
    }

    private func words(for because: StepsProgress.Because, _ operation: String, isSeen: Bool) -> String {
        switch because.kind {
        case .need:
            strings(.stepsBecauseNeed, ["step": because.step.map { label(of: $0, in: operation) } ?? ""])
        case .condition: strings(.stepsBecauseCondition, ["condition": isSeen ? because.condition ?? "" : "…"])
        case .noFailure: strings[.stepsBecauseNoFailure]
        case .stopped: strings[.stepsBecauseStopped]
        }
    }
}
