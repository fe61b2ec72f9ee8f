import Testing
import WeirAccess
import WeirStates

@testable import WeirCommand

/// What is asked of the provider's user information, and when.
@Suite(.timeLimit(.minutes(15))) struct UserInformationTests {
    @Test func `groups that the token leaves out are asked of the user information, of the same subject only`()
        async throws
    {
        let trial = try await SignInTrial()
        trial.provider.answerUserInfo(["sub": "7", "name": "Not Ana", "groups": ["night"]])
        let signIn = try await trial.signIn(["groups": nil])
        #expect(signIn.person.groups == ["night"] && signIn.person.name == "Ana")
        #expect(trial.provider.requests.last?.authorization == "Bearer at")
        trial.provider.advance(milliseconds: 61_000)
        trial.provider.answerUserInfo(["sub": "8", "groups": ["admins"]])
        #expect(try await !trial.signIn(["groups": nil]).hasGroups)
    }

    @Test func `somebody of whom the token says next to nothing has the name and groups of the user information`()
        async throws
    {
        let trial = try await SignInTrial()
        trial.provider.answerUserInfo(["sub": "7", "name": "Ana Lima", "groups": ["night"]])
        let person = try await trial.signIn(["name": nil, "groups": nil]).person
        #expect(person.name == "Ana Lima" && person.groups == ["night"])
    }

    @Test func `a token that has the name and the groups is enough, and a sign-in asks for no more`() async throws {
        let trial = try await SignInTrial()
        trial.provider.answerUserInfo(["sub": "7", "name": "Not Ana", "groups": ["night"]])
        let person = try await trial.signIn().person
        #expect(person.name == "Ana" && person.groups == ["ops"])
        #expect(trial.provider.count("https://id.example/userinfo") == 0)
    }
}
