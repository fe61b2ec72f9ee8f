import Logging
import WeirStates

/// What the audit has of things that are kept elsewhere too.
extension AuditLog {
    /// A user that there should be, as nobody has removed them; nil where the audit names none.
    ///
    /// Looks at the newest entries only: where there are users, some of these are theirs.
    package func userThatShouldBe() async throws -> String? {
        var removed: Set<String> = []
        for record in try await page(limit: 1_000, where: { $0.user != nil }).records {
            guard let user = record.entry.user else { continue }
            if record.entry.action == .removeUser {
                removed.insert(user)
            } else if !removed.contains(user) {
                return user
            }
        }
        return nil
    }

    /// Looks whether the audit goes through an end that it had come to; if not, the log and the audit itself say so.
    func requirePassing(through head: String) async {
        guard let known = AuditChain(head: head) else { return }
        do {
            guard try await !onFolder(or: true, { try $0.passes(through: known) }) else { return }
        } catch {
            logger.error("The audit cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            return
        }
        logger.error(
            """
            Entries of the audit are missing: it had come to this head, and does not have it any more. Its last files were \
            removed, cut or replaced, or the machine stopped before they were on the disk. If you have a copy of the audit's \
            folder, compare it.
            """, metadata: ["head": "\(head)"])
        record(
            .lose, by: .system, outcome: .failed,
            detail: "The audit had come to the head \(head), which is missing. What was before it may be missing too.")
    }
}

extension AuditEntry {
    /// The user of the server's own that there was then, or that was removed by this; nil for what shows none.
    fileprivate var user: String? {
        guard outcome == .done else { return nil }
        let (kind, name): (String, String?) =
            switch action {
            case .addUser, .changeRoles, .changePassword, .removeUser: ("user:", subject)
            // Whoever a provider knows has a URL in their key, which is no name of a user.
            case .signIn, .setUp: ("\(Principal.Kind.person.rawValue):", principal)
            default: ("", nil)
            }
        guard let name, name.hasPrefix(kind) else { return nil }
        return UserName(String(name.dropFirst(kind.count)))?.text
    }
}
