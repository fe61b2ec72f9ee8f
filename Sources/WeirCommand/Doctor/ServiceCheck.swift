import Foundation
import WeirFiles
import WeirStates

/// Examines what the machine gives the server: open files, its helper, and its service unit.
struct ServiceCheck {
    private static let fewFiles = 4_096
    private static let manyRestarts = 3

    let settings: Settings
    let record: ServerRecord?

    func findings() -> [Finding] { [files(), helper()].compactMap(\.self) + unit() }

    /// The limit of the running server, or else the one that it would have.
    private func files() -> Finding? {
        let limit = record.map { Self.limit(in: "/proc/\($0.process)/limits") } ?? FileLimit.attainable
        guard let limit else { return nil }
        let wanted = settings.integer("connections.count").map { $0 + $0 / 3 } ?? 0
        let remedy = "Raise it: LimitNOFILE= in the unit, or ulimit -n in the shell."
        if limit < wanted {
            return Finding(
                "files", .failure,
                "The server can have \(limit) files open, and connections.count needs about \(wanted).", remedy: remedy)
        }
        guard limit >= Self.fewFiles else {
            return Finding(
                "files", .warning,
                "The server can have \(limit) files open. Each open page takes one, so at most "
                    + "\(FileLimit.connections(files: limit)) connections are accepted.",
                remedy: remedy)
        }
        return Finding("files", .good, "The server can have \(limit) files open.")
    }

    private static func limit(in path: String) -> Int? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
    }

    private func helper() -> Finding {
        do {
            let helper = try CommandHelper()
            return Finding("programs", .good, "Programs are run by \(helper.path).")
        } catch {
            return Finding(
                "programs", .failure, "\(error)", remedy: "Install the whole package again; its files belong together.")
        }
    }

    // MARK: systemd

    /// What systemd says of the unit `weir`; nothing on a machine without systemd or without the unit.
    private func unit() -> [Finding] {
        guard FileManager.default.fileExists(atPath: "/run/systemd/system"), let facts = Self.show("weir.service"),
            facts["LoadState"] == "loaded"
        else { return [] }
        return Self.findings(of: facts)
    }

    static func findings(of facts: [String: String]) -> [Finding] {
        var findings: [Finding] = []
        if facts["ActiveState"] == "failed" {
            findings.append(
                Finding(
                    "service", .failure, "The service weir has failed (\(facts["Result"] ?? "unknown")).",
                    remedy: "journalctl -u weir says why. After the correction: systemctl restart weir"))
        }
        if let restarts = facts["NRestarts"].flatMap({ Int($0) }), restarts >= manyRestarts {
            findings.append(
                Finding(
                    "service", .warning, "systemd has restarted the service weir \(restarts) times.",
                    remedy: "journalctl -u weir says why."))
        }
        if facts["UnitFileState"] == "disabled" {
            findings.append(
                Finding(
                    "service", .warning, "The service weir does not start with the machine.",
                    remedy: "systemctl enable weir"))
        }
        guard findings.isEmpty else { return findings }
        return [Finding("service", .good, "The service weir is \(facts["ActiveState"] ?? "known").")]
    }

    private static func show(_ unit: String) -> [String: String]? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "timeout", "5", "systemctl", "show", unit, "-p",
            "LoadState,ActiveState,Result,NRestarts,UnitFileState",
        ]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return facts(text)
    }

    static func facts(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { $1 }
    }
}
