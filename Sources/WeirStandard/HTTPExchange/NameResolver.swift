import Foundation
import WeirFlows

package protocol NameResolver: Sendable {
    /// The numeric addresses in order of preference.
    ///
    /// Throws `CancellationError` immediately on cancellation, and ``HTTPFailure`` if the name does not exist or cannot be
    /// resolved.
    func addresses(of host: String) async throws -> [String]
}

/// Resolves names with `getaddrinfo` (RFC 3493) on separate threads, because it blocks and cannot be interrupted.
package struct SystemNameResolver: NameResolver {
    private static let socketKind: Int32 = {
        #if canImport(Glibc)
            Int32(clamping: SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }()

    private let pool: WorkPool
    private let timeout: Duration
    private let find: @Sendable (String) throws -> [String]

    package init() { self.init(pool: .names) }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - pool: The threads for blocking calls.
    ///   - timeout: The maximum time a caller waits, for a thread and for the result.
    ///   - find: The blocking lookup.
    init(
        pool: WorkPool, timeout: Duration = .seconds(10),
        find: @escaping @Sendable (String) throws -> [String] = lookUp
    ) {
        self.pool = pool
        self.timeout = timeout
        self.find = find
    }

    /// The distinct addresses in the system's order (RFC 6724).
    ///
    /// Throws after ``timeout``, and immediately on cancellation. A lookup in progress then keeps its thread until the system's
    /// resolver returns; a pending one never starts.
    package func addresses(of host: String) async throws -> [String] {
        let answer = OneShot<Result<[String], any Error>>()
        let search = Task { [pool, find] in
            do {
                answer.send(.success(try await pool.run { try find(host) }))
            } catch is WorkPool.Busy {
                answer.send(.failure(HTTPFailure.nameServerSilent(host: host, reason: "too many names are looked up")))
            } catch {
                answer.send(.failure(error))
            }
        }
        let limit = Task { [timeout] in
            try await Task.sleep(for: timeout)
            answer.send(.failure(HTTPFailure.nameServerSilent(host: host, reason: "no answer within \(timeout)")))
        }
        defer {
            search.cancel()
            limit.cancel()
        }
        return try await withTaskCancellationHandler {
            try await answer.value().get()
        } onCancel: {
            answer.send(.failure(CancellationError()))
        }
    }

    /// Calls the system's resolver; blocks.
    @Sendable static func lookUp(_ host: String) throws -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = socketKind
        // Unsafe memory: the list is the resolver's, read before it is freed.
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            throw code == EAI_NONAME
                ? HTTPFailure.nameNotFound(host: host)
                : .nameServerSilent(host: host, reason: String(cString: gai_strerror(code)))
        }
        var found: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            if let text = numbers(of: entry), !found.contains(text) { found.append(text) }
        }
        guard !found.isEmpty else { throw HTTPFailure.nameNotFound(host: host) }
        return found
    }

    private static func numbers(of entry: addrinfo) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard
                getnameinfo(entry.ai_addr, entry.ai_addrlen, buffer.baseAddress, 256, nil, 0, NI_NUMERICHOST) == 0,
                let start = buffer.baseAddress
            else { return nil }
            return String(cString: start)
        }
    }
}
