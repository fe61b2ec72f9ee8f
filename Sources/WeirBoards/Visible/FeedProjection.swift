import WeirFlows
import WeirJournals

/// The feed of the board of an audience that may not see everything: its own head, floor and publications, each with the
/// board as this audience sees it.
///
/// All other topics are seen whole or not at all, so that only the board needs a feed of its own.
final class FeedProjection: Sendable {
    /// How many publications are kept; who is further behind takes the page anew.
    static let countLimit = 1_000
    /// About how many bytes they may take.
    static let byteLimit = 8 * 1_024 * 1_024

    private let visibility: Visibility
    private let machine: Locked<FeedMachine>

    /// Begins as if it had been there all along, as far as memory goes back.
    ///
    /// - Parameters:
    ///   - visibility: What the audience may see.
    ///   - past: The newest publications of all, oldest first.
    ///   - floor: The sequence behind which they are all there are.
    ///   - board: The whole board as it stands.
    ///   - newest: The newest runs that may be seen, as they stand.
    init(
        _ visibility: Visibility, past: [Publication], after floor: SequenceNumber, board: BoardView,
        newest: [RunView]
    ) {
        self.visibility = visibility
        var machine = FeedMachine(
            fold: BoardFold(board: visibility.part(of: board, at: floor, with: newest)), countLimit: Self.countLimit,
            byteLimit: Self.byteLimit, settledLimit: Self.countLimit)
        let seen = past.filter { visibility.sees($0.change) }.map { publication in
            let sequence = publication.change.sequence
            let before = newest.filter { $0.record.openedSequence <= sequence }
            let seen = publication.with(visibility.part(of: publication.board, at: sequence, with: before))
            return (publication: seen, size: seen.size)
        }
        _ = machine.publish(seen)
        machine.rewriteBoards { visibility.part(of: board, at: $0.sequence, with: newest) }
        self.machine = Locked(machine)
    }

    var board: BoardView { machine.withLock { $0.board } }
    var head: SequenceNumber { machine.withLock { $0.head(of: .board) } }
    var floor: SequenceNumber { machine.withLock { $0.floor(of: .board) } }
    var rewrites: Int { machine.withLock { $0.rewrites } }

    func slice(after: SequenceNumber, limit: Int) -> FeedSlice {
        machine.withLock { $0.slice(of: .board, after: after, limit: limit) }
    }

    /// The publication of that change, with the board as it was seen right after; nil when it is not in memory here.
    func publication(at sequence: SequenceNumber) -> Publication? {
        machine.withLock { $0.publication(at: sequence) }
    }

    func observe(_ after: SequenceNumber?, _ observer: FeedObserver) -> SequenceNumber? {
        machine.withLock { $0.observe(.board, after: after, observer) }
    }

    func leave(_ observer: FeedObserver) { machine.withLock { $0.leave(.board, observer) } }

    // MARK: For the feed

    /// Takes in those of the publications that may be seen: whom to call.
    func publish(_ publications: [Publication]) -> [FeedMachine.Call] {
        let visible = publications.filter { visibility.sees($0.change) }
        guard !visible.isEmpty else { return [] }
        return machine.withLock { machine in
            var board = machine.board
            return machine.publish(
                visible.map { publication in
                    board = board.applying(publication)
                    let seen = publication.with(board)
                    return (seen, seen.size)
                })
        }
    }

    /// Takes note of what the journal has removed of what may be seen: whom to call.
    func note(_ removed: [Topic: SequenceNumber], published head: SequenceNumber) -> [FeedMachine.Call] {
        guard let last = visibility.topics.compactMap({ removed[$0] }).max() else { return [] }
        return machine.withLock { $0.note([.board: last], published: head) }
    }

    /// Takes over how the whole board stands, after runs were taken out of it or its lists were made anew.
    func refresh(from whole: BoardView, without gone: Set<String> = []) {
        machine.withLock { machine in
            machine.rewriteBoards { board in
                let kept = board.recentRuns.filter { !gone.contains($0.record.id) }
                return self.visibility.part(of: whole, at: board.sequence, with: kept)
            }
        }
    }
}

extension BoardView {
    /// The view after a publication that was made of another board.
    fileprivate func applying(_ publication: Publication) -> BoardView {
        switch publication.change.stream {
        case .run: applying(publication.change, before: publication.before, after: publication.run)
        case .store: applying(publication.change, store: publication.store)
        }
    }
}
