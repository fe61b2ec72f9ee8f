import Foundation
import NIOCore
import NIOSSL
import Synchronization
package import WeirJournals
import WeirStates

/// A certificate chain and its key, read from PEM files and reloadable at run time.
///
/// Open connections keep their certificate.
package final class ServerCertificate: Sendable {
    private struct Material: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        /// When a certificate of the chain ends, in seconds since 1970.
        let end: Int64
    }

    private static let limit = 1 << 20

    private let chain: String
    private let key: String
    private let material: Mutex<Material>

    /// Reads the files.
    ///
    /// Throws `WebConfigurationError` if they are not a certificate and its key.
    package init(chain: String, key: String) throws {
        self.chain = chain
        self.key = key
        material = Mutex(try Self.read(chain, key))
    }

    /// Reads the files again; on an error, the previous certificate stays in use.
    ///
    /// Throws `WebConfigurationError` if they are not a certificate and its key.
    package func reload() throws {
        let fresh = try Self.read(chain, key)
        material.withLock { $0 = fresh }
    }

    /// When the first of its certificates ends.
    package var end: Timestamp {
        let (milliseconds, isOver) = material.withLock { $0.end }.multipliedReportingOverflow(by: 1_000)
        return Timestamp(milliseconds: isOver ? .max : milliseconds)
    }

    func configuration() -> TLSConfiguration {
        let first = material.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: first.chain, privateKey: first.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.sslContextCallback = { [self] _, promise in
            let current = material.withLock { $0 }
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = current.chain
            override.privateKey = current.key
            promise.succeed(override)
        }
        return configuration
    }

    private static func read(_ chain: String, _ key: String) throws -> Material {
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(Array(RegularFile.bytes(of: chain, limit: limit)))
            guard !certificates.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
            let material = Material(
                chain: certificates.map { .certificate($0) },
                key: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(RegularFile.bytes(of: key, limit: limit)), format: .pem)),
                end: certificates.map { Int64($0.notValidAfter) }.min() ?? .max)
            // Checks that the key belongs to the certificate.
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: material.chain, privateKey: material.key))
            return material
        } catch {
            throw WebConfigurationError.certificate
        }
    }
}
