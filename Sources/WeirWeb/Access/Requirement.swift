import WeirAccess

/// What a request needs a right for: a verb, and what it is about.
enum Requirement: Hashable, Sendable {
    /// No right: it is the same for everybody, and needed before anybody is known.
    case nothing
    /// A verb on at least one operation or store: what is answered tells of those, and of no others.
    case anything(Verb)
    /// A verb on everything there is, the server itself included.
    case everything(Verb)
    /// A verb on an operation.
    case operation(Verb, String)
    /// A verb on a store.
    case store(Verb, String)
    /// A verb on a run, and so on its operation.
    case run(Verb, String)
    /// To report runs of an operation, which need not be in the catalog.
    case reporting(String)
    /// To see what a feed tells of, which its name says.
    case feed
}
