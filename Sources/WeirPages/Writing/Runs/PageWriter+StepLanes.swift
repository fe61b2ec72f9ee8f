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
        let lanes = progress.steps.enumerated().map { index, step in
            Lane(
                title: labels[index], isCritical: marked.contains(index), usual: usual[step.name],
                bar: bar(step, run, length), length: length)
        }
        let rows = markup("partials/step-lane", of: record.operation, uid: uid, lanes) { index, lane in
            fields(lane, index, uid: uid)
        }
        let bars = markup("partials/step-bar", of: record.operation, uid: uid, lanes) { index, lane in
            fields(lane, index, uid: uid)
        }
        return [
            "lanesID": "\(uid)-lanes", "rows": rows, "bars": bars, "length": String(length),
            "height": String(lanes.count * Self.laneHeight), "start": CivilTime(record.startedAt).iso,
            "end": format.duration(length), "critical": critical.count > 1 ? words(critical, labels) : nil,
            "whole": record.endedAt.flatMap { comparison($0 - record.startedAt, record.opening.expected?.whole) },
        ]
    }

    private struct Lane: Equatable {
        let title: String
        let isCritical: Bool
        let usual: Int64?
        let bar: Bar
        /// The width of the mark of the usual duration; nil without an estimate or a bar.
        let mark: Int64?

        init(title: String, isCritical: Bool, usual: Int64?, bar: Bar, length: Int64) {
            (self.title, self.isCritical, self.usual, self.bar) = (title, isCritical, usual, bar)
            mark = bar.width == 0 ? nil : usual.map { min($0, length - bar.x) }
        }
    }

    private func fields(_ lane: Lane, _ index: Int, uid: String) -> Fields {
        let (bar, y) = (lane.bar, index * Self.laneHeight)
        return [
            "rowID": "\(uid)-lane\(index)", "title": lane.title, "isCritical": lane.isCritical,
            "duration": bar.isOpen ? nil : bar.duration.map(format.duration),
            "usual": lane.usual.map { strings(.stepsUsual, ["time": format.duration($0)]) },
            "tone": bar.tone, "isOpen": bar.isOpen, "x": String(bar.x), "y": String(y + 2),
            "width": String(bar.width),
            "mark": lane.mark.map { ["x": String(bar.x), "y": String(y + 8), "width": String($0)] as Fields },
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

    private struct Bar: Equatable {
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
