#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads this machine: `/proc` on Linux, the Mach host and `sysctl` on macOS.
public struct SystemHostReader: HostReader {
    private let folder: String
    let proc: String

    /// Makes a reader.
    /// - Parameters:
    ///   - folder: A folder on the volume to tell of.
    ///   - proc: Where the process file system is mounted, on Linux.
    public init(folder: String, proc: String = "/proc") {
        self.folder = folder
        self.proc = proc
    }

    /// What it says now.
    ///
    /// Takes some tenths of a millisecond.
    public func read() -> HostReading {
        var reading = HostReading()
        reading.processors = processors()
        reading.memory = memory()
        reading.load = load()
        reading.disk = disk()
        reading.traffic = traffic()
        return reading
    }

    /// The volume as `statvfs` tells it: part of what is unused may be reserved for others, and is not free for us.
    private func disk() -> HostReading.Volume? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
        let block = UInt64(status.f_frsize)
        func bytes(_ blocks: UInt64) -> Int64 {
            Int64(clamping: blocks.multipliedReportingOverflow(by: block).partialValue)
        }
        return .init(
            used: bytes(UInt64(status.f_blocks) - min(UInt64(status.f_bfree), UInt64(status.f_blocks))),
            free: bytes(UInt64(status.f_bavail)), total: bytes(UInt64(status.f_blocks)))
    }
}
