#if os(Linux) || os(Android)
    import Foundation

    extension SystemHostReader {
        func processors() -> [HostReading.CPUTicks]? { text("stat").flatMap(ProcText.processors(stat:)) }
        func memory() -> HostReading.Level? { text("meminfo").flatMap(ProcText.memory(meminfo:)) }
        func load() -> [Double]? { text("loadavg").flatMap(ProcText.load(loadavg:)) }
        func traffic() -> HostReading.Traffic? { text("net/dev").flatMap(ProcText.traffic(netdev:)) }

        /// A file's text; nil if there is none to read, which is what a series that is left out says.
        private func text(_ file: String) -> String? {
            guard let handle = FileHandle(forReadingAtPath: proc + "/" + file) else { return nil }
            defer { handle.closeFile() }
            do { return try handle.read(upToCount: 1_000_000).map { String(decoding: $0, as: UTF8.self) } } catch {
                return nil
            }
        }
    }
#endif
