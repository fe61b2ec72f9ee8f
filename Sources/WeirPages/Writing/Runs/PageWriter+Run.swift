import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    func summary(_ record: RunRecord) -> Fields {
        [
            "id": record.id, "short": String(record.id.suffix(6)), "url": "\(base)/runs/\(record.id)",
            "actor": record.opening.actor, "started": moment(record.startedAt), "ended": record.endedAt.map(moment),
            "took": record.endedAt.map { format.duration($0 - record.startedAt) },
            "isActive": record.endedAt == nil,
        ]
    }

    func row(_ record: RunRecord) -> Fields {
        summary(record).merging([
            "rowID": "row-\(record.id)", "isNamed": false, "found": nil, "title": nil, "pick": nil, "reason": nil,
            "summary": about(record).map(Highlight(nil).html),
            "chip": chip(record, in: "row-\(record.id)"),
            "operation": operation(record.operation), "about": about(record), "hasFile": hasFile(record),
            "overdue": overdue(record),
            // Not nil, which would be the attempt of the page's run in the rows of other runs.
            "attempt": record.opening.attempt > 1 ? format.integer(record.opening.attempt) as Any : false,
        ])
    }

    func run(_ run: RunView, isAlone: Bool) -> Fields {
        let record = run.record
        let id = "run-\(record.id)"
        return origin(run).merging([
            "runID": id, "chip": chip(record, in: "run"), "isAlone": isAlone, "stateID": "\(id)-state",
            "state": statePanel(run, id: "\(id)-state", place: Place(uid: id, isCompact: false, hasVerdict: true)),
            "steps": catalog[record.operation]?.plan == nil ? steps(run) : nil,
            "timeline": isAlone || hasLanes(record) ? nil : timeline(run),
            "verdict": verdict(run), "failedLine": failedLine(record), "linksURL": isAlone ? linksURL(record) : nil,
            "cancel": cancelForm(record), "retry": retryForm(record, follows: isAlone),
            "continuation": continueForm(record, follows: isAlone),
            "pause": isAlone && record.state.phase == .failed ? pause(ofFailing: record.operation) : nil,
            "again": againURL(record), "tells": record.endedAt == nil && !isWatched(record.operation),
            "change": format.integer(record.sequence), "artifacts": artifacts(record),
            // A page and its patches fill these in, since they depend on other runs.
        ]).merging(surroundings(run, nil))
    }

    /// The fields of `partials/origin`: who started a run, why, with which input, and how long it waited and ran.
    func origin(_ run: RunView, _ around: RunSurroundings? = nil) -> Fields {
        let record = run.record
        let (input, times) = (inputRows(record), times(run))
        return row(record).merging([
            "actor": words(forActor: record.opening.actor),
            "input": input.isEmpty ? nil : ["rows": input] as Fields, "waited": times.waited, "ran": times.ran,
            "retryOf": permissions.isLink
                ? nil
                : record.opening.retryOf.map {
                    link(toRun: $0).merging(["isDeleted": around?.isRetriedDeleted ?? false])
                },
            "isReported": record.isReported, "reportTitle": record.opening.report?.title,
        ])
    }

    private func linksURL(_ record: RunRecord) -> String? {
        offersLinks && allows(.export, onOperation: record.operation) ? "\(base)/runs/\(record.id)/links" : nil
    }

    func link(toRun id: String) -> Fields {
        ["short": String(id.suffix(6)), "url": "\(base)/runs/\(id)"]
    }

    func inputRows(_ record: RunRecord) -> [Fields] {
        let fields = catalog[record.operation]?.fields ?? []
        let members = record.opening.input.object ?? [:]
        let known = fields.map(\.name).filter { members[$0] != nil }
        let others = members.keys.filter { !known.contains($0) }.sorted()
        let names = known + others
        let rows = names.prefix(ObjectValue.rowLimit).compactMap { name in
            inputRow(name, of: record).map { ["label": $0.label, "text": $0.text] as Fields }
        }
        let values = PayloadValues(format: format, strings: strings, operation: record.operation)
        return rows + values.more(names.count - ObjectValue.rowLimit)
    }

    /// A field of a run's input as text, or nil if it was left out.
    func inputRow(_ name: String, of record: RunRecord) -> (label: String, text: String)? {
        guard let value = record.opening.input[name], value != .null else { return nil }
        let values = PayloadValues(format: format, strings: strings, operation: record.operation)
        let field = catalog[record.operation]?.fields.first { $0.name == name }
        return (
            field.map { label(of: $0, in: record.operation) } ?? values.label(name),
            inputText(value, values)
        )
    }

    /// The input in one line, or the title of a reported run.
    func about(_ record: RunRecord) -> String? {
        if let title = record.opening.report?.title { return title }
        let values = PayloadValues(format: format, strings: strings, operation: record.operation)
        let fields = catalog[record.operation]?.fields.map(\.name) ?? []
        let words = fields.prefix(3).compactMap { record.opening.input[$0] }.filter { $0 != .null }
            .map { String(inputText($0, values).prefix(80)) }
            .filter { !$0.isEmpty }.joined(separator: " \u{B7} ")
        return words.isEmpty ? nil : words
    }

    func inputText(_ value: JSONValue, _ values: PayloadValues) -> String {
        if let list = value.array { return list.map(values.text).joined(separator: ", ") }
        return fileText(value) ?? values.text(value)
    }

    private func fileText(_ value: JSONValue) -> String? {
        guard let name = value["filename"]?.string else { return nil }
        return value["length"]?.number.map { "\(name) \u{B7} \(format.bytes($0))" } ?? name
    }

    /// The form that cancels a run, or nil if the run has ended or runs only while watched.
    func cancelForm(_ record: RunRecord) -> Fields? {
        guard record.endedAt == nil, !isWatched(record.operation), allows(.cancel, onOperation: record.operation)
        else { return nil }
        return ["formID": "cancel-\(record.id)", "action": "\(base)/runs/\(record.id)/cancellation"]
    }

    /// The form that retries a run with the same input, or nil if the run has not ended.
    func retryForm(_ record: RunRecord, follows: Bool) -> Fields? {
        guard record.endedAt != nil, let entry = catalog[record.operation], entry.isStartable,
            !isWatched(entry.id), allows(.start, onOperation: entry.id), canRetry(record)
        else { return nil }
        return [
            "formID": "retry-\(record.id)", "action": "\(base)/runs/\(record.id)/retries", "follows": follows,
            "isUrgent": record.state.phase != .succeeded,
            "isFirst": stepsProgress(record).map(StepsMachine.canContinue) != true,
        ]
    }

    func hasFile(_ operation: String) -> Bool { catalog[operation]?.fields.contains { $0.kind == .file } ?? false }

    func hasFile(_ record: RunRecord) -> Bool {
        let fields = catalog[record.operation]?.fields ?? []
        return fields.contains { $0.kind == .file && (record.opening.input[$0.name] ?? .null) != .null }
    }

    /// Whether a retry can succeed: not without the uploaded file, unless the operation kept it.
    ///
    /// A payload's member `canRetry` takes precedence.
    private func canRetry(_ record: RunRecord) -> Bool {
        if case .bool(let canRetry)? = record.state.payload["canRetry"] { return canRetry }
        return !hasFile(record) || record.state.phase == .interrupted
    }

    /// The URL that starts an ended run again with other input, or nil.
    func againURL(_ record: RunRecord) -> String? {
        guard record.endedAt != nil, let entry = catalog[record.operation], !entry.fields.isEmpty,
            entry.isStartable, !isWatched(entry.id), allows(.start, onOperation: entry.id)
        else { return nil }
        return "\(base)/operations/\(record.operation)?from=\(record.id)#start"
    }

    /// Whether the operation's runs begin and end with its viewers.
    func isWatched(_ operation: String) -> Bool {
        switch catalog[operation]?.lifetime {
        case .whileWatched: true
        case .onDemand, nil: false
        }
    }
}
