import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// The contents of messages about runs.
extension Notifier {
    /// The maximum depth of steps within steps that a message names.
    private static let depth = 8

    func title(of operation: String) -> String { board.catalog[operation]?.title ?? operation }

    private func facts(of run: RunRecord) -> NotificationFacts {
        NotificationFacts(
            delivery: "", event: nil, operation: run.operation, title: title(of: run.operation), run: run.id,
            url: address().map { "\($0)runs/\(run.id)" } ?? "", phase: run.state.phase, state: run.state.caseName,
            message: run.state.sentence ?? Self.sentence(ofCause: run), actor: run.opening.actor,
            input: run.opening.input,
            startedAt: run.startedAt.milliseconds,
            endedAt: (run.endedAt ?? run.changedAt).milliseconds)
    }

    /// Why a run was cancelled or interrupted.
    private static func sentence(ofCause run: RunRecord) -> String? {
        guard [.cancelled, .interrupted].contains(run.state.phase), let cause = run.cause else { return nil }
        return cause.prefix(1).uppercased() + cause.dropFirst() + (cause.hasSuffix(".") ? "" : ".")
    }

    /// The facts of a run with its last lines of output, and of a run of steps also the step that it ended at, its reason
    /// and its last lines.
    func explainedFacts(of run: RunRecord) async throws -> NotificationFacts {
        var facts = facts(of: run)
        var (last, steps, words) = (run, [StepsProgress.Step](), [run.state.sentence])
        while steps.count < Self.depth, let ended = endedStep(of: last) {
            steps.append(ended)
            guard let id = ended.run, let inner = try await record(of: id) else { break }
            words.append(inner.state.sentence)
            last = inner
        }
        if !steps.isEmpty {
            facts.step = steps.map(\.name).joined(separator: " / ")
            facts.stepTitle = steps.map { $0.title ?? $0.name }.joined(separator: " / ")
            let sentences = words.compactMap { $0 }
            if !sentences.isEmpty { facts.message = sentences.joined(separator: " ") }
        }
        facts.output = OutputExcerpt.of(try await lines(of: last.id))
        return facts
    }

    /// The step at which a run of steps ended without success.
    private func endedStep(of run: RunRecord) -> StepsProgress.Step? {
        // Other operations choose their states, and must not name other runs.
        guard board.catalog[run.operation]?.isResumable == true,
            let progress = try? run.state.state(as: StepsState.self).steps, let ending = progress.ending
        else { return nil }
        return progress.steps.first { $0.name == ending.step }
    }

    private func lines(of run: String) async throws -> [OutputLine] {
        do {
            return try await board.outputTail(of: run).lines
        } catch {
            // Retention has removed the run in between.
            guard [.removedRun, .deletedRun, .unknownRun].contains(error.code) else { throw error }
            return []
        }
    }

    // MARK: Deleted runs

    /// Has ``forgetDeleted()`` check the runs of messages that were added.
    func check(_ deliveries: [DeliveryRecord]) {
        unchecked.withLock { $0?.formUnion(deliveries.compactMap(\.facts.run)) }
    }

    /// Removes the messages about deleted runs; a failed call leaves them to the next one.
    ///
    /// A run can be deleted while its messages are made, and while this server is stopped. So the runs of all messages are
    /// checked at the start, and then those of new messages.
    func forgetDeleted() async throws {
        let runs = unchecked.withLock { runs in
            defer { runs = [] }
            return runs
        }
        do {
            var deleted: [String] = []
            let checked = if let runs { runs } else { try await board.deletedRuns(among: try await store.runs()) }
            for run in checked where try await board.isDeleted(run) { deleted.append(run) }
            if !deleted.isEmpty { try await store.forget(deleted) }
        } catch {
            unchecked.withLock { added in added = runs.flatMap { added?.union($0) } }
            throw error
        }
    }

    /// Whether a run is a step of another one.
    func isStep(_ run: RunRecord) async throws -> Bool {
        if board.catalog[run.operation]?.partOf != nil { return true }
        guard let id = run.opening.wholeRun, let whole = try await record(of: id) else { return false }
        // Clients can choose such a key for a start of their own.
        return whole.opening.actor == run.opening.actor && board.catalog[whole.operation]?.isResumable != false
    }
}
