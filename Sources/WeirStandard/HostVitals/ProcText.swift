/// What the files of Linux's `/proc` say, as pure functions of their texts (proc(5)).
///
/// Each is nil for a text of another shape.
enum ProcText {
    /// `/proc/stat`: a line for each processor, `cpu0 user nice system idle iowait irq softirq steal …`.
    ///
    /// Time of guests is part of user's; time stolen by the host counts as busy, waiting for a disk as idle.
    static func processors(stat: String) -> [HostReading.CPUTicks]? {
        let cores = stat.split(separator: "\n").compactMap { line -> HostReading.CPUTicks? in
            let words = line.split(separator: " ")
            guard let name = words.first, name.hasPrefix("cpu"), name.count > 3 else { return nil }
            let ticks = words.dropFirst().prefix(8).compactMap { UInt64($0) }
            guard ticks.count >= 4 else { return nil }
            let total = ticks.reduce(0, &+)
            let idle = ticks[3] &+ (ticks.count > 4 ? ticks[4] : 0)
            return .init(busy: total &- idle, total: total)
        }
        return cores.isEmpty ? nil : cores
    }

    /// `/proc/meminfo`: used is what is not available; before Linux 3.14 what is neither free nor a cache.
    static func memory(meminfo: String) -> HostReading.Level? {
        var kilobytes: [Substring: Int64] = [:]
        for line in meminfo.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == ":" || $0 == " " })
            // More than there is of any machine would not fit into bytes.
            if words.count >= 2, let count = Int64(words[1]), (0...Int64.max / 4_096).contains(count) {
                kilobytes[words[0]] = count
            }
        }
        guard let total = kilobytes["MemTotal"], total > 0 else { return nil }
        let free = kilobytes["MemFree"].map { $0 + (kilobytes["Cached"] ?? 0) + (kilobytes["Buffers"] ?? 0) }
        guard let available = kilobytes["MemAvailable"] ?? free else { return nil }
        return .init(used: max(0, total - available) * 1_024, total: total * 1_024)
    }

    /// `/proc/loadavg`: `0.52 0.58 0.59 1/467 12345`.
    static func load(loadavg: String) -> [Double]? {
        let averages = loadavg.split(separator: " ").prefix(3).compactMap { Double($0) }
        return averages.count == 3 && averages.allSatisfy { $0.isFinite && $0 >= 0 } ? averages : nil
    }

    /// `/proc/net/dev`: `eth0: <bytes received> 7 more <bytes sent> …`, summed over the interfaces that lead out.
    ///
    /// The loopback and the bridges and pairs of containers carry again what the others carry.
    static func traffic(netdev: String) -> HostReading.Traffic? {
        var received: UInt64 = 0
        var sent: UInt64 = 0
        var found = false
        for line in netdev.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].drop { $0 == " " }
            let words = line[line.index(after: colon)...].split(separator: " ")
            guard words.count >= 9, let incoming = UInt64(words[0]), let outgoing = UInt64(words[8]) else { continue }
            found = true
            guard !["lo", "veth", "docker", "br-", "virbr"].contains(where: { name.hasPrefix($0) }) else { continue }
            received &+= incoming
            sent &+= outgoing
        }
        return found ? .init(received: received, sent: sent) : nil
    }
}
