import WeirAccess
import WeirJournals
import WeirPages

extension PollAnswers {
    /// Somebody who is shown who else has a store's page open; nil for everybody else.
    ///
    /// That takes a page of a store and a person who is known by name. What everybody sees without signing in shows nobody:
    /// its answers are anybody's, and caches keep them.
    func visitor(of page: LivePage, _ admission: Admission) -> Visitor? {
        guard presence != nil, urls.audience != nil, case .store(let store) = page.topic,
            case let principal = admission.authorization.principal, principal.kind == .person
        else { return nil }
        return Visitor(store: store, identity: principal.identity, name: principal.name)
    }

    /// What the page's element `viewers` holds for a request of the page itself; nil where it has none.
    func viewers(on page: LivePage, _ admission: Admission?) -> String? {
        guard let presence, let visitor = admission.flatMap({ self.visitor(of: page, $0) }) else { return nil }
        return renderer.viewers(presence.others(than: visitor), locale: page.locale)
    }

    /// What that element holds from an answer on.
    func viewers(showing visitor: Visitor?, _ page: LivePage) -> String? {
        guard let presence, let visitor else { return nil }
        return renderer.viewers(presence.show(visitor), locale: page.locale)
    }
}

extension PollResponder {
    /// Lets the polls go of those visitors of a store who are to be shown that others came or left.
    func showVisitors(of store: String) {
        waitLists.interrupt(.store(store)) { waiter in
            if case .poll(let poll) = waiter { poll.visit?.isBehind ?? false } else { false }
        }
    }
}
