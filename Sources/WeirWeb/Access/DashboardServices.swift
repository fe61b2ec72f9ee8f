import Logging
import NIOCore
import Synchronization
import WeirBoards
import WeirJournals

/// What all audiences of a dashboard share: how it was set up, its files, its limits and its clock; nothing of the board.
struct DashboardServices: Sendable {
    let configuration: WebConfiguration
    let mount: MountPath
    /// Who writes an export, and who sends a file to be imported.
    let exports: ConcurrencyLimit
    let imports = ConcurrencyLimit(RunImports.maximumReceived, each: RunImports.maximumReceivedOfOne)
    let assets: AssetLibrary
    let check: RequestCheck
    let stateWrites: RateLimit
    /// How often each trigger may start runs.
    let hookStarts: RateLimit
    let bodies: BodyBudget
    /// What large answers take while their clients read them.
    let answers: BodyBudget
    /// The uploads that can be continued.
    let resumable: ResumableUploads
    let bodiesBeingRead = BodiesBeingRead()
    let clock: any WaitClock
    let makeID: @Sendable () -> String
    let startedAt: Timestamp
    let logger: Logger
    /// Who has stores' pages open; nil where that is not shown.
    let presence: Presence?
    /// How many polls are held.
    let holds = HoldCount()
    /// The check of the templates in force.
    let checks: TemplateChecks
}

/// How many polls are held, by all audiences together.
final class HoldCount: Sendable {
    private let holding = Atomic<Int>(0)

    var count: Int { holding.load(ordering: .relaxed) }

    /// One more; how many there are then.
    func add() -> Int { holding.add(1, ordering: .relaxed).newValue }

    func remove() { holding.subtract(1, ordering: .relaxed) }
}
