import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    private static let laneHeight = 10

    /// Whether the page of a run shows the lanes of its steps instead of the timeline of its states.
    func hasLanes(_ record: RunRecord) -> Bool { catalog[record.operation]?.plan != nil }

    /// When each step ran, on one scale in milliseconds, for `partials/step-lanes`; nil before the first step begins.
    ///
    /// All lanes are one drawing, so that a longer axis changes one attribute. A step that another run performed has no bar.
    func stepLanes(
        _ progress: StepsProgress, _ labels: [String], _ critical: [Int], _ run: RunView, uid: String
    ) -> Fields? {
        let record = run.record
        guard progress.steps.contains(where: { $0.began != nil && $0.doneIn == nil }) else { return nil }
        let length = lanesLength(run)
        let usual = record.opening.expected?.steps ?? [:]
        let marked = Set(critical)
        let rows = progress.steps.enumerated().map { index, step -> Fields in
            let bar = bar(step, run, length)
            let id = "\(uid)-lane\(index)"
            let y = index * Self.laneHeight
            let median = usual[step.name]
            return [
                "rowID": id, "title": labels[index], "isCritical": marked.contains(index),
                "duration": bar.isOpen ? nil : bar.duration.map(format.duration),
                "usual": median.map { strings(.stepsUsual, ["time": format.duration($0)]) },
                "tone": bar.tone, "isOpen": bar.isOpen, "x": String(bar.x), "y": String(y + 2),
                "width": String(bar.width),
                "mark": bar.width == 0
                    ? nil
                    : median.map {
                        ["x": String(bar.x), "y": String(y + 8), "width": String(min($0, length - bar.x))] as Fields
                    },
            ]
        }
        return [
            "lanesID": "\(uid)-lanes", "rows": rows, "length": String(length),
            "height": String(rows.count * Self.laneHeight), "start": CivilTime(record.startedAt).iso,
            "end": format.duration(length), "critical": critical.count > 1 ? words(critical, labels) : nil,
            "whole": record.endedAt.flatMap { comparison($0 - record.startedAt, record.opening.expected?.whole) },
        ]
    }

    private func words(_ critical: [Int], _ labels: [String]) -> String {
        strings(.stepsCritical, ["steps": critical.map { labels[$0] }.joined(separator: " \u{2192} ")])
    }

    /// The duration of the whole run against the usual one, in words; nil without an estimate.
    private func comparison(_ took: Int64, _ usual: Int64?) -> String? {
        guard let usual else { return nil }
        let key: StringKey = took > usual ? .stepsLonger : .stepsShorter
        return strings(key, ["time": format.duration(abs(took - usual)), "usual": format.duration(usual)])
    }

    /// The length of the axis, which grows in steps while the run is active.
    private func lanesLength(_ run: RunView) -> Int64 {
        let elapsed = max(run.at - run.record.startedAt, 0)
        return max(run.record.endedAt == nil ? TimeAxis.length(holding: elapsed) : elapsed, 1)
    }

    private struct Bar {
        var x: Int64 = 0
        var width: Int64 = 0
        var tone = Phase.idle.tone
        var isOpen = false
        var duration: Int64?
    }

    private func bar(_ step: StepsProgress.Step, _ run: RunView, _ length: Int64) -> Bar {
        guard let began = step.began else { return Bar() }
        let isOpen = step.ended == nil && !step.status.isOver && run.record.endedAt == nil
        let end = step.ended ?? run.record.endedAt ?? run.at
        let duration = max(end - began, 0)
        guard step.doneIn == nil else { return Bar(duration: step.ended == nil ? nil : duration) }
        let x = min(max(began - run.record.startedAt, 0), length)
        return Bar(
            x: x, width: min(duration, length - x), tone: step.status.phase.tone, isOpen: isOpen, duration: duration)
    }
}
