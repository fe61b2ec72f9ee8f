package import WeirStates

extension StateRecord {
    /// What the state says in words, such as an error's sentence; nil if it says nothing.
    package var sentence: String? { payload.sentence }
}

extension JSONValue {
    /// What a payload says in words, as operations of all kinds name it.
    fileprivate var sentence: String? {
        let names = ["message", "show", "description", "detail", "reason"]
        guard let members = object else { return nil }
        if let name = names.first(where: { members[$0]?.string?.isEmpty == false }) { return members[name]?.string }
        // The value of an enum's case stands one level below.
        return members.sorted { $0.key < $1.key }.lazy.compactMap { $0.value.object == nil ? nil : $0.value.sentence }
            .first
    }
}
