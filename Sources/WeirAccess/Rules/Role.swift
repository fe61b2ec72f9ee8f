/// Verbs on certain operations and stores, under a name.
public struct Role: Hashable, Sendable {
    /// The name: 1 to 64 lower-case letters, digits and hyphens.
    public let name: String
    /// What whoever has the role may do.
    package let verbs: VerbSet
    /// To what.
    package let selection: SubjectSelection

    /// Makes a role: whoever has it may do this to that.
    public init(_ name: String, verbs: Set<Verb>, selection: SubjectSelection = .everything) {
        self.init(name, verbs: VerbSet(verbs), selection: selection)
    }

    package init(_ name: String, verbs: VerbSet, selection: SubjectSelection = .everything) {
        self.name = name
        self.verbs = verbs
        self.selection = selection
    }

    /// Sees everything and changes nothing.
    public static let viewer = Role("viewer", verbs: VerbSet([.see]))
    /// Runs what there is to run: sees, starts, cancels, acts on stores, exports and reports.
    public static let `operator` = Role(
        "operator", verbs: VerbSet([.see, .start, .cancel, .act, .export, .report]))
    /// May do everything.
    public static let admin = Role("admin", verbs: .all)

    /// The roles that there are without any settings.
    package static let builtIn = [viewer, `operator`, admin]
}

/// A role that is given to somebody directly, for everything the role is about or for a part of it.
package struct RoleAssignment: Hashable, Sendable {
    /// The name of the role.
    package let role: String
    /// The part; everything the role is about, by default.
    package let selection: SubjectSelection

    /// Gives a role.
    package init(_ role: String, on selection: SubjectSelection = .everything) {
        self.role = role
        self.selection = selection
    }
}
