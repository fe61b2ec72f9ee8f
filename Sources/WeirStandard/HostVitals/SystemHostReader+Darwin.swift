#if canImport(Darwin)
    import Darwin

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
