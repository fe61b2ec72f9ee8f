import Synchronization

extension AccessDirectory {
    /// The views of the list of runs that a person has saved, as a text; nil for somebody who never saved one here.
    package func views(of person: Principal) -> String? { state.withLock { $0.views[person.key] } }

    /// Keeps a person's views, in place of those they had.
    ///
    /// - Parameters:
    ///   - person: Whose they are.
    ///   - change: Makes the new text of the present one; it may run after others that were asked for before.
    /// - Throws: `AccessError` when they cannot be stored, and what the change throws; then all is as it was.
    package func changeViews(
        of person: Principal, _ change: @escaping @Sendable (String?) throws -> String
    ) async throws {
        try await self.change { [self] in
            let text = try change(views(of: person))
            try await write([.put(.views, person.key, text)])
            state.withLock { $0.views[person.key] = text }
        }
    }
}
