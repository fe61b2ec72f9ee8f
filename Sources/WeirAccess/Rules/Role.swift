/// A named set of verbs on selected operations and stores.
public struct Role: Hashable, Sendable {
    /// The name: 1 to 64 lower-case letters, digits and hyphens.
    public let name: String
    let verbs: VerbSet
    let selection: SubjectSelection

    /// Creates a role that allows verbs on the selected subjects.
    public init(_ name: String, verbs: Set<Verb>, selection: SubjectSelection = .everything) {
        self.init(name, verbs: VerbSet(verbs), selection: selection)
    }

    init(_ name: String, verbs: VerbSet, selection: SubjectSelection = .everything) {
        self.name = name
        self.verbs = verbs
        self.selection = selection
    }

    /// Sees everything and changes nothing.
    public static let viewer = Role("viewer", verbs: VerbSet([.see]))
    /// Sees, starts, cancels, acts on stores, exports and reports.
    public static let `operator` = Role(
        "operator", verbs: VerbSet([.see, .start, .cancel, .act, .export, .report]))
    /// Has every permission.
    public static let admin = Role("admin", verbs: .all)

    static let builtIn = [viewer, `operator`, admin]
}

/// A role assigned to a principal, optionally narrowed to some of its subjects.
struct RoleAssignment: Hashable, Sendable {
    let role: String
    /// Narrows the role's own selection.
    let selection: SubjectSelection

    init(_ role: String, on selection: SubjectSelection = .everything) {
        self.role = role
        self.selection = selection
    }
}

/// An action on an operation, a store, a run or the server that requires permission.
public enum Verb: String, CaseIterable, Sendable, Codable {
    /// View and follow it.
    case see
    /// Start or retry a run of an operation.
    case start
    /// Cancel a run.
    case cancel
    /// Send an action to a store.
    case act
    /// Restore a state into a store, reset it, or import runs.
    case restore
    /// Download runs with all their changes.
    case export
    /// Report the state of a run from outside.
    case report
    /// Manage users, tokens, links and notices, and view the server page and the audit.
    case administer
}

struct VerbSet: OptionSet, Hashable, Sendable {
    /// One bit per verb.
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ verbs: some Sequence<Verb>) {
        self.init()
        for verb in verbs { formUnion(Self.only(verb)) }
    }

    static let all = VerbSet(Verb.allCases)

    static func only(_ verb: Verb) -> VerbSet {
        switch verb {
        case .see: VerbSet(rawValue: 1)
        case .start: VerbSet(rawValue: 2)
        case .cancel: VerbSet(rawValue: 4)
        case .act: VerbSet(rawValue: 8)
        case .restore: VerbSet(rawValue: 16)
        case .export: VerbSet(rawValue: 32)
        case .report: VerbSet(rawValue: 64)
        case .administer: VerbSet(rawValue: 128)
        }
    }

    func contains(_ verb: Verb) -> Bool { isSuperset(of: Self.only(verb)) }

    var verbs: [Verb] { Verb.allCases.filter { contains($0) } }
}
