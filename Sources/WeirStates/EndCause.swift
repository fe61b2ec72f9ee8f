/// Why a run ended, unless its work completed.
///
/// The cause is recorded with the run's last change and shown in the reader's language.
///
/// The English text of ``description`` is recorded and also serves as the code: journals and exports contain these
/// texts, so a text must never change once it was recorded. Any other text, such as an operation's own, is
/// ``other(_:)`` and shown unchanged.
package enum EndCause: Sendable, Hashable {
    /// A person cancelled it.
    case actor(String)
    /// A newer run of the same operation replaced it.
    case replaced
    /// It runs only while watched, and the last viewer left.
    case unwatched
    /// It runs only while watched, and a new run replaced it because it had become long.
    case rolledOver
    /// The scope it ran in was cancelled.
    case scope
    /// The task that ran it with structured concurrency was cancelled.
    case caller
    /// The work threw `CancellationError` without having been cancelled.
    case itself
    /// The server was stopped.
    case shutdown
    /// The server was stopped, and the run could not wait for the next start without its secrets.
    case shutdownWithSecrets
    /// The server was stopped, and the run could not wait for the next start without its file.
    case shutdownWithFile
    /// The server was stopped, and the run waits for the next start; the only cause of a change that is no end.
    case kept
    /// The server stopped before the run ended.
    case stopped
    /// It was still active when it was exported, so its copy ends there.
    case exported
    /// It was cancelled because too many changes were waiting to be recorded.
    case unrecorded
    /// Its work ended in a state that is not an end state.
    case notAnEnd
    /// The external program that reported it sent nothing more.
    case silent
    /// It was a step of a run that was stopped.
    case whole
    /// It was a step that exceeded its time limit.
    case overtime
    case other(String)

    private static let byActor = "cancelled by "

    private static let plain: [EndCause] = [
        .replaced, .unwatched, .rolledOver, .scope, .caller, .itself, .shutdown, .shutdownWithSecrets,
        .shutdownWithFile, .kept, .stopped, .exported, .unrecorded, .notAnEnd, .silent, .whole, .overtime,
    ]
    /// The text of ``shutdown`` in journals of earlier versions.
    private static let formerShutdown = "the server is shutting down"

    package init(_ text: String) {
        if let cause = Self.plain.first(where: { $0.description == text }) {
            self = cause
        } else if text == Self.formerShutdown {
            self = .shutdown
        } else if text.hasPrefix(Self.byActor) {
            self = .actor(String(text.dropFirst(Self.byActor.count)))
        } else {
            self = .other(text)
        }
    }
}

extension EndCause {
    /// Whether a stop of the server ended the run, which is then recorded as interrupted.
    package var isShutdown: Bool {
        switch self {
        case .shutdown, .shutdownWithSecrets, .shutdownWithFile: true
        default: false
        }
    }
}

extension EndCause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .actor(let name): Self.byActor + name
        case .replaced: "replaced by a newer run"
        case .unwatched: "nobody was watching"
        case .rolledOver: "rolled over"
        case .scope: "its scope was cancelled"
        case .caller: "its caller was cancelled"
        case .itself: "it cancelled itself"
        case .shutdown: "the server was stopped"
        case .shutdownWithSecrets: "the server was stopped, and it does not keep the secrets of runs that wait"
        case .shutdownWithFile: "the server was stopped, and it does not keep the files of runs that wait"
        case .kept: "waits for the next start of the server"
        case .stopped: "the server stopped while this was running"
        case .exported: "it was still going when it was exported"
        case .unrecorded: "its states could not be recorded any more"
        case .notAnEnd: "its end state says of itself that it is none"
        case .silent: "its reporter fell silent"
        case .whole: "the run that it was a step of was stopped"
        case .overtime: "its step took longer than it may"
        case .other(let text): text
        }
    }
}
