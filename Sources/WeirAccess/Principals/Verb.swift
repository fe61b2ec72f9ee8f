/// What can be done to an operation, a store, a run or the server.
public enum Verb: String, CaseIterable, Sendable, Codable {
    /// Look at it, and follow it.
    case see
    /// Start a run of an operation, or retry one.
    case start
    /// Cancel a run.
    case cancel
    /// Send a store an action.
    case act
    /// Put a state into a store, reset it, import runs.
    case restore
    /// Download runs with all their changes.
    case export
    /// Feed a run from outside.
    case report
    /// Manage users, tokens, links and notices, and see the server's own page and the audit.
    case administer
}

/// A set of verbs.
package struct VerbSet: OptionSet, Hashable, Sendable {
    /// A bit for each verb.
    package let rawValue: UInt16

    /// Makes a set of bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Makes a set of these verbs.
    package init(_ verbs: some Sequence<Verb>) {
        self.init()
        for verb in verbs { formUnion(Self.only(verb)) }
    }

    /// Every verb.
    package static let all = VerbSet(Verb.allCases)

    /// The set of a single verb.
    package static func only(_ verb: Verb) -> VerbSet {
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

    /// Whether the verb is in the set.
    package func contains(_ verb: Verb) -> Bool { isSuperset(of: Self.only(verb)) }

    /// The verbs in the set, in the order of their declaration.
    package var verbs: [Verb] { Verb.allCases.filter { contains($0) } }
}
