/// How full the volume is that holds the data folder.
public struct DiskVitals: Codable, Hashable, Sendable {
    /// Bytes in use.
    public let usedBytes: Int64
    /// Bytes that this process may still write.
    public let freeBytes: Int64
    /// Bytes there are.
    public let totalBytes: Int64
    /// The part in use of what is in use or free, in percent, as `df` tells it.
    public let usedPercent: Int

    /// Makes vitals.
    public init(usedBytes: Int64, freeBytes: Int64, totalBytes: Int64) {
        self.usedBytes = usedBytes
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        usedPercent = percent(usedBytes, of: max(0, usedBytes) + max(0, freeBytes))
    }
}
