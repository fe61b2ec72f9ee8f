import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    /// How an operation has done lately, for `pages/health`.
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

    /// A day, or an hour, in UTC.
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

    private func error(_ group: OperationHealth.ErrorGroup, _ health: OperationHealth) -> Fields {
        var filter = filter(health)
        (filter.phase, filter.text) = (Phase.failed.rawValue, group.search)
        return [
            "sentence": group.sentence.map(strings.said) ?? label(of: group.caseName, in: health.operation),
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
