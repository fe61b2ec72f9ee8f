import WeirStates

/// A result of `weir doctor`: a fact about the installation, and what to do about it.
struct Finding: Sendable, Hashable {
    enum Status: String, Sendable {
        case good
        /// Nothing fails because of it now.
        case warning
        case failure

        var mark: String {
            switch self {
            case .good: "✓"
            case .warning: "!"
            case .failure: "✕"
            }
        }
    }

    /// The examined part, such as `disk`.
    let topic: String
    let status: Status
    let sentence: String
    /// What to do; nil if nothing is wrong or the sentence says it.
    let remedy: String?

    init(_ topic: String, _ status: Status, _ sentence: String, remedy: String? = nil) {
        self.topic = topic
        self.status = status
        self.sentence = sentence
        self.remedy = remedy
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "topic": .string(topic), "status": .string(status.rawValue), "sentence": .string(sentence),
        ]
        members["remedy"] = remedy.map(JSONValue.string)
        return .object(members)
    }
}

extension [Finding] {
    var hasFailures: Bool { contains { $0.status == .failure } }

    /// One line for each finding, its remedy on the next line, and the counts at the end.
    var text: String {
        let lines = map { finding in
            let remedy = finding.remedy.map { "\n    → \(VisibleText.line($0))" } ?? ""
            return "\(finding.status.mark) \(finding.topic): \(VisibleText.line(finding.sentence))\(remedy)"
        }
        let counts = [Finding.Status.failure, .warning].map { status in filter { $0.status == status }.count }
        return (lines + ["\(count) findings: \(counts[0]) to mend, \(counts[1]) to look at."]).joined(separator: "\n")
    }

    var json: JSONValue { ["ok": .bool(!hasFailures), "findings": .array(map(\.json))] }
}
