/// What one may do: verbs on every subject, with roles, groups and patterns resolved.
///
/// A value: two principals who may do the same have equal permissions, and see the same pages.
package struct Permissions: Hashable, Sendable {
    /// The verbs on each subject there is.
    package let listed: [Subject.ID: VerbSet]
    /// The verbs on the server as a whole, and on what is not in the catalog (any more).
    package let unlisted: VerbSet
    /// The only run that may be seen, for the holder of a link.
    package let run: String?

    /// Everything may be done.
    package static let everything = Permissions(of: []) { _ in .all }

    /// Nothing may be done.
    package static let nothing = Permissions(run: nil)

    /// Asks for the verbs on each subject, and on the server as a whole.
    init(of subjects: [Subject], verbs: (Subject) -> VerbSet) {
        listed = Dictionary(subjects.map { ($0.id, verbs($0)) }) { $0.intersection($1) }
        unlisted = verbs(Subject(.server))
        run = nil
    }

    /// The permission to see one run; to see nothing, without one.
    init(run: String?) {
        listed = [:]
        unlisted = []
        self.run = run
    }

    private init(listed: [Subject.ID: VerbSet], unlisted: VerbSet, run: String?) {
        self.listed = listed
        self.unlisted = unlisted
        self.run = run
    }

    /// The verbs on a subject.
    package func verbs(on subject: Subject.ID) -> VerbSet {
        if case .run(let id) = subject, id == run { return .only(.see) }
        return listed[subject] ?? unlisted
    }

    /// Whether something may be done to a subject.
    package func allows(_ verb: Verb, on subject: Subject.ID) -> Bool { verbs(on: subject).contains(verb) }

    /// Whether something may be done to a run: by its operation, or by a link to it.
    package func allows(_ verb: Verb, onRun run: String, of operation: String) -> Bool {
        allows(verb, on: .operation(operation)) || (run == self.run && verb == .see)
    }

    /// Whether a verb is allowed on every subject, the server as a whole included.
    package func allowsEverywhere(_ verb: Verb) -> Bool {
        unlisted.contains(verb) && listed.values.allSatisfy { $0.contains(verb) }
    }

    /// Whether a verb is allowed on anything at all.
    package func allowsAnywhere(_ verb: Verb) -> Bool {
        unlisted.contains(verb) || listed.values.contains { $0.contains(verb) } || (run != nil && verb == .see)
    }

    /// Whether the permissions are those of a link: to see one run, and nothing around it.
    package var isLink: Bool { run != nil }

    /// One of the verbs alone, wherever it is allowed.
    package func only(_ verb: Verb) -> Permissions {
        Permissions(
            listed: listed.mapValues { $0.intersection(.only(verb)) }, unlisted: unlisted.intersection(.only(verb)),
            run: run)
    }

    /// What both allow.
    package func intersection(_ other: Permissions) -> Permissions {
        let ids = Set(listed.keys).union(other.listed.keys)
        let both = ids.map { ($0, verbs(on: $0).intersection(other.verbs(on: $0))) }
        return Permissions(
            listed: Dictionary(both) { $0.intersection($1) }, unlisted: unlisted.intersection(other.unlisted),
            run: run == other.run ? run : nil)
    }
}
