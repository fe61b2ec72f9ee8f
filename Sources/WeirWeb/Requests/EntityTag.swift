/// What a version of an answer is known by (RFC 9110, 8.8.3).
struct EntityTag: Hashable, Sendable {
    private let value: String
    private let isWeak: Bool

    /// Names bytes; the value consists of letters, digits and hyphens.
    init(_ value: String) { (self.value, isWeak) = (value, false) }

    /// Names what means the same; the value consists of letters, digits and hyphens.
    init(weak value: String) { (self.value, isWeak) = (value, true) }

    /// As the header `ETag` has it.
    var field: String { isWeak ? "W/\"\(value)\"" : "\"\(value)\"" }

    /// The tag of the same answer in another coding.
    func coded(_ coding: String) -> EntityTag {
        let value = value + "-" + coding
        return isWeak ? EntityTag(weak: value) : EntityTag(value)
    }

    /// Whether a client that sends this in `If-None-Match` has the answer already.
    ///
    /// Compared weakly (RFC 9110, 13.1.2): a proxy may have made a strong tag weak.
    func isKnown(to header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { each in
            let each = each.drop { $0 == " " }
            return each == "*" || (each.hasPrefix("W/") ? each.dropFirst(2) : each) == "\"\(value)\""
        }
    }
}
