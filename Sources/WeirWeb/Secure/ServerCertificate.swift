import Foundation
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization
import WeirStates

/// A certificate chain and its key, as PEM files, read again without a restart.
///
/// Connections that are open keep the certificate with which they began.
package final class ServerCertificate: Sendable {
    private struct Material: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
    }

    /// The most bytes of a file.
    private static let limit = 1 << 20

    private let chain: String
    private let key: String
    private let material: Mutex<Material>

    /// Reads the files.
    ///
    /// Throws `WebConfigurationError` when they are not a certificate and the key that belongs to it.
    package init(chain: String, key: String) throws {
        self.chain = chain
        self.key = key
        material = Mutex(try Self.read(chain, key))
    }

    /// Reads the files again; what cannot be used leaves the one of before in force.
    ///
    /// Throws `WebConfigurationError` when they are not a certificate and the key that belongs to it.
    package func reload() throws {
        let fresh = try Self.read(chain, key)
        material.withLock { $0 = fresh }
    }

    /// What a server needs for TLS 1.2 and later with the certificate in force.
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
                    try NIOSSLPrivateKey(bytes: Array(RegularFile.bytes(of: key, limit: limit)), format: .pem)))
            // Says whether the key is the certificate's.
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: material.chain, privateKey: material.key))
            return material
        } catch {
            throw WebConfigurationError.certificate
        }
    }
}
