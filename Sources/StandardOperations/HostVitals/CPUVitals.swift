/// How busy the processors were since the last measurement.
public struct CPUVitals: Codable, Hashable, Sendable {
    /// The busy part of all processors together, in percent, to a tenth.
    public let busyPercent: Double
    /// How many processors there are.
    public let cores: Int
    /// The busy part of each of the first 64, in percent.
    public let perCorePercent: [Int]
    /// The busy part of all together, one value a second, the newest last, in percent.
    public let history: [Int]

    /// Makes vitals.
    public init(busyPercent: Double, perCorePercent: [Int], history: [Int]) {
        self.busyPercent = (busyPercent * 10).rounded() / 10
        self.cores = perCorePercent.count
        self.perCorePercent = Array(perCorePercent.prefix(64))
        self.history = history
    }
}
