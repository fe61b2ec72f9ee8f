import Foundation

/// The resources that the process uses, from the operating system.
package enum ProcessUsage {
    /// The resident memory in bytes, or nil on systems without `/proc`.
    package static func residentBytes() -> Int64? {
        #if os(Linux)
            guard let pages = fields(of: "/proc/self/statm").dropFirst().first.flatMap({ Int64($0) }) else {
                return nil
            }
            return pages.multipliedReportingOverflow(by: Int64(clamping: getpagesize())).partialValue
        #else
            return nil
        #endif
    }

    /// The CPU time in seconds.
    package static func cpuSeconds() -> Double? {
        var usage = rusage()
        guard getrusage(own, &usage) == 0 else { return nil }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The number of threads, or nil on systems without `/proc`.
    package static func threads() -> Int? {
        #if os(Linux)
            guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Threads:") }
            return line?.split(separator: "\t").last.flatMap { Int($0) }
        #else
            return nil
        #endif
    }

    /// The number of open file descriptors, or nil on systems without `/proc`.
    static func openFiles() -> Int? {
        #if os(Linux)
            guard let folder = opendir("/proc/self/fd") else { return nil }
            defer { closedir(folder) }
            var count = 0
            while readdir(folder) != nil { count += 1 }
            // Without `.`, `..` and the folder itself.
            return max(count - 3, 0)
        #else
            return nil
        #endif
    }

    package static func maximumFiles() -> Double? {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return nil }
        return limit.rlim_cur > 1 << 62 ? .infinity : Double(limit.rlim_cur)
    }

    /// The free space for this user on the file system of a path, in bytes.
    ///
    /// Blocks on the file system.
    package static func freeBytes(at path: String) -> Double? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        return Double(facts.f_bavail) * Double(facts.f_frsize)
    }

    /// How many more files the file system of a path can have; nil if it has no limit.
    ///
    /// Blocks on the file system.
    package static func freeFiles(at path: String) -> Double? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0, facts.f_files > 0 else { return nil }
        return Double(facts.f_favail)
    }

    private static func fields(of path: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: " ")
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    #if canImport(Glibc)
        private static let own = __rusage_who_t(RUSAGE_SELF.rawValue)
        private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let (own, files) = (RUSAGE_SELF, RLIMIT_NOFILE)
    #endif
}

extension MetricsRegistry {
    /// Observes the process; `startedAt` is in seconds since 1970.
    package func observeProcess(version: String, startedAt: Double) {
        observe(.build, [("version", version)]) { 1 }
        observe(.cpu) { ProcessUsage.cpuSeconds() }
        observe(.memory) { ProcessUsage.residentBytes().map(Double.init) }
        observe(.openFiles) { ProcessUsage.openFiles().map(Double.init) }
        observe(.maximumFiles) { ProcessUsage.maximumFiles() }
        observe(.startTime) { startedAt }
    }
}
