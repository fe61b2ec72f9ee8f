import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The message of a run's end in one line, or nil if its state has none.
    func sentence(of record: RunRecord) -> String? {
        if let words = stepsProgress(record).flatMap({ words(forEndOf: $0, record) }) { return words }
        return (record.state.payload["message"]?.string).map {
            String(strings.said(recorded: $0).prefix(Self.longestSentence))
        }
    }

    private static var longestSentence: Int { 300 }

    /// How a run ended and after how long, with its message unless the state's own template shows it.
    func verdict(_ run: RunView) -> String? {
        let record = run.record
        let times = times(run)
        guard record.endedAt != nil, let time = times.ran ?? times.waited, tone(of: record) != Phase.idle.tone
        else { return nil }
        let step = run.transitions.dropLast().last { $0.phase == .active }
        let isWhole = catalog[record.operation]?.plan != nil
        let place = step.map { label(of: $0.caseName, in: record.operation) }
        let values: KeyValuePairs = ["time": time, "state": place ?? ""]
        let isPlaced = place != nil && !isWhole
        let words: String? =
            switch record.state.phase {
            case .succeeded: strings(.verdictSucceeded, values)
            case .failed: strings(isPlaced ? .verdictFailedAt : .verdictFailed, values)
            case .cancelled: strings(isPlaced ? .verdictCancelledAt : .verdictCancelled, values)
            case .interrupted: strings(isPlaced ? .verdictInterruptedAt : .verdictInterrupted, values)
            case .idle, .active: nil
            }
        guard let words else { return nil }
        return (tellsReason(record) ? reason(of: record) : nil).map { "\(words): \($0)" } ?? "\(words)."
    }

    /// The link to the line that the verdict of a failed run quotes.
    func failedLine(_ record: RunRecord) -> Fields? {
        guard tellsReason(record), let line = record.state.lastLine else { return nil }
        return [
            "url": "\(base)/runs/\(record.id)#line-\(line)",
            "word": strings(.verdictLine, ["n": format.integer(line)]),
        ]
    }

    /// Whether the verdict includes the reason, which the state's panel then omits: not if the operation has a template
    /// of its own for the state.
    func tellsReason(_ record: RunRecord) -> Bool {
        record.state.phase == .failed
            && template(for: record.state, of: record.operation).hasPrefix("operations/default/")
            && reason(of: record).map { $0.count < Self.longestSentence } ?? false
    }

    /// How long a run waited before its work began, if a second or more, and how long the work took.
    ///
    /// A run whose first states are omitted counts as having begun at once.
    func times(_ run: RunView) -> (waited: String?, ran: String?) {
        let record = run.record
        let begun = run.omittedTransitions > 0 ? nil : run.transitions.first { $0.phase == .active }?.at
        let whole = record.endedAt.map { format.duration($0 - record.startedAt) }
        guard let begun else {
            let isStopped = [.cancelled, .interrupted].contains(record.state.phase) && run.omittedTransitions == 0
            return isStopped ? (whole, nil) : (nil, whole)
        }
        let waited = begun - record.startedAt
        return (waited >= 1_000 ? format.duration(waited) : nil, record.endedAt.map { format.duration($0 - begun) })
    }

    /// The fields of `partials/surroundings`.
    func surroundings(_ run: RunView, _ surroundings: RunSurroundings?) -> Fields {
        guard let surroundings, !permissions.isLink else {
            return ["causes": [] as [Fields], "inARow": nil, "success": nil, "queue": nil]
        }
        return [
            "causes": surroundings.failedSteps.filter { allows(.see, onOperation: $0.operation) }.map(cause),
            "inARow": surroundings.failures > 1
                ? format.integer(Int64(surroundings.failures)) + (surroundings.isOpenEnded ? "+" : "") : nil,
            "success": surroundings.success.map { success($0, before: run.record) },
            "queue": surroundings.ahead > 0
                ? [
                    "place": strings(.queuePlace, ["n": format.integer(Int64(surroundings.ahead))]),
                    "front": surroundings.front.map { link(toRun: $0) },
                ] as Fields : nil,
        ]
    }

    /// The last success before a failure, with the comparison of both.
    func success(_ success: RunRecord, before record: RunRecord) -> Fields {
        [
            "at": moment(success.endedAt ?? success.startedAt),
            "compareURL": comparisonURL(success.id, record),
        ]
    }

    func comparisonURL(_ success: String, _ record: RunRecord) -> String {
        "\(base)/operations/\(record.operation)/compare?a=\(success)&b=\(record.id)"
    }

    /// The error of a failed step's run.
    func cause(_ record: RunRecord) -> Fields {
        link(toRun: record.id).merging(["title": title(of: record.operation)]).merging(error(of: record))
    }

    /// Why a run failed, in one line: the last one that its program printed, or its message; nil if it has neither.
    func reason(of record: RunRecord) -> String? {
        record.state.lastWords.map { String($0.prefix(Self.longestSentence)) } ?? sentence(of: record)
    }

    /// The message of a run's end, or the name of its state, and its last line; `reason` is the one that tells more.
    func error(of record: RunRecord) -> Fields {
        let sentence = sentence(of: record) ?? label(of: record.state.caseName, in: record.operation)
        let last = record.state.payload["last"]?.string.map { String($0.prefix(Self.longestSentence)) }
        let reason = reason(of: record)
        return [
            "sentence": sentence, "last": last, "reason": reason ?? sentence,
            "detail": record.state.lastWords == nil ? last : sentence,
        ]
    }
}
