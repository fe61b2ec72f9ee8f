package import WeirStates

extension InputField {
    /// Whether what is given is kept in memory only while its run goes: never recorded, shown, exported or given again.
    package var isSecret: Bool {
        if case .secret = kind { true } else { false }
    }

    /// Parts an input that fits the fields: what may be recorded, and what must not be.
    ///
    /// - Parameters:
    ///   - input: A JSON object.
    ///   - fields: The operation's fields.
    /// - Returns: The input without its secrets, and the secrets by field.
    package static func parting(
        _ input: JSONValue, fields: [InputField]
    ) -> (recorded: JSONValue, secrets: [String: JSONValue]) {
        let names = Set(fields.filter(\.isSecret).map(\.name))
        guard !names.isEmpty, case .object(let members) = input else { return (input, [:]) }
        return (.object(members.filter { !names.contains($0.key) }), members.filter { names.contains($0.key) })
    }
}
