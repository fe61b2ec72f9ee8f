import Foundation

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

    private func disk() -> HostReading.Level? {
        let attributes: [FileAttributeKey: Any]
        do { attributes = try FileManager.default.attributesOfFileSystem(forPath: folder) } catch { return nil }
        guard
            let total = attributes[.systemSize] as? NSNumber, let free = attributes[.systemFreeSize] as? NSNumber,
            total.int64Value > 0
        else { return nil }
        return .init(used: total.int64Value - free.int64Value, total: total.int64Value)
    }
}
