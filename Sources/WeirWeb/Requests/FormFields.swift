import NIOCore
import WeirStates

/// Named values as a query or a form sends them (`application/x-www-form-urlencoded`), in their order.
struct FormFields: Sendable, Hashable {
    /// One name with its value.
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// The fields as they were sent.
    var fields: [Field] = []

    init(_ fields: [Field] = []) { self.fields = fields }

    /// Reads the encoded text; nil for an encoding that is broken.
    ///
    /// A name without `=` has an empty value.
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
    }

    /// The maximum number of fields of a form.
    static let limit = 10_000

    /// Reads the body of a form that was sent.
    init(body: ByteBuffer) throws(Problem) {
        guard body.readableBytesView.lazy.filter({ $0 == UInt8(ascii: "&") }).count < Self.limit else {
            throw .malformedBody(.tooManyFields, ["limit": "\(Self.limit)"])
        }
        guard let text = String(validating: body.readableBytesView, as: UTF8.self), let fields = FormFields(text)
        else { throw .malformedBody(.brokenForm) }
        self = fields
    }

    /// The first value with that name.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Each name's first value.
    var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The fields encoded again; empty without fields.
    var text: String {
        fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}
