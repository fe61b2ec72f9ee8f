import Foundation

/// Reads this machine: `/proc` on Linux, Mach and `sysctl` on macOS.
package struct SystemHostReader: HostReader {
    private let folder: String
    let proc: String

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - folder: A folder on the volume to report.
    ///   - proc: The mount point of procfs on Linux.
    package init(folder: String, proc: String = "/proc") {
        self.folder = folder
        self.proc = proc
    }

    package func read() -> HostReading {
        var reading = HostReading()
        reading.processors = processors()
        reading.memory = memory()
        reading.load = load()
        reading.disk = disk()
        reading.traffic = traffic()
        return reading
    }

    /// The volume according to `statvfs`; reserved space is neither used nor free.
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
    static func system(folder: String) -> SystemHostReader { SystemHostReader(folder: folder) }
}

#if canImport(Darwin)
    extension SystemHostReader {
        func processors() -> [HostReading.CPUTicks]? {
            var count: natural_t = 0
            var numbers: processor_info_array_t?
            var length: mach_msg_type_number_t = 0
            guard
                host_processor_info(mach_host_self(), PROCESSOR_CPU_LOAD_INFO, &count, &numbers, &length)
                    == KERN_SUCCESS, let numbers
            else { return nil }
            defer {
                vm_deallocate(
                    mach_task_self_, vm_address_t(bitPattern: numbers),
                    vm_size_t(Int(length) * MemoryLayout<integer_t>.stride))
            }
            return (0..<Int(count)).map { core in
                let ticks = (0..<Int(CPU_STATE_MAX)).map { state in
                    // Never traps: the kernel returns this many numbers for each processor.
                    UInt64(truncatingIfNeeded: UInt32(bitPattern: numbers[core * Int(CPU_STATE_MAX) + state]))
                }
                let total = ticks.reduce(0, +)
                return .init(busy: total - ticks[Int(CPU_STATE_IDLE)], total: total)
            }
        }

        func memory() -> HostReading.Level? {
            var total: UInt64 = 0
            var size = MemoryLayout<UInt64>.size
            guard sysctlbyname("hw.memsize", &total, &size, nil, 0) == 0 else { return nil }
            var pages = vm_statistics64()
            var count = mach_msg_type_number_t(
                MemoryLayout<vm_statistics64>.size / MemoryLayout<integer_t>.size)
            // Unsafe memory: the kernel receives the size of the buffer.
            let result = withUnsafeMutablePointer(to: &pages) { pointer in
                pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    host_statistics64(mach_host_self(), HOST_VM_INFO64, $0, &count)
                }
            }
            guard result == KERN_SUCCESS else { return nil }
            let used = [pages.active_count, pages.wire_count, pages.compressor_page_count].reduce(0 as UInt64) {
                $0 &+ UInt64(truncatingIfNeeded: $1)
            }
            return .init(used: Int64(used) * Int64(getpagesize()), total: Int64(total))
        }

        func load() -> [Double]? {
            var averages = [Double](repeating: 0, count: 3)
            return getloadavg(&averages, 3) == 3 ? averages : nil
        }

        func traffic() -> HostReading.Traffic? {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&list) == 0 else { return nil }
            defer { freeifaddrs(list) }
            var received: UInt64 = 0
            var sent: UInt64 = 0
            var next = list
            while let entry = next?.pointee {
                next = entry.ifa_next
                guard
                    entry.ifa_addr?.pointee.sa_family == UInt8(clamping: AF_LINK),
                    Int32(truncatingIfNeeded: entry.ifa_flags) & IFF_LOOPBACK == 0,
                    let data = entry.ifa_data?.assumingMemoryBound(to: if_data.self).pointee
                else { continue }
                received &+= UInt64(truncatingIfNeeded: data.ifi_ibytes)
                sent &+= UInt64(truncatingIfNeeded: data.ifi_obytes)
            }
            return .init(received: received, sent: sent)
        }
    }
#endif

#if os(Linux) || os(Android)
    extension SystemHostReader {
        func processors() -> [HostReading.CPUTicks]? { text("stat").flatMap(ProcText.processors(stat:)) }
        func memory() -> HostReading.Level? { text("meminfo").flatMap(ProcText.memory(meminfo:)) }
        func load() -> [Double]? { text("loadavg").flatMap(ProcText.load(loadavg:)) }
        func traffic() -> HostReading.Traffic? { text("net/dev").flatMap(ProcText.traffic(netdev:)) }

        private func text(_ file: String) -> String? {
            guard let handle = FileHandle(forReadingAtPath: proc + "/" + file) else { return nil }
            defer { handle.closeFile() }
            do { return try handle.read(upToCount: 1_000_000).map { String(decoding: $0, as: UTF8.self) } } catch {
                return nil
            }
        }
    }
#endif

/// Parses files of Linux's `/proc` (proc(5)); pure; returns nil for unexpected formats.
enum ProcText {
    /// `/proc/stat`: a line per processor, `cpu0 user nice system idle iowait irq softirq steal …`.
    ///
    /// User time includes guest time. Stolen time counts as busy, I/O wait as idle.
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

    /// `/proc/meminfo`: used is total minus available; before Linux 3.14, total minus free and caches.
    static func memory(meminfo: String) -> HostReading.Level? {
        var kilobytes: [Substring: Int64] = [:]
        for line in meminfo.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == ":" || $0 == " " })
            // Larger values would overflow as bytes.
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

    /// `/proc/net/dev`: `eth0: <bytes received> 7 more <bytes sent> …`, summed over external interfaces.
    ///
    /// Loopback, bridges and container interfaces repeat the traffic of others.
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
