import WeirFlows

extension WorkPool {
    /// Does a part of a request's work that can take long, and returns its result.
    ///
    /// Suspends until it is done. Throws what the work throws, and ``Problem/crowdedAnswers`` if too much waits.
    func answer<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws(Problem) -> Result {
        do {
            return try await run(work)
        } catch let problem as Problem {
            throw problem
        } catch {
            // A cancelled request gets the same answer: its client has left.
            throw .crowdedAnswers
        }
    }
}
