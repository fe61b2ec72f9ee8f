import NIOCore
import NIOHTTP1

/// Compares the authority of a request in absolute form (`GET http://name/path`) with its `Host`.
///
/// The types after the HTTP/1 codec keep the path of such a request and drop the authority, so this handler comes
/// before the codec. If `Host` does not name the authority, it is added as a second `Host`, which `RequestCheck`
/// refuses: the target of the request and its header disagree about which server is meant (RFC 9112, section 3.2.2).
final class AbsoluteTarget: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let host = head.headers["Host"].first,
            !Self.agrees(head.uri, with: host)
        else {
            context.fireChannelRead(data)
            return
        }
        head.headers.add(name: "Host", value: "-")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether a request target names the same server as a `Host`, or none.
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

    /// Puts an `AbsoluteTarget` before the codec of the connection that it is added to.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            do {
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandler(AbsoluteTarget(), position: .after(decoder))
            } catch {
                // Without a decoder of HTTP/1 there is no absolute form.
            }
        }
    }
}
