import Crypto

/// The verbs allowed on every subject, with roles, groups and patterns resolved.
///
/// Principals with the same rights have equal permissions.
package struct Permissions: Hashable, Sendable {
    /// The verbs on each known subject.
    let listed: [Subject.ID: VerbSet]
    /// The verbs on the server and on subjects that are not (or no longer) in the catalog.
    let unlisted: VerbSet
    /// For link holders, the only run they can see.
    package let run: String?

    package static let everything = Permissions(of: []) { _ in .all }

    package static let nothing = Permissions(run: nil)

    /// Evaluates `verbs` for each subject and for the server.
    init(of subjects: [Subject], verbs: (Subject) -> VerbSet) {
        listed = Dictionary(subjects.map { ($0.id, verbs($0)) }) { $0.intersection($1) }
        unlisted = verbs(Subject(.server))
        run = nil
    }

    /// The permission to see one run, or nothing if `run` is nil.
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

    func verbs(on subject: Subject.ID) -> VerbSet {
        if case .run(let id) = subject, id == run { return .only(.see) }
        return listed[subject] ?? unlisted
    }

    package func allows(_ verb: Verb, on subject: Subject.ID) -> Bool { verbs(on: subject).contains(verb) }

    /// Returns whether a verb is allowed on a run, through its operation or through a link.
    package func allows(_ verb: Verb, onRun run: String, of operation: String) -> Bool {
        allows(verb, on: .operation(operation)) || (run == self.run && verb == .see)
    }

    /// Returns whether a verb is allowed on every subject, including the server.
    package func allowsEverywhere(_ verb: Verb) -> Bool {
        unlisted.contains(verb) && listed.values.allSatisfy { $0.contains(verb) }
    }

    package func allowsAnywhere(_ verb: Verb) -> Bool {
        unlisted.contains(verb) || listed.values.contains { $0.contains(verb) } || (run != nil && verb == .see)
    }

    /// Whether these are the permissions of a link, which allow seeing one run only.
    package var isLink: Bool { run != nil }

    package func only(_ verb: Verb) -> Permissions {
        Permissions(
            listed: listed.mapValues { $0.intersection(.only(verb)) }, unlisted: unlisted.intersection(.only(verb)),
            run: run)
    }

    /// Returns whether every verb of other permissions is allowed here, on every subject.
    func isSuperset(of other: Permissions) -> Bool {
        Set(listed.keys).union(other.listed.keys).allSatisfy { verbs(on: $0).isSuperset(of: other.verbs(on: $0)) }
            && unlisted.isSuperset(of: other.unlisted) && (other.run == nil || other.run == run)
    }

    /// Returns whether a verb is allowed on the same subjects as in other permissions.
    package func allowsSame(_ verb: Verb, as other: Permissions) -> Bool {
        run == other.run && unlisted.contains(verb) == other.unlisted.contains(verb)
            && Set(listed.keys).union(other.listed.keys).allSatisfy {
                allows(verb, on: $0) == other.allows(verb, on: $0)
            }
    }

    func intersection(_ other: Permissions) -> Permissions {
        let ids = Set(listed.keys).union(other.listed.keys)
        let both = ids.map { ($0, verbs(on: $0).intersection(other.verbs(on: $0))) }
        return Permissions(
            listed: Dictionary(both) { $0.intersection($1) }, unlisted: unlisted.intersection(other.unlisted),
            run: run == other.run ? run : nil)
    }
}

/// The set of principals with exactly the same permissions.
///
/// Rendered pages, encoded feeds and counts are cached per audience.
package struct Audience: Hashable, Sendable {
    /// Thirteen letters and digits that identify the audience in URLs.
    ///
    /// Not a secret: the server compares it with the sender's own audience.
    package let label: String
    package let permissions: Permissions

    package init(_ permissions: Permissions) {
        self.permissions = permissions
        label = Self.label(of: permissions)
    }

    /// Compares permissions as well, because labels can collide.
    package static func == (left: Audience, right: Audience) -> Bool {
        left.label == right.label && left.permissions == right.permissions
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(label) }

    /// The label depends only on the permissions, so URLs stay valid across restarts and processes.
    private static func label(of permissions: Permissions) -> String {
        var hash = SHA256()
        // Each part ends with a byte that ids cannot contain, which makes the encoding unambiguous.
        func add(_ text: String, _ verbs: VerbSet) {
            hash.update(data: Array(text.utf8) + [0, UInt8(truncatingIfNeeded: verbs.rawValue), 0])
        }
        for (name, verbs) in permissions.listed.map({ (name(of: $0.key), $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            add(name, verbs)
        }
        add("server", permissions.unlisted)
        add("run:\(permissions.run ?? "")", [])
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let letters = hash.finalize().prefix(13).map { alphabet[Int($0 & 31)] }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func name(of id: Subject.ID) -> String {
        switch id {
        case .operation(let id): "operation:\(id)"
        case .store(let id): "store:\(id)"
        case .run(let id): "run:\(id)"
        case .approval(let operation, let step): "approval:\(operation):\(step)"
        case .server: "server"
        }
    }
}
