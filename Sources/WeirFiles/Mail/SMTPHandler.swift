import NIOCore
import NIOSSL

/// Carries out an ``SMTPDialogue`` on a connection, and closes it at the end.
///
/// Called on the connection's event loop.
final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let begin: (String) -> SMTPDialogue
    private let encrypt: () throws -> NIOSSLClientHandler
    private let finish: @Sendable (Result<MailOutcome, any Error>) -> Void
    private var dialogue: SMTPDialogue?
    private var reader = SMTPReplyReader()
    private var isOver = false

    /// Creates a handler.
    ///
    /// `begin` creates the session of a client with this name. `encrypt` creates the handler of TLS. `finish` is called once.
    init(
        begin: @escaping (String) -> SMTPDialogue, encrypt: @escaping () throws -> NIOSSLClientHandler,
        finish: @escaping @Sendable (Result<MailOutcome, any Error>) -> Void
    ) {
        self.begin = begin
        self.encrypt = encrypt
        self.finish = finish
    }

    func channelActive(context: ChannelHandlerContext) { dialogue = begin(Self.name(of: context.channel)) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        reader.append(unwrapInboundIn(data).readableBytesView)
        do {
            while !isOver, let reply = try reader.next(), let action = try dialogue?.take(reply) {
                try carryOut(action, context)
            }
        } catch is SMTPReplyReader.Malformed {
            end(
                .failure(
                    MailFailure(sentence: "The mail server’s answer is not SMTP. Check mail.server and mail.security.")),
                context)
        } catch {
            end(.failure(error), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.failure(error), context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(
            .failure(MailFailure(sentence: "The mail server closed the connection before it took the message.")),
            context)
        context.fireChannelInactive()
    }

    private func carryOut(_ action: SMTPDialogue.Action, _ context: ChannelHandlerContext) throws {
        switch action {
        case .send(let command): send(command, context)
        case .secure:
            // Bytes after the reply are not encrypted, so an attacker on the network could have added them.
            guard !reader.hasRest else {
                throw MailFailure(
                    sentence:
                        "The mail server sent more than its answer to STARTTLS, so nothing was sent. Check the network."
                )
            }
            try context.pipeline.syncOperations.addHandler(encrypt(), position: .first)
            if let action = dialogue?.secured() { try carryOut(action, context) }
        case .finish(let outcome):
            // Not awaited: the message is already accepted or refused.
            send("QUIT", context)
            end(.success(outcome), context)
        }
    }

    private func send(_ command: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: command + "\r\n")), promise: nil)
    }

    private func end(_ result: Result<MailOutcome, any Error>, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isOver = true
        finish(result)
        context.close(promise: nil)
    }

    /// The address literal of the connection's own end (RFC 5321, 4.1.3).
    private static func name(of channel: any Channel) -> String {
        let address = channel.localAddress?.ipAddress.map { $0.prefix { $0 != "%" } } ?? "127.0.0.1"
        return address.contains(":") ? "[IPv6:\(address)]" : "[\(address)]"
    }
}
