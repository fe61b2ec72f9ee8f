import WeirAccess
import WeirBoards
import WeirOperations

extension Catalog {
    /// What rules can be about: each operation with its decisions, and each store.
    ///
    /// A step that runs only with another operation is chosen as that.
    var subjects: [Subject] {
        entries.flatMap { entry -> [Subject] in
            let whole = entry.partOf.flatMap { self[$0] } ?? entry
            let chosenAs = Subject.ID.operation(whole.id)
            let approvals = entry.plan?.steps.filter { $0.approval != nil } ?? []
            return [Subject(.operation(entry.id), tags: whole.tags, chosenAs: chosenAs)]
                + approvals.map { step in
                    let who = step.approval?.who ?? []
                    return Subject(
                        .approval(operation: entry.id, step: step.name), tags: whole.tags, chosenAs: chosenAs,
                        deciders: who.isEmpty ? nil : who.compactMap { Decider($0) })
                }
        } + stores.map { Subject(.store($0.id), tags: $0.tags) }
    }
}
