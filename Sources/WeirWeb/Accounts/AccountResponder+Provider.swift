import HTTPTypes
import Hummingbird
import Logging
import WeirAccess
import WeirPages
import WeirStates

extension AccountResponder {
    /// Sends the browser to the identity provider.
    func startProvider(_ visit: Visit) async throws(Problem) -> Response {
        guard let provider = accounts.provider else { throw .noSuchPage }
        do throws(IdentityProviderError) {
            let (url, secret) = try await provider.begin(back: visit.target.query["back"] ?? "")
            var response = Response.seeOther(url)
            response.headers[values: .setCookie] = [directory.cookie.passing(secret)]
            return response
        } catch {
            return failed(error, visit)
        }
    }

    /// Takes the browser back from the identity provider.
    func endProvider(_ visit: Visit) async throws(Problem) -> Response {
        guard let provider = accounts.provider else { throw .noSuchPage }
        do {
            let fields = visit.target.query.fields
            guard Set(fields.map(\.name)).count == fields.count else {
                throw IdentityProviderError(.failed, "A parameter came twice.")
            }
            let secret = directory.cookie.passed(in: visit.request.headers[values: .cookie])
            let signIn = try await visit.whileConnected {
                try await provider.complete(visit.target.query.dictionary, secret: secret, from: visit.origin.address)
            }
            try requireRole(signIn)
            let session = try await directory.begin(signIn.person, from: visit.origin, replacing: session(visit))
            var response = enter(session, to: signIn.back)
            response.headers[values: .setCookie].append(directory.cookie.passingOver)
            return response
        } catch let error as IdentityProviderError {
            return failed(error, visit)
        } catch let error as AccessError {
            throw Problem(error)
        } catch {
            throw .internalError
        }
    }

    /// Without groups, whoever has no role by another grant would be signed in to see nothing, and not know why.
    private func requireRole(_ signIn: ProviderSignIn) throws(IdentityProviderError) {
        guard !signIn.hasGroups else { return }
        let principal = Principal(.person, name: signIn.person.name, identity: signIn.person.identity)
        guard !directory.control.authorize(principal).permissions.allowsAnywhere(.see) else { return }
        throw IdentityProviderError(
            .groups, "The provider named no groups of \(signIn.person.identity), who has no role by another grant.")
    }

    private func failed(_ error: IdentityProviderError, _ visit: Visit) -> Response {
        // Anybody can come back with what is no good, as often as they like; everything else is news to the operator.
        dashboard.logger.log(
            level: error.kind == .stale ? .debug : .warning,
            "The identity provider did not sign somebody in.", metadata: ["cause": "\(Quoted(error))"])
        directory.audit.record(
            .signIn, by: .anonymous, from: visit.origin, outcome: .refused, detail: "identity provider")
        var form = SignInForm()
        (form.takesPassword, form.hasProvider, form.mistake) = (false, true, .provider(error.kind))
        let status: HTTPResponse.Status =
            [.unreachable, .busy].contains(error.kind) ? .serviceUnavailable : .forbidden
        return page(.signIn(form), visit, status: status)
    }
}
