import NIOCore
import NIOHTTP1

/// Evaluates the parts of a request's head that the types after the HTTP/1 codec drop: the authority of a target in absolute
/// form (`GET http://name/path`), and the version.
///
/// If `Host` differs from the authority, a second `Host` is added, which `RequestCheck` refuses (RFC 9112, section 3.2.2). If
/// the parser ends the connection after the request, `Connection` becomes exactly `close`, so that the answer says so.
final class ParsedHeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        if let host = head.headers["Host"].first, !Self.agrees(head.uri, with: host) {
            head.headers.add(name: "Host", value: "-")
        }
        if Self.endsConnection(head) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    static func agrees(_ target: String, with host: String) -> Bool {
        if target.hasPrefix("/") || target == "*" { return true }
        let lowercased = target.lowercased()
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where lowercased.hasPrefix(scheme) {
            let authority = lowercased.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
            let names = [String(authority), host.lowercased()]
                .map { $0.hasSuffix(port) ? String($0.dropLast(port.count)) : $0 }
            return names[0] == names[1]
        }
        return false
    }

    /// Whether NIO's parser refuses every byte after this request.
    ///
    /// An answer without `Connection: close` invites a proxy to send its next request on the same connection, such as nginx with
    /// `proxy_http_version 1.0`. The parser also reads `Proxy-Connection`.
    static func endsConnection(_ head: HTTPRequestHead) -> Bool {
        let isOld = head.version != .http1_1
        guard isOld || head.headers.contains(name: "Connection") || head.headers.contains(name: "Proxy-Connection")
        else { return false }
        let options = (head.headers[canonicalForm: "Connection"] + head.headers[canonicalForm: "Proxy-Connection"])
            .map { $0.lowercased() }
        return isOld ? !options.contains("keep-alive") : options.contains("close")
    }

    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            do {
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(ParsedHeadCheck(), position: .after(decoder))
            } catch {
                // HTTP/2 has neither.
            }
        }
    }
}
