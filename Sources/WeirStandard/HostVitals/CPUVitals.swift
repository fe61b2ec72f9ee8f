/// How busy the processors were since the last measurement.
package struct CPUVitals: Codable, Hashable, Sendable {
    /// The busy part of all processors together, in percent, to a tenth.
    package let busyPercent: Double
    /// The number of processors.
    package let cores: Int
    /// The busy part of each of the first 64, in percent.
    package let perCorePercent: [Int]
    /// The busy part of all together, one value a second, the newest last, in percent.
    package let history: [Int]

    /// Makes vitals.
    package init(busyPercent: Double, perCorePercent: [Int], history: [Int]) {
        self.busyPercent = (busyPercent * 10).rounded() / 10
        self.cores = perCorePercent.count
        self.perCorePercent = Array(perCorePercent.prefix(64))
        self.history = history
    }
}
