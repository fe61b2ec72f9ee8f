package import Foundation
import NIOSSL

/// Root certificates with which a provider's certificate may be signed, besides those that this machine trusts.
package struct TrustedRoots: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Reads certificates in PEM; nil if there is none, or one cannot be read.
    package init?(pem: Data) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem)), !certificates.isEmpty else {
            return nil
        }
        self.certificates = certificates
    }
}
