import Foundation
import NIOCore
import NIOPosix
import NIOSSL
package import WeirBoards
import WeirFlows
package import WeirStandard
import WeirStates

/// A mail server, and the sender of the messages that it takes.
package struct MailServer: Sendable {
    package let host: String
    let port: WeirStandard.Port
    let security: MailSecurity
    let sender: MailAddress
    /// A PEM file with root certificates that are trusted besides those of this machine.
    private let roots: String?
    private let credentials: @Sendable () throws -> MailCredentials?

    /// Creates a description, which connects nowhere.
    ///
    /// `credentials` is called for each message; it can block, and throws ``Unknown`` if they cannot be read.
    package init(
        host: String, port: WeirStandard.Port, security: MailSecurity, sender: MailAddress, roots: String? = nil,
        credentials: @escaping @Sendable () throws -> MailCredentials?
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.sender = sender
        self.roots = roots
        self.credentials = credentials
    }

    /// The user's password cannot be read; the text says why and what to do.
    package struct Unknown: Error, CustomStringConvertible {
        package let description: String
        package init(_ description: String) { self.description = description }
    }

    var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Sends a message within a time limit for the whole exchange, and returns what became of it.
    ///
    /// Throws ``MailFailure``, and `CancellationError` at once on cancellation.
    func send(
        _ message: MailMessage?, in environment: OperationEnvironment, within limit: Duration
    ) async throws -> MailOutcome {
        let outcome = try await withTimeLimit(limit, clock: environment.clock) {
            let (credentials, context) = try await WorkPool.files.run { (try self.credentials(), try self.context()) }
            do {
                return try await reach(message, credentials, context, environment.resolver)
            } catch let failure as MailFailure {
                throw failure.masking(credentials)
            }
        }
        guard let outcome else {
            try Task.checkCancellation()
            throw MailFailure(
                sentence:
                    "The mail server \(place) did not take the message within \(limit.components.seconds) s. Check "
                    + "mail.server and mail.security.")
        }
        return outcome
    }

    /// Sends a text to one receiver; returns why the server did not take it, or nil.
    package func send(
        _ content: NotificationMail, to receiver: MailAddress, delivery: String, at time: Int64,
        in environment: OperationEnvironment, within limit: Duration
    ) async -> String? {
        let message = MailMessage(
            content: content, sender: sender, receivers: [receiver], delivery: delivery, at: time)
        do {
            let outcome = try await send(message, in: environment, within: limit)
            return (outcome.refused + outcome.deferred).first.map { "\($0.receiver) was refused: \($0.words)" }
        } catch let failure as MailFailure {
            return failure.sentence
        } catch let unknown as Unknown {
            return unknown.description
        } catch {
            return "The message could not be sent. Check mail.server and mail.ca-file."
        }
    }

    /// Connects and signs in within a time limit, and sends nothing; returns why messages cannot be sent, or nil.
    package func fault(in environment: OperationEnvironment, within limit: Duration) async -> String? {
        do {
            _ = try await send(nil, in: environment, within: limit)
            return nil
        } catch {
            return (error as? MailFailure)?.sentence ?? "\(error)"
        }
    }

    /// Tries the host's addresses in order until one accepts a connection.
    private func reach(
        _ message: MailMessage?, _ credentials: MailCredentials?, _ context: NIOSSLContext?,
        _ resolver: any NameResolver
    ) async throws -> MailOutcome {
        let addresses: [String]
        do {
            addresses = IPAddress(host) == nil ? try await resolver.addresses(of: host) : [host]
        } catch let failure as HTTPFailure {
            throw MailFailure(sentence: failure.description)
        }
        var failure = MailFailure(sentence: HTTPFailure.nameNotFound(host: host).description)
        for address in addresses {
            do {
                return try await exchange(message, credentials, context, at: address)
            } catch let error as NotConnected {
                failure = MailFailure(sentence: error.failure.description)
            }
        }
        throw failure
    }

    private struct NotConnected: Error {
        let failure: HTTPFailure
    }

    private func exchange(
        _ message: MailMessage?, _ credentials: MailCredentials?, _ context: NIOSSLContext?, at address: String
    ) async throws -> MailOutcome {
        let result = OneShot<Result<MailOutcome, any Error>>()
        let name = IPAddress(host) == nil ? host : nil
        let encrypt = { @Sendable () throws -> NIOSSLClientHandler in
            guard let context else { throw MailFailure(sentence: "TLS is not configured.") }
            return try NIOSSLClientHandler(context: context, serverHostname: name)
        }
        let opening = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(30))
            .channelInitializer { [security] channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = SMTPHandler { client in
                        SMTPDialogue(message, as: client, credentials: credentials, security: security)
                    } encrypt: {
                        try encrypt()
                    } finish: {
                        result.send($0)
                    }
                    let pipeline = channel.pipeline.syncOperations
                    if security == .tls { try pipeline.addHandler(encrypt()) }
                    try pipeline.addHandler(handler)
                }
            }
            .connect(to: try SocketAddress(ipAddress: address, port: Int(port.number)))
        opening.whenFailure { error in
            let code = (error as? IOError)?.errnoCode
            result.send(
                .failure(
                    NotConnected(failure: .ofConnecting(to: address, port: Int(port.number), code: code))))
        }
        let answer = await withTaskCancellationHandler {
            await result.value()
        } onCancel: {
            result.send(.failure(CancellationError()))
            opening.whenSuccess { $0.close(promise: nil) }
        }
        do {
            return try answer.get()
        } catch {
            throw explained(error)
        }
    }

    private func explained(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is NotConnected, is MailFailure: return error
        case is IOError, is ChannelError:
            return MailFailure(sentence: "The connection to the mail server \(place) was lost.")
        default:
            let text = "\(error)"
            let reason =
                if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
                    "Its certificate is not trusted here. Check its name, its date and its issuer; mail.ca-file names a private "
                        + "issuer."
                } else {
                    "The handshake failed. Check mail.security: port 465 takes tls, port 587 starttls."
                }
            return MailFailure(sentence: "No secure connection to the mail server \(place). \(reason)")
        }
    }

    /// The configuration of TLS; blocks on files.
    private func context() throws -> NIOSSLContext? {
        guard security != .none else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        do {
            if let roots {
                let bytes = Array(try RegularFile.bytes(of: roots, limit: 1 << 20))
                configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(bytes))]
            }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw MailFailure(sentence: "The certificates of mail.ca-file cannot be read. Name a PEM file.")
        }
    }
}

extension MailFailure {
    /// The failure without the password, which a server could repeat.
    fileprivate func masking(_ credentials: MailCredentials?) -> MailFailure {
        guard let credentials else { return self }
        let encoded = [credentials.password, "\0\(credentials.user)\0\(credentials.password)"].map {
            Data($0.utf8).base64EncodedString()
        }
        return MailFailure(
            sentence: SecretMask([credentials.password] + encoded).masked(sentence), mayPass: mayPass)
    }
}
