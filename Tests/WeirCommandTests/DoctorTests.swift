import Foundation
import Testing
import WeirAccess
import WeirJournals
import WeirStates

@testable import WeirCommand

@Suite struct DoctorTests {
    @Test func `the sockets that listen on a port are found among all sockets`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
               1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1
               2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
               3: broken
            """
        #expect(PortHolder.listeners(in: table, port: 8_080) == ["socket:[4711]"])
        #expect(PortHolder.listeners(in: table, port: 80).isEmpty)
    }

    @Test(arguments: [
        ("0.1.9", "which is newer", "systemctl restart weir"), ("99.0.0", "which is older", "/usr/bin/weir"),
        ("\(RootCommand.version) (0123abc)", "another commit", "Restart"),
    ])
    func `a server of another version is told with the direction`(server: String, words: String, remedy: String) {
        let finding = VersionCheck(server: server, program: "/usr/bin/weir").finding()
        #expect(finding.status == .warning && finding.sentence.contains(words))
        #expect(finding.remedy?.contains(remedy) == true)
    }

    @Test func `a server whose program file was replaced is told to restart, and another is in order`() {
        let replaced = VersionCheck(server: RootCommand.build, program: "/usr/bin/weir (deleted)").finding()
        #expect(replaced.status == .warning && replaced.sentence.contains("was replaced"))
        #expect(VersionCheck(server: RootCommand.build, program: "/usr/bin/weir").finding().status == .good)
        #expect(VersionCheck(server: RootCommand.build, program: nil).finding().status == .good)
    }

    @Test func `a service that failed, restarts again and again or is disabled is told, and another is in order`() {
        let failed = ServiceCheck.facts("ActiveState=failed\nResult=exit-code\nNRestarts=7\nUnitFileState=disabled\n")
        #expect(ServiceCheck.findings(of: failed).map(\.status) == [.failure, .warning, .warning])
        let active = ServiceCheck.facts("LoadState=loaded\nActiveState=active\nNRestarts=0\nUnitFileState=enabled\n")
        #expect(ServiceCheck.findings(of: active).map(\.status) == [.good])
    }

    @Test func `the list has a mark for each finding, a remedy below it, and the counts`() {
        let findings = [
            Finding("disk", .good, "There is room."),
            Finding("port", .failure, "It is taken.", remedy: "Take another."),
        ]
        #expect(
            findings.text == """
                ✓ disk: There is room.
                ✕ port: It is taken.
                    → Take another.
                2 findings: 1 to mend, 0 to look at.
                """)
        #expect(findings.json["ok"] == false && findings.json["findings"]?.array?.count == 2)
    }

    private func temporary(_ use: (URL) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "weir-doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
        try use(url)
    }

    @Test func `the record of a server is read while its process lives, and only that process removes it`() throws {
        try temporary { url in
            let folder = DataFolder(url)
            for (process, isRead) in [(Int32(1), true), (0, false), (-1, false)] {
                let record = ServerRecord(
                    process: process, version: "1", url: "x", startedAt: Timestamp(milliseconds: 0))
                try record.write(in: folder)
                #expect(ServerRecord.read(in: folder) == (isRead ? record : nil))
            }
            try ServerRecord(process: 1, version: "1", url: "x", startedAt: Timestamp(milliseconds: 0)).write(
                in: folder)
            ServerRecord.remove(in: folder)
            #expect(ServerRecord.read(in: folder)?.process == 1)
        }
    }

    @Test func `a data folder behind a link is in order`() throws {
        try temporary { url in
            let link = url.appending(path: "link")
            let real = url.appending(path: "real")
            try FileManager.default.createDirectory(
                at: real, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
            let findings = FolderCheck(
                folder: DataFolder(link), settings: try Settings(flags: [String: String](), environment: [:], file: nil)
            ).findings()
            #expect(!findings.hasFailures, "\(findings)")
        }
    }

    @Test func `a data folder that is a link to a disk that is not mounted is a failure`() throws {
        try temporary { url in
            let link = url.appending(path: "link")
            try FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: url.appending(path: "not mounted"))
            let findings = FolderCheck(
                folder: DataFolder(link), settings: try Settings(flags: [String: String](), environment: [:], file: nil)
            ).findings()
            #expect(findings.map(\.status) == [.failure])
            #expect(findings.first?.sentence.contains("a link to a folder that does not exist") == true)
        }
    }

    @Test func `secrets that cannot be read are a failure, and none are in order`() throws {
        try temporary { url in
            let file = url.appending(path: "secrets.json")
            #expect(FolderCheck.findings(of: KeptSecrets(file)).isEmpty)
            try Data("not json".utf8).write(to: file)
            #expect(FolderCheck.findings(of: KeptSecrets(file)).map(\.status) == [.failure])
        }
    }
}
