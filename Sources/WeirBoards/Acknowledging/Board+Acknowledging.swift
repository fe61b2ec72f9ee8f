import Logging
import WeirAccess
package import WeirFlows
import WeirJournals
import WeirStates

extension Board {
    /// Acknowledges the failures of an operation whose newest end is a failure, and the missing starts of its schedule; replaces
    /// an earlier acknowledgement.
    ///
    /// Throws `unknownOperation`, `nothingToAcknowledge`, and `unavailable` if it cannot be recorded.
    func acknowledge(
        _ operation: String, note: String?, until: Timestamp?, actor: String
    ) async throws(BoardError) -> Acknowledgement {
        guard catalog[operation] != nil else { throw .unknownOperation(operation) }
        let newest = feed.board.operation(operation)?.recent.map(\.record).first(where: \.isOutcome)
        let failure = newest.flatMap { $0.state.phase == .succeeded ? nil : $0.openedSequence }
        let unstarted = scheduleStandings[operation]?.firstUnstarted
        guard failure != nil || unstarted != nil else { throw .nothingToAcknowledge }
        let acknowledgement = Acknowledgement(
            by: actor, at: now(), note: note, until: until, failure: failure ?? feed.head(of: .board),
            unstartedSince: unstarted, isOfFailures: failure != nil)
        try await set(acknowledgement, of: operation)
        return acknowledgement
    }

    /// Stores or removes the acknowledgement of an operation, through the recording server.
    func set(_ acknowledgement: Acknowledgement?, of operation: String) async throws(BoardError) {
        guard catalog[operation] != nil else { throw .unknownOperation(operation) }
        if follows {
            _ = try await handOver(.acknowledge(operation: operation, acknowledgement)).isDone
            // If the read fails now, it is repeated within a second.
            do {
                try await acknowledgements.load()
            } catch {
                logger.debug("The acknowledgements cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            }
            return
        }
        try requireRecording()
        do {
            try await acknowledgements.set(acknowledgement, of: operation)
        } catch {
            throw .unreadable(error)
        }
    }
}

extension VisibleBoard {
    /// The current acknowledgements of the visible operations.
    package var acknowledgements: [String: Acknowledgement] {
        let all = board.acknowledgements.current.value
        guard !all.isEmpty else { return [:] }
        let now = board.now()
        return all.filter { id, acknowledgement in
            acknowledgement.isCurrent(at: now) && visibility.sees(operation: id)
        }
    }

    /// Identifies the current acknowledgements and the schedules whose latest start did not happen, equally in every process; nil
    /// for none.
    package var attentionLabel: String? {
        let (current, unstarted) = (acknowledgements, schedulesWithoutStart)
        guard !current.isEmpty || !unstarted.isEmpty else { return nil }
        var hash = StableHash()
        for (id, acknowledgement) in current.sorted(by: { $0.key < $1.key }) {
            hash.combine("\(id) \(acknowledgement.at) ".utf8)
        }
        for (id, standing) in unstarted.sorted(by: { $0.key < $1.key }) {
            let refusal = standing.last.flatMap { $0.run == nil ? $0.refusal : nil }
            hash.combine("\(id) - \(standing.firstUnstarted?.description ?? "") \(refusal ?? "") ".utf8)
        }
        return String(hash.value, radix: 36)
    }

    package var acknowledgementChanges: ReadOnlyStateFlow<[String: Acknowledgement]> {
        board.acknowledgements.current.asStateFlow()
    }

    /// See `Board.acknowledge(_:note:until:actor:)`; also throws `notAllowed`.
    package func acknowledge(
        _ operation: String, note: String?, for duration: Duration?, actor: String
    ) async throws(BoardError) -> Acknowledgement {
        try require(.start, onOperation: operation)
        let until = duration.map { board.now().after(Int64(clamping: $0.components.seconds) * 1_000) }
        return try await board.acknowledge(operation, note: note, until: until, actor: actor)
    }

    /// Ends the acknowledgement of an operation; has no effect without one.
    ///
    /// Throws `unknownOperation`, `notAllowed`, and `unavailable` if the end cannot be recorded.
    package func endAcknowledgement(of operation: String) async throws(BoardError) {
        try require(.start, onOperation: operation)
        try await board.set(nil, of: operation)
    }
}
