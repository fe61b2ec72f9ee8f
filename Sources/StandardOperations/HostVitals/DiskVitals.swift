/// How full the volume is that holds the data folder.
public struct DiskVitals: Codable, Hashable, Sendable {
    /// Bytes in use.
    public let usedBytes: Int64
    /// Bytes that this process may still write.
    public let freeBytes: Int64
    /// Bytes there are.
    public let totalBytes: Int64
    /// The part that is not free, in percent.
    public let usedPercent: Int

    /// Makes vitals.
    public init(freeBytes: Int64, totalBytes: Int64) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        usedBytes = max(0, totalBytes - freeBytes)
        usedPercent = percent(usedBytes, of: totalBytes)
    }
}
