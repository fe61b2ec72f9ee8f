import HTTPTypes
import WeirJournals
import WeirOperations

/// Parses the three header fields that identify a producer's request (section 5.2.1 of the protocol).
enum ProducerHeaders {
    static let limit = 255

    /// Parses the fields; returns nil if none is sent.
    ///
    /// Throws a problem if one is missing, repeated or malformed.
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

    /// Returns the requested lease; nil if the field is absent.
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

extension Problem {
    static let malformedRunName = Problem(
        "malformed-path", .badRequest, "Malformed run name",
        "The name of a reported run is up to 54 of a–z, 0–9 and single hyphens, such as a UUID in lower case.")

    static func reservedRunName(_ run: String) -> Problem {
        Problem(
            "malformed-path", .badRequest, "Reserved run name",
            "No run can be called “\(run.prefix(64))”, since another page has that address. Choose another name.")
    }

    static let otherType = Problem(
        "other-type", .conflict, "Other media type",
        "Messages of a run are JSON. Send the body as JSON and name it in Content-Type: application/json.")

    static func malformedMessages(_ mistakes: ReportMessages.Mistakes) -> Problem {
        let count = mistakes.list.count == 1 ? "A message has a mistake" : "Messages have mistakes"
        return Problem(
            "malformed-messages", .badRequest, "Malformed messages",
            "\(count), and nothing of the request was taken. Correct it and send all of it again.",
            errors: mistakes.list)
    }

    static func unknownReport(_ run: String) -> String {
        "There is no run “\(run.prefix(64))” of this operation that you report. Open it with PUT."
    }

    static func removedReport(_ run: String) -> Problem {
        Problem(
            "removed-run", .gone, "Removed run",
            "There was a reported run “\(run.prefix(64))”, which is not kept any more. Its name cannot be used again; choose "
                + "another.")
    }

    static func otherReport(_ run: String) -> Problem {
        Problem(
            "run-exists", .conflict, "Run exists",
            "There is a run “\(run.prefix(64))” already, opened by another client, with another input, or ended. Choose another "
                + "name.")
    }

    static func endedRun(_ offset: String?) -> Problem {
        var problem = Problem(
            "ended-run", .conflict, "Ended run",
            "This run has ended, so nothing can be added to it. Its page says why; open another one under another name.",
            headers: [.streamClosed: "true"])
        if let offset { problem.headers[.streamNextOffset] = offset }
        return problem
    }

    static func fenced(_ epoch: SequenceNumber) -> Problem {
        Problem(
            "fenced-producer", .forbidden, "Fenced producer",
            "A later epoch of this producer has taken over: \(epoch). Stop, or go on in a later one.",
            headers: [.producerEpoch: epoch.description])
    }

    static func gap(expected: SequenceNumber, received: SequenceNumber) -> Problem {
        Problem(
            "producer-gap", .conflict, "Missing requests",
            "Request \(expected) of this producer is missing before request \(received). Send it first.",
            headers: [.producerExpected: expected.description, .producerReceived: received.description])
    }

    static let badBeginning = ProducerHeaders.malformed(
        .producerNumber, "must be 0 in the first request of a new epoch.")

    static let tooManyProducers = Problem(
        "too-many-producers", .tooManyRequests, "Too many producers",
        "This run has as many producers as one may have. Keep the name of a producer over its restarts.")
}
