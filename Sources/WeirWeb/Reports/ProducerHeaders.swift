import HTTPTypes
import WeirJournals
import WeirOperations

/// Which request of which producer this is, as its three header fields say (section 5.2.1 of the protocol).
enum ProducerHeaders {
    /// The most bytes of a producer's name.
    static let limit = 255

    /// Reads the fields; nil where none of them is sent.
    ///
    /// Throws a problem where one is missing, comes twice, or is not as it must be.
    static func stamp(in fields: HTTPFields) throws(Problem) -> ProducerStamp? {
        let names: [HTTPField.Name] = [.producerID, .producerEpoch, .producerNumber]
        let values = names.map { fields[values: $0] }
        if values.allSatisfy(\.isEmpty) { return nil }
        for (name, value) in zip(names, values) where value.count != 1 {
            throw malformed(
                name, value.isEmpty ? "is missing: the three fields of a producer go together." : "must be sent once.")
        }
        let id = fields[.producerID] ?? ""
        guard (1...limit).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw malformed(.producerID, "must be 1 to \(limit) visible ASCII characters.")
        }
        return ProducerStamp(
            id: id, epoch: try number(.producerEpoch, fields), number: try number(.producerNumber, fields))
    }

    private static func number(_ name: HTTPField.Name, _ fields: HTTPFields) throws(Problem) -> SequenceNumber {
        guard let number = fields[name].flatMap({ SequenceNumber($0) }) else {
            throw malformed(name, "must be a whole number from 0 to \(SequenceNumber.max).")
        }
        return number
    }

    /// The lease that a reporter asks for; nil where it does not.
    static func lease(in fields: HTTPFields) throws(Problem) -> Duration? {
        let values = fields[values: .weirLease]
        if values.isEmpty { return nil }
        guard values.count == 1, let seconds = Int64(values[0]), (1...86_400).contains(seconds) else {
            throw malformed(.weirLease, "must be a whole number of seconds from 1 to 86400, sent once.")
        }
        return .seconds(seconds)
    }

    static func malformed(_ name: HTTPField.Name, _ detail: String) -> Problem {
        Problem(
            "malformed-header", .badRequest, "Malformed header", "\(name.rawName) \(detail)",
            errors: [.init(field: name.rawName, detail: detail)])
    }
}
