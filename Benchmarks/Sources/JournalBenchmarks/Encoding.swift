import Foundation
import WeirStates

/// What writing a state down costs, beside the way over its JSON text.
enum Encoding {
    static func run() throws {
        let states: [(String, SwingState)] = [
            ("a case without a payload", .waiting), ("a case with three values", .swing(1)),
        ]
        for (name, state) in states {
            let record = try best { _ = try StateRecord(state) }
            let straight = try best { _ = try JSONValue(encoding: state) }
            let text = try best { _ = try JSONValue(parsing: JSONEncoder().encode(state)) }
            print("\(name): record \(record) ns, of which JSON value \(straight) ns; over its text \(text) ns")
        }
    }

    /// Nanoseconds a call, the best of ten rounds.
    private static func best(_ body: () throws -> Void) rethrows -> Int {
        var best = Duration.seconds(1_000)
        for _ in 0..<10 {
            best = min(best, try ContinuousClock().measure { for _ in 0..<20_000 { try body() } })
        }
        return Int(best / .nanoseconds(20_000))
    }
}
