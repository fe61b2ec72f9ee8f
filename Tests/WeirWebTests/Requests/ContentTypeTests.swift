import Testing

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct ContentTypeTests {
    @Test func `types and parameters are read whatever their spelling`() {
        #expect(ContentType("Application/JSON; charset=utf-8")?.isJSON == true)
        #expect(ContentType("application/problem+json")?.isJSON == true)
        #expect(ContentType("multipart/form-data; boundary=\"a;b\\\"c\"")?.parameters["boundary"] == "a;b\"c")
        #expect(ContentType("multipart/form-data;Boundary=x")?.parameters["boundary"] == "x")
        #expect(ContentType(firstOf: "application/json, text/html;q=0.9")?.isJSON == true)
        #expect(ContentType(firstOf: "text/html, application/json")?.isJSON == false)
        #expect(ContentType("nonsense") == nil)
        #expect(ContentType("") == nil)
        #expect(ContentType(nil) == nil)
    }

    @Test func `a preference for waiting is read, and never refused`() {
        #expect(FeedChanges.wait(preferredBy: "wait=25") == 25)
        #expect(FeedChanges.wait(preferredBy: "respond-async, wait = 5") == 5)
        #expect(FeedChanges.wait(preferredBy: "wait=9999") == FeedChanges.longestWait)
        #expect(FeedChanges.wait(preferredBy: "wait=x") == nil)
        #expect(FeedChanges.wait(preferredBy: nil) == nil)
    }
}
