import Foundation
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing
import TestSupport

@testable import WeirWeb

/// The certificate of a server, which can be replaced while it runs.
@Suite(.timeLimit(.minutes(15))) struct ServerCertificateTests {
    /// A folder with the files of a certificate.
    private struct Files {
        let folder: URL
        var chain: URL { folder.appending(path: "chain.pem") }
        var key: URL { folder.appending(path: "key.pem") }

        func write(_ certificate: SelfSigned) throws {
            try certificate.chainPEM().write(to: chain, atomically: true, encoding: .utf8)
            try certificate.keyPEM.write(to: key, atomically: true, encoding: .utf8)
        }

        func open() throws -> ServerCertificate { try ServerCertificate(chain: chain.path, key: key.path) }
    }

    private func withFiles(_ test: (Files) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-certificate-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        try test(Files(folder: folder))
    }

    /// The number of the certificate that a client is shown who connects.
    private func shown(by context: NIOSSLContext) throws -> [UInt8]? {
        let loop = EmbeddedEventLoop()
        var wishes = TLSConfiguration.makeClientConfiguration()
        wishes.certificateVerification = .none
        let handler = try NIOSSLClientHandler(context: NIOSSLContext(configuration: wishes), serverHostname: nil)
        let client = EmbeddedChannel(handler: handler, loop: loop)
        let server = EmbeddedChannel(handler: NIOSSLServerHandler(context: context), loop: loop)
        let address = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        server.connect(to: address, promise: nil)
        client.connect(to: address, promise: nil)
        var isMoving = true
        while isMoving {
            isMoving = false
            while let bytes = try client.readOutbound(as: ByteBuffer.self) {
                try server.writeInbound(bytes)
                isMoving = true
            }
            loop.run()
            while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                try client.writeInbound(bytes)
                isMoving = true
            }
            loop.run()
        }
        return try client.pipeline.syncOperations.nioSSL_peerCertificate()?.serialNumber
    }

    @Test func `a certificate that was replaced is shown to whoever connects next`() throws {
        try withFiles { files in
            try files.write(SelfSigned(serial: 1))
            let certificate = try files.open()
            let context = try NIOSSLContext(configuration: certificate.configuration())
            #expect(try shown(by: context) == [1])
            try files.write(SelfSigned(serial: 2))
            #expect(try shown(by: context) == [1])
            try certificate.reload()
            #expect(try shown(by: context) == [2])
        }
    }

    @Test func `files that are no certificate and its key are refused, and the one of before stays in force`() throws {
        try withFiles { files in
            #expect(throws: WebConfigurationError.certificate) { try files.open() }
            try files.write(SelfSigned(serial: 1))
            let certificate = try files.open()
            let context = try NIOSSLContext(configuration: certificate.configuration())
            for (file, text) in [
                (files.key, SelfSigned(serial: 2).keyPEM), (files.chain, ""), (files.chain, "nonsense"),
            ] {
                try text.write(to: file, atomically: true, encoding: .utf8)
                #expect(throws: WebConfigurationError.certificate) { try certificate.reload() }
                #expect(try shown(by: context) == [1])
            }
            try files.write(SelfSigned(serial: 1))
            try FileManager.default.removeItem(at: files.key)
            let pipe = try NamedPipe(at: files.key)
            #expect(throws: WebConfigurationError.certificate) { try certificate.reload() }
            withExtendedLifetime(pipe) {}
        }
    }
}
