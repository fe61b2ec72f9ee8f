import Foundation

/// How many files this process may have open, sockets among them, and how many of them connections may be.
package enum FileLimit {
    /// The most connections, however many files there may be.
    static let mostConnections = 24_000

    /// The limit in force (`ulimit -n`).
    package static var current: Int {
        guard let limit = limits() else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as this process may, up to a number; returns what is in force then.
    @discardableResult package static func raise(upTo wanted: Int = 65_536) -> Int {
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

    /// How many connections there may be: a quarter of the files, at least 32, is left for the journal, for uploads and for
    /// what runs connect to.
    package static func connections(files: Int) -> Int {
        min(mostConnections, max(8, files - max(32, min(files / 4, 2_048))))
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
