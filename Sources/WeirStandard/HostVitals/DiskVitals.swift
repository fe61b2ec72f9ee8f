/// How full the volume is that holds the data folder.
package struct DiskVitals: Codable, Hashable, Sendable {
    /// Bytes in use.
    package let usedBytes: Int64
    /// Bytes that this process may still write.
    package let freeBytes: Int64
    /// Bytes there are.
    package let totalBytes: Int64
    /// The used part of what is used or free, in percent, as `df` computes it.
    package let usedPercent: Int

    /// Makes vitals.
    package init(usedBytes: Int64, freeBytes: Int64, totalBytes: Int64) {
        self.usedBytes = usedBytes
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        usedPercent = percent(usedBytes, of: Int64(clamping: UInt64(clamping: usedBytes) + UInt64(clamping: freeBytes)))
    }
}
