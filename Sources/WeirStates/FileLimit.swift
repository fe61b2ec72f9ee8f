import Foundation

/// The process's limit of open files, including sockets, and the connections that it permits.
package enum FileLimit {
    private static let mostConnections = 24_000

    /// The limit in force (`ulimit -n`).
    package static var current: Int {
        guard let limit = limits() else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The limit after ``raise(upTo:)``, or nil if it is unknown.
    package static var attainable: Int? { limits().map { min(Int(clamping: $0.rlim_max), standard) } }

    private static let standard = 65_536

    /// Raises the limit to at most `wanted`, as far as the process may, and returns the limit in force.
    @discardableResult package static func raise(upTo wanted: Int = standard) -> Int {
        guard var limit = limits() else { return current }
        let most = min(limit.rlim_max, rlim_t(clamping: wanted))
        guard limit.rlim_cur < most else { return current }
        limit.rlim_cur = most
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return current
    }

    /// The number of connections for a file limit.
    ///
    /// A quarter of the files, at least 32 and at most 2,048, is reserved for the journal, uploads and connections of runs.
    package static func connections(files: Int) -> Int {
        min(mostConnections, max(8, files - max(32, min(files / 4, 2_048))))
    }

    /// Whether only the files are left that the process keeps free for itself: an eighth, at most 64.
    ///
    /// Connections then wait. Without a free file, libdispatch would end the process, because it reads files in /proc to count its threads.
    package static var isNearlyReached: Bool { hasAtMost(1) }

    /// Whether so few files are left that programs and uploads are refused, so that connections are still accepted.
    package static var isScarce: Bool { hasAtMost(2) }

    private static func hasAtMost(_ reserves: Int) -> Bool {
        // The system gives the lowest free number.
        let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard lowest >= 0 else { return true }
        close(lowest)
        let limit = current
        return limit - Int(lowest) <= reserves * min(64, limit / 8)
    }

    private static func limits() -> rlimit? {
        var limit = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return result == 0 ? limit : nil
    }
}
