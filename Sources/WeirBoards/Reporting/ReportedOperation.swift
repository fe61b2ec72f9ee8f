package import WeirFlows
package import WeirOperations
package import WeirStates

/// An operation whose runs are reported by programs elsewhere and cannot be started here.
///
/// Add it to a catalog with `Catalog.addReported(id:title:summary:)`.
package struct ReportedOperation: OutputOperation {
    /// The states used when a reporter does not name one.
    package enum State: OperationState {
        case opened
        /// The run succeeded without a final state of its own.
        case succeeded(last: String)
        case failed(message: String)
        case cancelled(last: String)

        package static var initial: State { .opened }
        package static var samples: [State] {
            [
                .opened, .succeeded(last: "uploading"), .failed(message: "The disk is full."),
                .cancelled(last: "uploading"),
            ]
        }
        package static func failed(_ error: any Error) -> State { .failed(message: "\(error)") }
        package static func cancelled(from last: State) -> State { .cancelled(last: "opened") }

        package var phase: Phase {
            switch self {
            case .opened: .active
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            }
        }
    }

    /// Fails immediately; the operation has no work.
    package func perform(_ input: NoInput, state: MutableStateFlow<State>, output: OutputWriter) async throws {
        state.value = .failed(message: "Runs of this operation are reported by programs elsewhere.")
    }
}

extension Catalog {
    /// Adds an operation whose runs are reported by programs elsewhere.
    ///
    /// - Parameters:
    ///   - id: The operation's id, made of `a-z`, `0-9` and single hyphens, at most 40 characters.
    ///   - title: The English title.
    ///   - summary: A sentence that describes the operation.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, that roles can refer to.
    public mutating func addReported(id: String, title: String, summary: String, tags: Set<String> = []) {
        add(ReportedOperation(), id: id, title: title, summary: summary, tags: tags)
    }
}
