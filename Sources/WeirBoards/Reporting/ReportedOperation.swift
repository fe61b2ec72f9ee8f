package import WeirFlows
package import WeirOperations
package import WeirStates

/// An operation whose runs are reported by programs elsewhere: it has no work of its own, and cannot be started here.
///
/// Add it to a catalog with `Catalog.addReported(id:title:summary:)`.
package struct ReportedOperation: OutputOperation {
    /// The states that a reporter does not name itself.
    package enum State: OperationState {
        /// The run was opened, and nothing more is known yet.
        case opened
        /// It succeeded, without more to say.
        case succeeded(last: String)
        /// It did not succeed.
        case failed(message: String)
        /// Somebody asked for its end.
        case cancelled(last: String)

        /// The state that a run is opened in.
        package static var initial: State { .opened }
        /// One of each.
        package static var samples: [State] {
            [
                .opened, .succeeded(last: "uploading"), .failed(message: "The disk is full."),
                .cancelled(last: "uploading"),
            ]
        }
        /// The state of a failure.
        package static func failed(_ error: any Error) -> State { .failed(message: "\(error)") }
        /// The state of a cancelled run.
        package static func cancelled(from last: State) -> State { .cancelled(last: "opened") }

        /// Where the state stands.
        package var phase: Phase {
            switch self {
            case .opened: .active
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            }
        }
    }

    /// Makes the operation.
    package init() {}

    /// Ends at once: there is nothing to do here.
    package func perform(_ input: NoInput, state: MutableStateFlow<State>, output: OutputWriter) async throws {
        state.value = .failed(message: "Runs of this operation are reported by programs elsewhere.")
    }
}

extension Catalog {
    /// Adds an operation whose runs are reported by programs elsewhere.
    ///
    /// - Parameters:
    ///   - id: Its id, made of `a-z`, `0-9` and single hyphens, at most 40 characters.
    ///   - title: What a person calls it, in English.
    ///   - summary: What it does, in a sentence.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, by which roles can be given.
    public mutating func addReported(id: String, title: String, summary: String, tags: Set<String> = []) {
        add(ReportedOperation(), id: id, title: title, summary: summary, tags: tags)
    }
}
