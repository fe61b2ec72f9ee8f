import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    static var comparedSteps: Int { 60 }

    func comparePage(_ runs: RunComparison) -> Fields {
        let operation = runs.first.record.operation
        let whole = max(RunComparison.length(of: runs.first), RunComparison.length(of: runs.second), 1)
        let parting = runs.parting.map { runs.steps[$0] }
        let name = { (leg: RunComparison.Segment?) in
            leg.map { label(of: $0.state.caseName, in: operation) } ?? strings[.compareOver]
        }
        let omitted = max(0, runs.steps.count - Self.comparedSteps)
        return [
            "operation": self.operation(operation),
            "runs": [
                compared(runs.first, "A", whole), compared(runs.second, "B", whole),
            ],
            "parting": runs.parting.map { place -> Fields in
                [
                    "place": format.integer(Int64(place) + 1), "first": name(parting?.first),
                    "second": name(parting?.second),
                ]
            },
            "steps": runs.steps.prefix(Self.comparedSteps).enumerated().map { place, step -> Fields in
                [
                    "number": format.integer(Int64(place) + 1), "isParting": place == runs.parting,
                    "isApart": runs.parting.map { place > $0 } ?? false,
                    "first": step.first.map { leg($0, of: runs.first, whole) },
                    "second": step.second.map { leg($0, of: runs.second, whole) },
                    "difference": step.difference.map(signed),
                ]
            },
            "nodes": runs.nodes.isEmpty
                ? nil
                : ["rows": runs.nodes.map { node($0, of: operation) }, "isSame": runs.nodes.allSatisfy(\.isSame)]
                    as Fields,
            "omitted": omitted > 0 ? format.integer(Int64(omitted)) : nil,
            "total": signed(RunComparison.length(of: runs.second) - RunComparison.length(of: runs.first)),
            "input": runs.differingInput.isEmpty ? nil : ["rows": inputs(runs)] as Fields,
            "output": outputDifference(runs), "file": fileDifference(runs), "differences": differences(runs),
            "swapURL": "\(base)/operations/\(operation)/compare?a=\(runs.second.record.id)&b=\(runs.first.record.id)",
        ]
    }

    /// The form that compares two of an operation's newest runs, for `partials/choice`, with the given runs as options.
    func compareChoice(_ view: OperationView, _ firsts: [RunView], _ seconds: [RunView]) -> Fields {
        let options = { (letter: String, runs: [RunView], chosen: String?) in
            runs.map { run -> Fields in
                summary(run.record).merging([
                    "optionID": "compare-\(letter)-\(run.record.id)",
                    "state": label(of: run.record.state.caseName, run.record.state.phase, in: view.id),
                    "isChosen": run.record.id == chosen,
                    "glyph": run.record.state.phase.glyph, "about": about(run.record),
                ])
            }
        }
        return [
            "hasChoice": view.recent.count > 1, "action": "\(base)/operations/\(view.id)/compare",
            "firsts": options("a", firsts, firstCompared(view)),
            "seconds": options("b", seconds, secondCompared(view)),
        ]
    }

    /// The default for the first run: the newest successful one before the latest.
    func firstCompared(_ view: OperationView) -> String? {
        let earlier = view.recent.dropFirst()
        return (earlier.first { $0.record.state.phase == .succeeded } ?? earlier.first)?.record.id
    }

    /// The default for the second run: the latest.
    func secondCompared(_ view: OperationView) -> String? { view.latest?.record.id }

    private func compared(_ run: RunView, _ letter: String, _ whole: Int64) -> Fields {
        let pieces = RunComparison.legs(run).map { leg($0, of: run, whole) }
        return row(run.record).merging([
            "chip": chip(run.record),
            "letter": letter, "length": String(whole), "pieces": pieces,
            "lasted": format.duration(RunComparison.length(of: run)),
        ])
    }

    private func leg(_ leg: RunComparison.Segment, of run: RunView, _ whole: Int64) -> Fields {
        let start = min(max(leg.state.at - run.record.startedAt, 0), whole)
        return [
            "chip": chip(leg.state, of: run.record),
            "duration": leg.duration.map(format.duration),
            "lane": [
                "laneID": nil, "isOpen": false, "length": String(whole), "tone": leg.state.phase.tone,
                "x": String(start),
                "width": String(min(leg.duration ?? 0, whole - start)),
            ] as Fields,
        ]
    }

    private func node(_ node: StepComparison, of operation: String) -> Fields {
        let differing = Array(node.differingValues.prefix(8))
        return [
            "title": label(of: node.name, in: operation), "isApart": !node.isSame,
            "first": node.first.map { side($0, differing, of: operation) },
            "second": node.second.map { side($0, differing, of: operation) },
            "difference": node.difference.map(signed),
        ]
    }

    private func side(_ side: StepComparison.Side, _ differing: [String], of operation: String) -> Fields {
        let values = PayloadValues(format: format, strings: strings, operation: side.step.operation ?? operation)
        let counts = side.step.items.map { items in
            strings(
                .stepsItems,
                ["done": format.integer(Int64(items.succeeded)), "total": format.integer(Int64(items.total))])
        }
        return item(shown(side.step, nil), id: "", of: operation).merging([
            "items": counts, "duration": side.duration.map(format.duration),
            "values": differing.map { name -> Fields in
                ["label": values.label(name), "text": side.values[name].map { String(values.text($0).prefix(200)) }]
            },
        ])
    }

    private func inputs(_ runs: RunComparison) -> [Fields] {
        let names = (catalog[runs.first.record.operation]?.fields ?? []).map(\.name)
        let ordered = names.filter(runs.differingInput.contains) + runs.differingInput.filter { !names.contains($0) }
        return ordered.prefix(ObjectValue.rowLimit).map { name in
            let values = [runs.first, runs.second].map { inputRow(name, of: $0.record) }
            return [
                "label": values.compactMap { $0?.label }.first ?? name, "first": values[0]?.text,
                "second": values[1]?.text,
            ]
        }
    }

    private func signed(_ milliseconds: Int64) -> String {
        (milliseconds < 0 ? "\u{2212}" : milliseconds > 0 ? "+" : "\u{B1}") + format.duration(abs(milliseconds))
    }
}
