package import WeirBoards
import WeirJournals

/// What a page of the past is rendered from.
package enum PastContent: Sendable {
    /// One operation as it was.
    case operation(OperationMoment)
    /// One run as it was.
    case run(RunMoment)

    /// What was live at that moment.
    package var content: PageContent {
        switch self {
        case .operation(let moment): .operation(moment.operation)
        case .run(let moment): .run(moment.run)
        }
    }

    /// The change after which it was so.
    package var pastMoment: PageFrame.PastMoment {
        switch self {
        case .operation(let moment): .init(sequence: moment.change.sequence, at: moment.change.at)
        case .run(let moment): .init(sequence: moment.run.record.sequence, at: moment.run.at)
        }
    }
}
