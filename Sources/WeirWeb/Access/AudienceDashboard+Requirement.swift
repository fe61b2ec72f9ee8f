import WeirAccess
import WeirBoards

extension AudienceDashboard {
    /// Refuses what a route requires and this audience may not do.
    ///
    /// What may not be seen is refused as what there is not. Where everything may be seen and done, nothing is looked up: the
    /// route itself says what there is not.
    ///
    /// - Parameters:
    ///   - requirement: What the route requires.
    ///   - isAnonymous: Whether nobody is known who asks: then it may help to sign in.
    /// - Returns: The operation of the run that the route names, where that was looked up.
    /// - Throws: The problem of one who may not: 404 for what may not be seen, 403 or, where signing in may help, 401.
    func admit(_ requirement: Requirement, isAnonymous: Bool) async throws(Problem) -> String? {
        if requirement == .nothing { return nil }
        let refusal = isAnonymous ? Problem.unauthenticated : .forbidden
        if case .reporting(let id) = requirement {
            // Never 403: a reporter's client takes that for a later life of its producer, and claims its place again for ever.
            guard permissions.allows(.report, on: .operation(id)) else {
                throw isAnonymous ? .unauthenticated : .unknownOperation(id)
            }
            return nil
        }
        guard permissions.allowsAnywhere(.see) else { throw refusal }
        switch requirement {
        case .nothing, .feed, .reporting: break
        case .anything(let verb):
            guard !permissions.isLink else { throw .noSuchPage }
            guard permissions.allowsAnywhere(verb) else { throw refusal }
        case .everything(let verb):
            guard !permissions.isLink else { throw .noSuchPage }
            guard permissions.allowsEverywhere(verb) else { throw refusal }
        case .operation(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            guard board.catalog[id] != nil else { throw .unknownOperation(id) }
            guard permissions.allows(verb, on: .operation(id)) else { throw refusal }
        case .store(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            guard board.catalog.store(id) != nil else { throw .unknownStore(id) }
            guard permissions.allows(verb, on: .store(id)) else { throw refusal }
        case .run(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            do { return try await board.require(verb, onRun: id) } catch {
                throw error.code == .notAllowed ? refusal : Problem(error)
            }
        }
        return nil
    }

    private func maySee(everythingAnd verb: Verb) -> Bool {
        permissions.allowsEverywhere(.see) && permissions.allowsEverywhere(verb)
    }
}
