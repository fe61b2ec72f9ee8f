import HTTPTypes
import NIOCore
import WeirAccess

/// How a dashboard knows who sends a request, whichever way it comes in.
struct AccessCheck: Sendable {
    /// What is known of a request on the event loop of its connection.
    enum Answer: Sendable {
        case authorized(Authorization)
        case refused
        case askRoute
    }

    /// What everybody may do.
    let control: AccessControl
    /// Whether nobody is asked who they are, and all may do everything.
    let isOpen: Bool
    /// Whether what `onEventLoop` says of a tail holds also where nobody is asked.
    var mayAnswerTails = false
    /// Who sends a tail with the fields of one that was authorized before, where nobody is asked; nil where each is looked at.
    var anybody: Authorization?
    /// Who sends a tail, before any middleware of the server is asked.
    let onEventLoop: @Sendable (HTTPRequest, SocketAddress?) -> Answer

    /// Whether what an audience is shown is shown to everybody, also to whoever is not known.
    func isPublic(_ audience: Audience) -> Bool {
        isOpen || control.isAnonymous(audience)
    }

    /// The same for a server of our own, which has no middleware that must be asked.
    var withoutMiddleware: AccessCheck {
        guard isOpen, !mayAnswerTails else { return self }
        let anybody = control.authorize(.localOperator)
        return AccessCheck(control: control, isOpen: true, anybody: anybody) { _, _ in .authorized(anybody) }
    }
}
