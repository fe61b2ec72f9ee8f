import Crypto

/// Everybody who has exactly the same permissions: what is shown to one of them can be shown to all.
///
/// Pages are rendered, feeds encoded and counts kept once per audience.
package struct Audience: Hashable, Sendable {
    /// Thirteen letters and digits that stand for the audience in addresses.
    ///
    /// No secret: whoever presents it is held against their own audience.
    package let label: String
    /// What everybody in it may do.
    package let permissions: Permissions

    /// The audience of those permissions.
    package init(_ permissions: Permissions) {
        self.permissions = permissions
        label = Self.label(of: permissions)
    }

    /// Two audiences are the same only if their permissions are, whatever their labels say.
    package static func == (left: Audience, right: Audience) -> Bool {
        left.label == right.label && left.permissions == right.permissions
    }

    /// The label is enough to tell audiences apart, mostly.
    package func hash(into hasher: inout Hasher) { hasher.combine(label) }

    /// The same permissions have the same label in every process, so that addresses outlive a restart.
    private static func label(of permissions: Permissions) -> String {
        var hash = SHA256()
        // Each part is ended by a byte that no id has, so that no two sets of permissions are written alike.
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
