import Access
import AccessOIDC
import Foundation
import Logging
import ServiceLifecycle

/// Looks, while the server runs, for what commands change of users and tokens, and writes the audit to its end.
struct AccessService: ServiceLifecycle.Service {
    let directory: AccessDirectory
    /// Who signs people in, if it is an OpenID provider.
    let provider: OpenIDProvider?
    /// Says the audit's newest hash elsewhere.
    let head: AuditHead
    /// Called first of all when the server shuts down.
    let onShutdown: @Sendable () -> Void

    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await directory.watch() }
            group.addTask { await head.run() }
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
