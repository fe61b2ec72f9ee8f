import Boards
import Flows
import Pages

extension AudienceDashboard {
    /// The number of operations from which a page of all of them is rendered in a pool.
    private static let many = 50

    /// Whether a page of all operations takes long.
    private var hasMany: Bool { board.catalog.entries.count >= Self.many }

    /// The pool that renders a page of all operations; nil for the threads of requests.
    var poolOfAll: WorkPool? { hasMany ? .pages : nil }

    /// The pool that renders a page; nil for the threads of requests.
    func pool(rendering content: PageContent) -> WorkPool? {
        if case .board = content { poolOfAll } else { nil }
    }

    /// Renders in a pool, or at once.
    ///
    /// - Throws: 503 if too much waits for the pool.
    func rendering<Result: Sendable>(
        on pool: WorkPool?, _ render: @escaping @Sendable () throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        guard let pool else { return try render() }
        do {
            return try await pool.run(render)
        } catch {
            throw error as? Problem ?? .crowdedAnswers
        }
    }
}
