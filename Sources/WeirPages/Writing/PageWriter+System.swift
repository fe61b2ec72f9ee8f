import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    func systemPage(_ system: SystemFacts) -> Fields {
        let (counts, others) = counts(system.counts)
        let shown = shownElsewhere(system)
        return [
            "facts": system.facts.filter { !shown.contains($0.name) }.map { fact -> Fields in
                [
                    "label": strings.optional("system.\(fact.name)") ?? Humanized(fact.name).text,
                    "text": text(of: fact.value), "moment": moment(of: fact.value),
                ]
            },
            "readings": system.readings.map(reading), "hasReadings": !system.readings.isEmpty,
            "counts": counts, "others": others, "phases": Phase.allCases.map { ["word": word(for: $0)] as Fields },
            "conditions": system.conditions.map { condition -> Fields in
                [
                    "title": strings.optional("condition.\(condition.kind.rawValue)"),
                    "operation": condition.kind == .schedule ? operation(condition.subject) : nil,
                    "sentence": dated(strings.said(recorded: condition.sentence)), "since": moment(condition.since),
                ]
            },
            "hasConditions": !system.conditions.isEmpty, "check": system.check.map(fields),
            "nodes": nodes(system.nodes), "hasNodes": !system.nodes.isEmpty,
            "hooks": system.hooks.map(hooks),
            "catalogsDiffer": Set(system.nodes.filter { !$0.isSilent }.compactMap(\.node.standing.catalog)).count > 1,
        ]
    }

    /// A text with its timestamps in the format of the reader's language.
    private func dated(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/) {
            Timestamp(String($0.output)).map(format.exact) ?? String($0.output)
        }
    }

    /// The facts that readings and conditions show too.
    private func shownElsewhere(_ system: SystemFacts) -> Set<String> {
        let conditions = system.conditions.flatMap { condition -> [String] in
            switch condition.kind {
            case .backup: ["backupProblem", "backupLate"]
            case .recording: ["recording"]
            default: []
            }
        }
        return Set(system.readings.map(\.name) + conditions)
    }

    private static var listedProblems: Int { 200 }

    private func fields(_ check: SystemFacts.Check) -> Fields {
        let listed = check.problems.prefix(Self.listedProblems)
        let more = check.count - listed.count
        return [
            "problems": listed.map { ["place": $0.place, "message": $0.message] as Fields },
            "hasProblems": check.count > 0, "at": moment(check.at),
            "more": more > 0 ? strings(.moreProblems, ["n": format.integer(Int64(more))]) : nil,
        ]
    }

    func text(of value: SystemFacts.Fact.Value) -> String? {
        switch value {
        case .text(let text): text
        case .count(let count): format.integer(count)
        case .bytes(let bytes): format.bytes(Double(bytes))
        case .duration(let milliseconds): format.duration(milliseconds)
        case .flag(let flag): strings[flag ? .yes : .no]
        case .fraction(let fraction): format.percent(fraction)
        case .moment: nil
        }
    }

    private func moment(of value: SystemFacts.Fact.Value) -> MomentValue? {
        guard case .moment(let moment) = value else { return nil }
        return self.moment(moment)
    }

    private func nodes(_ nodes: [NodeView]) -> [Fields] {
        let head = nodes.map(\.node.standing.head).max() ?? .zero
        let own = nodes.first(where: \.isThis)?.node.standing.catalog
        return nodes.map { view in
            let standing = view.node.standing
            let role: StringKey = view.isSilent ? .nodeSilent : view.node.isRecording ? .nodeRecords : .nodeFollows
            return [
                "name": view.node.name, "isThis": view.isThis, "isSilent": view.isSilent, "role": strings[role],
                "head": format.integer(standing.head.rawValue),
                "lag": format.integer(head.rawValue - standing.head.rawValue),
                "files": standing.catalog.map { $0.isEmpty ? "–" : String($0.prefix(8)) },
                "filesDiffer": view.isThis ? false : standing.catalog != own,
                "runs": format.integer(Int64(standing.runs)), "viewers": format.integer(Int64(standing.viewers)),
            ]
        }
    }

    private static var listedOperations: Int { 100 }

    /// Runs of each operation by phase, and a sentence that counts the operations beyond `listedOperations`.
    ///
    /// Operations with the most active runs are listed, then those with the most runs.
    private func counts(_ counts: [RunCount]) -> (rows: [Fields], others: String?) {
        var sums: [String: [Phase: Int]] = [:]
        for count in counts { sums[count.operation, default: [:]][count.phase, default: 0] += count.count }
        var listed = catalog.entries.map(\.id)
        listed += Set(sums.keys).subtracting(listed).sorted()
        let others = listed.count - Self.listedOperations
        if others > 0 {
            let ranks = sums.mapValues { ($0[.active] ?? 0, $0.values.reduce(0, +)) }
            let ranked = listed.sorted { ranks[$0, default: (0, 0)] > ranks[$1, default: (0, 0)] }
            let first = Set(ranked.prefix(Self.listedOperations))
            listed.removeAll { !first.contains($0) }
        }
        let rows = listed.map { id in
            let cells = Phase.allCases.map { phase -> Fields in
                let count = sums[id]?[phase] ?? 0
                return [
                    "count": format.integer(Int64(count)), "isNone": count == 0,
                    "url": "\(base)/runs?operation=\(id)&phase=\(phase.rawValue)",
                ]
            }
            return ["operation": operation(id), "cells": cells] as Fields
        }
        return (rows, others > 0 ? strings(.moreOperations, ["n": format.integer(Int64(others))]) : nil)
    }
}
