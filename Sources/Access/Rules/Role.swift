/// Verbs on certain operations and stores, under a name.
public struct Role: Hashable, Sendable {
    /// The name: 1 to 64 lower-case letters, digits and hyphens.
    public let name: String
    /// What whoever has the role may do.
    public let verbs: VerbSet
    /// To what.
    public let selection: SubjectSelection

    /// Makes a role.
    public init(_ name: String, verbs: VerbSet, selection: SubjectSelection = .everything) {
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
    public static let builtIn = [viewer, `operator`, admin]
}

/// A role that is given to somebody directly, for everything the role is about or for a part of it.
public struct RoleAssignment: Hashable, Sendable {
    /// The name of the role.
    public let role: String
    /// The part; everything the role is about, by default.
    public let selection: SubjectSelection

    /// Gives a role.
    public init(_ role: String, on selection: SubjectSelection = .everything) {
        self.role = role
        self.selection = selection
    }
}
