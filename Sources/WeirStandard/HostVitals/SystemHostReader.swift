#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads this machine: `/proc` on Linux, the Mach host and `sysctl` on macOS.
package struct SystemHostReader: HostReader {
    private let folder: String
    let proc: String

    /// Creates a reader.
    /// - Parameters:
    ///   - folder: A folder on the volume to report.
    ///   - proc: Where the process file system is mounted, on Linux.
    package init(folder: String, proc: String = "/proc") {
        self.folder = folder
        self.proc = proc
    }

    /// What it says now.
    ///
    /// Takes some tenths of a millisecond.
    package func read() -> HostReading {
        var reading = HostReading()
        reading.processors = processors()
        reading.memory = memory()
        reading.load = load()
        reading.disk = disk()
        reading.traffic = traffic()
        return reading
    }

    /// The volume as reported by `statvfs`: part of the unused space may be reserved for others, and is not free for
    /// us.
    private func disk() -> HostReading.Volume? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0, status.f_blocks > 0 else { return nil }
        let block = UInt64(clamping: status.f_frsize)
        func bytes(_ blocks: UInt64) -> Int64 {
            let (bytes, isOver) = blocks.multipliedReportingOverflow(by: block)
            return isOver ? .max : Int64(clamping: bytes)
        }
        return .init(
            used: bytes(
                UInt64(clamping: status.f_blocks)
                    - min(UInt64(clamping: status.f_bfree), UInt64(clamping: status.f_blocks))),
            free: bytes(UInt64(clamping: status.f_bavail)), total: bytes(UInt64(clamping: status.f_blocks)))
    }
}

extension HostReader where Self == SystemHostReader {
    /// This machine, and the volume that holds the folder.
    package static func system(folder: String) -> SystemHostReader { SystemHostReader(folder: folder) }
}
