import Testing
import WeirStates

@testable import WeirCommand

/// Where the server shows the provider its secret.
extension OpenIDProviderTests {
    @Test(
        arguments: [
            (["client_secret_post", "private_key_jwt"], true), (["client_secret_post", "client_secret_basic"], false),
        ] as [(JSONValue, Bool)])
    func `the secret is sent in the form where the provider takes it only there`(
        methods: JSONValue, isInForm: Bool
    ) async throws {
        let trial = try await SignInTrial()
        trial.provider.set("token_endpoint_auth_methods_supported", methods)
        _ = try await trial.signIn()
        let request = try #require(trial.provider.requests.last { $0.url.hasSuffix("/token") })
        #expect((request.authorization == nil) == isInForm)
        #expect(Dictionary(request.form ?? []) { $1 }["client_secret"] == (isInForm ? "s3cr:t+&" : nil))
    }
}
