import Dispatch
import Flows

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Asks the system's resolver (`getaddrinfo`, RFC 3493) on threads of its own, because it blocks and cannot be called off.
package struct SystemNameResolver: NameResolver {
    private static let socketKind: Int32 = {
        #if canImport(Glibc)
            Int32(clamping: SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }()

    /// Makes a resolver.
    package init() {}

    /// The addresses in the system's order (RFC 6724), each once.
    ///
    /// A cancelled caller is let go at once; the system's own search ends in its own time, and nobody hears of it.
    package func addresses(of host: String) async throws -> [String] {
        let answer = OneShot<Result<[String], any Error>>()
        return try await withTaskCancellationHandler {
            DispatchQueue.global(qos: .userInitiated).async { answer.send(Result { try Self.lookUp(host) }) }
            return try await answer.value().get()
        } onCancel: {
            answer.send(.failure(CancellationError()))
        }
    }

    private static func lookUp(_ host: String) throws -> [String] {
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
