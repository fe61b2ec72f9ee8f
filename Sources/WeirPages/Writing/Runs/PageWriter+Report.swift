import Foundation
package import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The fields of `pages/report`.
    func reportPage(_ report: PeriodReport) -> Fields {
        [
            "from": moment(report.from), "to": moment(report.to), "isCut": report.isCut,
            "fromText": String(CivilTime(report.from).iso.prefix(16)),
            "toText": String(CivilTime(report.to).iso.prefix(16)), "action": "\(base)/report",
            "csvURL": "\(base)/report?\(query(report.from, report.to))&format=csv",
            "presets": presets(in: report.zone), "isEmpty": report.rows.isEmpty && report.missed.isEmpty,
            "figures": counts(report.figures),
            "rows": report.rows.map { row in
                counts(row.figures).merging([
                    "operation": operation(row.operation), "median": row.figures.p50.map(format.duration),
                    "before": row.before.p50.map(format.duration), "isSlower": row.isSlower,
                    "runsURL": row.figures.failed == 0
                        ? nil : "\(base)/runs?operation=\(row.operation)&\(query(report.from, report.to))&phase=failed",
                    "newest": row.newestFailure.map { link(toRun: $0.id).merging(error(of: $0)) },
                ])
            },
            "retries": report.retries == 0
                ? nil
                : [
                    "count": format.integer(Int64(report.retries)),
                    "url": "\(base)/runs?attempt=%3E1&\(query(report.from, report.to))",
                    "attempts": report.attempts.filter { $0.attempt > 1 }.map {
                        [
                            "attempt": format.integer($0.attempt), "count": format.integer(Int64($0.count)),
                        ] as Fields
                    },
                ] as Fields,
            "tags": groups(report.tags(in: catalog)) { $0 }, "actors": groups(report.actors, words(forActor:)),
            "errors": report.errors.map { group in
                link(toRun: group.newest.id).merging([
                    "sentence": words(for: group),
                    "count": format.integer(Int64(group.count)), "operation": operation(group.newest.operation),
                ])
            },
            "missed": report.missedByReason.map { missed in
                [
                    "operation": operation(missed.operation), "at": moment(missed.time),
                    "refusal": missed.refusal.map(strings.said),
                    "count": missed.count > 1 ? format.integer(Int64(missed.count)) : nil,
                ] as Fields
            },
        ]
    }

    private func counts(_ figures: OperationHealth.Figures) -> Fields {
        [
            "ended": format.integer(Int64(figures.ended)), "failed": format.integer(Int64(figures.failed)),
            "stopped": format.integer(Int64(figures.stopped)),
            "rate": figures.successRate.map { format.percent($0) },
        ]
    }

    private func groups(_ groups: [PeriodReport.Group], _ words: (String) -> String) -> [Fields] {
        groups.map {
            [
                "name": words($0.name), "ended": format.integer(Int64($0.ended)),
                "failed": format.integer(Int64($0.failed)),
            ]
        }
    }

    private func query(_ from: Timestamp, _ to: Timestamp) -> String {
        "from=\(CivilTime(from).iso)&to=\(CivilTime(to.before(1)).iso)"
    }

    /// The last weekend, the last whole week, and the last thirty days, in a time zone.
    private func presets(in zone: TimeZone) -> [Fields] {
        guard let now = format.now else { return [] }
        return ReportPeriod.allCases.map { period in
            let word: StringKey =
                switch period {
                case .weekend: .reportWeekend
                case .week: .reportWeek
                case .month: .reportMonth
                }
            let (from, to) = period.bounds(at: now, in: zone)
            return ["word": strings[word], "url": "\(base)/report?\(query(from, to))"]
        }
    }
}

extension PageRenderer {
    package func report(_ report: PeriodReport, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(
            writer, "pages/report", writer.reportPage(report), writer.strings[.reportTitle], .runs, frame)
    }
}
