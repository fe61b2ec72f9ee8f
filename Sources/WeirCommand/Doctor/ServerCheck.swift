import CInstallation
import Foundation
import WeirStates

/// Examines the server: whether it answers, its version, its condition, and the port if it does not run.
struct ServerCheck {
    struct Result {
        var findings: [Finding] = []
        var isAnswering = false
        /// The difference between the server's clock and this one, in milliseconds.
        var skew: Int64?
    }

    let settings: Settings
    let folder: DataFolder
    let record: ServerRecord?

    private var host: String { settings.text("host") ?? "127.0.0.1" }
    private var port: Int { settings.integer("port") ?? 8_080 }

    func examine() async -> Result {
        guard let url = record?.url ?? (port > 0 ? settings.localURL(port: port) : nil) else {
            return Result(findings: [Finding("server", .good, "No server runs. The port is chosen at each start.")])
        }
        var result = Result()
        do {
            try await DoctorClient.with(url, verifies: false) { client in
                let live = try await client.get("health/live")
                guard live.status == 200, live.body?["status"]?.string == "live" else {
                    result.findings.append(foreign())
                    return
                }
                (result.isAnswering, result.skew) = (true, live.skew)
                result.findings += versions(url)
                result.findings += standing(try await client.get("health/ready"), url)
            }
        } catch {
            result.findings += silent(url, DoctorClient.words(error))
        }
        return result
    }

    private func versions(_ url: String) -> [Finding] {
        guard let record else {
            return [
                Finding(
                    "server", .failure,
                    "A Weir answers at \(url), but it does not use the data folder \(folder.url.path).",
                    remedy: "Name its data folder with --data, or give this server another port with --port.")
            ]
        }
        return [VersionCheck(record).finding()]
    }

    private func standing(_ ready: DoctorClient.Answer, _ url: String) -> [Finding] {
        guard ready.status == 200 else {
            let detail = ready.body?["detail"]?.string ?? "it answers with \(ready.status)"
            return [
                Finding(
                    "server", .failure, "The server at \(url) is not ready: \(detail)",
                    remedy: "The log of the server says more.")
            ]
        }
        let conditions = (ready.body?["conditions"]?.array ?? []).compactMap(\.string)
        guard conditions.isEmpty else {
            return [
                Finding(
                    "server", .warning, "The server at \(url) reports: \(conditions.joined(separator: ", ")).",
                    remedy: "The system page says more: \(url)system")
            ]
        }
        return [Finding("server", .good, "The server answers at \(url), and records.")]
    }

    private func silent(_ url: String, _ reason: String) -> [Finding] {
        if let record {
            return [
                Finding(
                    "server", .failure,
                    "The server, process \(record.process), does not answer at \(url): \(reason).",
                    remedy: "Look at its log. If it stays so, end the process, and start the server again.")
            ]
        }
        let code = cinstallation_can_listen(host, "\(port)")
        switch code {
        case 0: return [Finding("server", .good, "No server runs, and port \(port) of \(host) is free.")]
        case EADDRINUSE: return [foreign()]
        case EACCES, EPERM:
            return [
                Finding(
                    "port", .failure, "Port \(port) is for privileged processes, and this user is not one.",
                    remedy:
                        "Use a port from 1024 on, or let systemd pass the socket: systemctl enable --now weir.socket")
            ]
        case EADDRNOTAVAIL:
            return [
                Finding(
                    "port", .failure, "\(host) is not an address of this machine.",
                    remedy: "Set host to one of them (ip address), to 127.0.0.1, or to 0.0.0.0.")
            ]
        default:
            return [
                Finding(
                    "port", .failure,
                    "The server cannot listen on \(host), port \(port): \(String(cString: strerror(code))).",
                    remedy: "Check the settings host and port.")
            ]
        }
    }

    private func foreign() -> Finding {
        let holder = PortHolder.find(port: port)
        let name = holder.map { "\($0.name), process \($0.process)," } ?? "another process"
        let search = holder == nil ? "Find it as root: ss -ltnp sport = :\(port). " : ""
        return Finding(
            "port", .failure, "Port \(port) of \(host) is taken: \(name) listens on it.",
            remedy: "\(search)End it, or choose another port with --port.")
    }
}

/// The process that listens on a port.
struct PortHolder: Hashable {
    let process: Int32
    let name: String

    /// Finds it in `/proc`; returns nil elsewhere, and if it belongs to another user.
    static func find(port: Int) -> PortHolder? {
        let inodes = Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeners(in: text($0), port: port) })
        guard !inodes.isEmpty, let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else {
            return nil
        }
        for process in names.compactMap({ Int32($0) }) {
            let folder = "/proc/\(process)/fd"
            guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else { continue }
            let isHolder = files.contains { file in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")
                return target.map { inodes.contains($0) } ?? false
            }
            guard isHolder else { continue }
            let name = text("/proc/\(process)/comm").trimmingCharacters(in: .whitespacesAndNewlines)
            return PortHolder(process: process, name: name)
        }
        return nil
    }

    /// The sockets that listen on a port, as `/proc/PID/fd` names them.
    static func listeners(in table: String, port: Int) -> [String] {
        table.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", let place = fields[1].split(separator: ":").last,
                Int(place, radix: 16) == port
            else { return nil }
            return "socket:[\(fields[9])]"
        }
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
