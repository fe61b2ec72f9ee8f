import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    func healthPage(_ health: OperationHealth) -> Fields {
        let slow = health.slow(at: format.now ?? health.asOf)
        return [
            "operation": operation(health.operation), "figures": figures(health.figures),
            "isEmpty": health.figures.ended == 0, "runs": format.integer(Int64(health.figures.ended)),
            "days": format.integer(OperationHealth.span / 86_400_000), "isCut": health.isCut,
            "limit": format.integer(Int64(OperationHealth.runLimit)),
            "usual": health.usual.map(format.duration), "isHourly": health.isHourly,
            "slow": slow.isEmpty ? nil : ["rows": slow.map(row)] as Fields,
            "chart": health.figures.ended == 0 ? nil : chart(health),
            "states": health.states.isEmpty
                ? nil
                : [
                    "rows": health.states.map { state -> Fields in
                        [
                            "label": label(of: state.caseName, in: health.operation),
                            "runs": format.integer(Int64(state.runs)), "p50": format.duration(state.p50),
                            "p95": format.duration(state.p95),
                            "lane": lane(state, of: health.states.map(\.p95).max() ?? 1),
                        ]
                    }
                ] as Fields,
            "slowest": health.slowest.isEmpty ? nil : ["rows": health.slowest.map(row)] as Fields,
            "errors": health.errors.isEmpty ? nil : ["rows": health.errors.map { error($0, health) }] as Fields,
            "inputs": health.inputs.isEmpty ? nil : ["rows": health.inputs.map { input($0, health) }] as Fields,
            "runsURL": url(filter(health)), "apiURL": "\(base)/api/v1/operations/\(health.operation)/health",
        ]
    }

    private func figures(_ figures: OperationHealth.Figures) -> Fields {
        [
            "rate": figures.successRate.map(format.percent), "succeeded": format.integer(Int64(figures.succeeded)),
            "failed": format.integer(Int64(figures.failed)), "stopped": format.integer(Int64(figures.stopped)),
            "p50": figures.p50.map(format.duration), "p95": figures.p95.map(format.duration),
        ]
    }

    private func chart(_ health: OperationHealth) -> Fields {
        let chart = HealthChart(health)
        let words = health.buckets.map { name(of: $0, in: health) }
        let bars = { (parts: [[HealthChart.Part]]) in
            zip(words, parts).filter { !$1.isEmpty }.map { word, parts -> Fields in
                [
                    "word": word,
                    "parts": parts.map { part -> Fields in
                        [
                            "x": String(part.x), "y": String(part.y), "height": String(part.height),
                            "tone": part.tone,
                        ]
                    },
                ]
            }
        }
        return [
            "width": String(chart.width), "height": String(HealthChart.height),
            "barWidth": String(HealthChart.pitch - 2),
            "outcomes": bars(chart.outcomes), "durations": bars(chart.durations),
            "mostRuns": format.integer(Int64(chart.mostRuns)), "longest": chart.longest.map(format.duration),
            "first": words.first, "last": words.last,
            "rows": zip(words, health.buckets).filter { $1.figures.ended > 0 }.reversed().map { word, bucket in
                figures(bucket.figures).merging(["word": word])
            },
        ]
    }

    private func name(of bucket: OperationHealth.Bucket, in health: OperationHealth) -> String {
        let day = format.day(bucket.start)
        return health.isHourly ? "\(day) \(CivilTime(bucket.start).clock.prefix(5))" : day
    }

    private func lane(_ state: OperationHealth.StateDuration, of whole: Int64) -> Fields {
        [
            "length": String(max(whole, 1)), "p50": String(state.p50), "p95": String(state.p95),
            "hasWidth": state.p95 > 0,
        ]
    }

    /// The sentence of a group of failures in the reader's language; what a program printed stays as it is.
    func words(for group: OperationHealth.ErrorGroup) -> String {
        let said = group.newest.state.lastWords == nil ? sentence(of: group.newest) : group.sentence
        return said.flatMap { OperationHealth.ErrorGroup.pattern($0) }
            ?? label(of: group.caseName, in: group.newest.operation)
    }

    private func error(_ group: OperationHealth.ErrorGroup, _ health: OperationHealth) -> Fields {
        var filter = filter(health)
        (filter.phase, filter.text) = (Phase.failed.rawValue, group.search)
        return [
            "sentence": words(for: group),
            "count": format.integer(Int64(group.count)), "url": url(filter), "newest": summary(group.newest),
        ]
    }

    private func input(_ input: OperationHealth.FailingInput, _ health: OperationHealth) -> Fields {
        var filter = filter(health)
        (filter.phase, filter.text) = (Phase.failed.rawValue, input.search)
        return [
            "about": about(input.newest) ?? String(input.newest.id.suffix(6)),
            "failed": format.integer(Int64(input.failed)), "ended": format.integer(Int64(input.ended)),
            "url": url(filter), "newest": summary(input.newest),
        ]
    }

    private func filter(_ health: OperationHealth) -> RunFilter {
        RunFilter(parameters: ["operation": health.operation, "within": "30d"])
    }
}

/// The figures of an operation over time as two rows of bars.
///
/// Each row has a box 60 units high and 10 units wide per bar.
struct HealthChart {
    /// A segment of a bar; `y` is the distance from the top of the box.
    struct Part: Equatable {
        let x: Int
        let y: Int
        let height: Int
        /// The CSS class that colours the segment.
        let tone: String
    }

    static let height = 60
    static let pitch = 10

    private let buckets: [OperationHealth.Bucket]

    init(_ health: OperationHealth) { buckets = health.buckets }

    var width: Int { buckets.count * Self.pitch }

    /// The largest number of runs that ended in one bar.
    var mostRuns: Int { buckets.map(\.figures.ended).max() ?? 0 }

    /// The longest duration drawn, in milliseconds, or nil if no run succeeded.
    var longest: Int64? { buckets.compactMap(\.figures.p95).max() }

    /// The number of ended runs per bar: successes at the bottom, then stopped runs, then failures.
    var outcomes: [[Part]] {
        bars { bucket in
            let figures = bucket.figures
            let sums = [figures.succeeded, figures.succeeded + figures.stopped, figures.ended]
            return zip(["ok", "warn", "bad"], sums).map { ($0, Double($1) / Double(max(mostRuns, 1))) }
        }
    }

    /// The durations of the successes per bar: the median, and above it the 95th percentile.
    var durations: [[Part]] {
        let longest = Double(max(longest ?? 1, 1))
        return bars { bucket in
            [("active", bucket.figures.p50), ("active open", bucket.figures.p95)].compactMap { tone, value in
                value.map { (tone, Double($0) / longest) }
            }
        }
    }

    /// Stacks segments that end at fractions of the height; each is at least 2 units high, so that it is visible.
    private func bars(_ ends: (OperationHealth.Bucket) -> [(tone: String, end: Double)]) -> [[Part]] {
        buckets.enumerated().map { index, bucket in
            var (parts, top): ([Part], Int) = ([], 0)
            var last = 0.0
            for (tone, end) in ends(bucket) where end > last {
                let next = min(max(Int(clamping: Int64(clamping: end * Double(Self.height))), top + 2), Self.height)
                if next > top {
                    parts.append(
                        Part(x: index * Self.pitch + 1, y: Self.height - next, height: next - top, tone: tone))
                }
                (top, last) = (next, end)
            }
            return parts
        }
    }
}
