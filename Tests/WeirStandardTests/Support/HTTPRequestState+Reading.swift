import WeirStates

@testable import WeirStandard

extension [HTTPRequestState] {
    /// The cases passed through, each once in a row.
    var cases: [String] {
        var names: [String] = []
        for state in self {
            let name = (try? StateRecord(state).caseName) ?? "?"
            if names.last != name { names.append(name) }
        }
        return names
    }
}

extension HTTPRequestState {
    /// The sentence of an error.
    var message: String? {
        guard case .error(let message, _, _, _, _) = self else { return nil }
        return message
    }

    /// Whether the server has the request and has not answered.
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}

extension OutgoingPolicy {
    /// Lets requests go to this machine, where the servers of tests are.
    static var loopback: OutgoingPolicy {
        OutgoingPolicy(allowing: ["127.0.0.0/8"].compactMap(OutgoingAllowance.init))
    }
}
