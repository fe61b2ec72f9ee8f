import Foundation
import WeirFlows
import WeirStandard

/// A destination that notes what is asked of it, and does at each step what the test says.
final class GatedDestination: UploadDestination {
    let name = "gated"
    let log = MutableStateFlow<[String]>([])
    private let at: @Sendable (String) async throws -> Void

    init(at: @escaping @Sendable (String) async throws -> Void = { _ in }) { self.at = at }

    func note(_ event: String) async throws {
        log.mutate { $0.append(event) }
        try await at(event)
    }

    func open(filename: String, size: Int64) async throws -> any UploadSession {
        try await note("open")
        return GatedSession(destination: self)
    }

    func removeLeftovers() async throws { try await note("leftovers") }
}

private struct GatedSession: UploadSession {
    let destination: GatedDestination
    func part(_ number: Int, _ bytes: Data) async throws { try await destination.note("part \(number)") }
    func close() async throws -> String {
        try await destination.note("close")
        return "gated/file"
    }
    func abort() async { destination.log.mutate { $0.append(Task.isCancelled ? "abort, cancelled" : "abort") } }
}
