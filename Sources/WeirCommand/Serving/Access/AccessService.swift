import Foundation
import Logging
import ServiceLifecycle
import WeirAccess
import WeirBoards
import WeirFlows

/// Looks, while the server runs, for what commands change of users and tokens, and writes the audit to its end, with what
/// happens to announced removals.
struct AccessService: ServiceLifecycle.Service {
    let directory: AccessDirectory
    /// Who signs people in, if it is an OpenID provider.
    let provider: OpenIDProvider?
    /// What happens to announced removals of runs.
    let removals: ReadOnlyStateFlow<RemovalEvent?>
    /// Says the audit's newest hash elsewhere.
    let head: AuditHead
    /// Called first of all when the server shuts down.
    let onShutdown: @Sendable () -> Void

    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await directory.watch() }
            group.addTask { await head.run() }
            group.addTask {
                for await event in removals.values(.lossless) { if let event { directory.audit.record(event) } }
            }
            if let provider { group.addTask { await provider.prepare() } }
            // Cut short when the task is cancelled, which ends the server as well.
            try? await gracefulShutdown()
            onShutdown()
            group.cancelAll()
        }
        await directory.audit.flush()
        // After the audit, as it keeps what that has come to.
        await directory.tick()
        await directory.audit.flush()
        await head.say()
    }
}

extension AuditLog {
    /// Records what happened to an announced removal.
    func record(_ event: RemovalEvent) {
        switch event {
        case .announced(let removal):
            let notice =
                "of \(removal.kept) ended runs, at the earliest at \(removal.due); reason: \(removal.reason.rawValue)"
            record(.announceRemoval, by: .system, detail: "\(removal.runs) \(notice)")
        case .withdrawn(let removal):
            record(.withdrawRemoval, by: .system, detail: "\(removal.runs) of \(removal.kept) ended runs are kept")
        case .carriedOut(let removal, let removed):
            record(.removeRuns, by: .system, detail: "\(removed) of \(removal.kept) ended runs")
        }
    }
}
