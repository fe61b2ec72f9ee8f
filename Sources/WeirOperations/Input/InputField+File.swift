import WeirStates

extension InputField {
    /// What a door that took a file says of it: an id, the name, and what was announced.
    func file(_ value: JSONValue) throws(InputRejection) -> JSONValue {
        guard case .object(let members) = value else {
            throw InputRejection(.fileElsewhere)
        }
        var described: [String: JSONValue] = [:]
        for (name, member) in members where member != .null {
            guard accepts(member, as: name) else {
                throw InputRejection(.fileWrong, ["name": "\(Self.shortened(name))"])
            }
            described[name] = member
        }
        guard described["id"] != nil, described["filename"] != nil else {
            throw InputRejection(.fileUnnamed)
        }
        return .object(described)
    }

    private func accepts(_ member: JSONValue, as name: String) -> Bool {
        switch name {
        case "id": member.string.map(Self.isFileID) ?? false
        case "filename": member.string.map(Self.isFileName) ?? false
        case "length": member.integer.map { $0 >= 0 } ?? false
        case "contentType": member.string.map { $0.utf8.count <= 255 } ?? false
        default: false
        }
    }

    private static func isFileID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func isFileName(_ text: String) -> Bool {
        (1...1_020).contains(text.utf8.count) && text != "." && text != ".."
            && !text.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
    }
}
