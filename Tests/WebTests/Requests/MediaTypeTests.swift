import Testing

@testable import Web

struct MediaTypeTests {
    @Test func `types and parameters are read whatever their spelling`() {
        #expect(MediaType("Application/JSON; charset=utf-8")?.isJSON == true)
        #expect(MediaType("application/problem+json")?.isJSON == true)
        #expect(MediaType("multipart/form-data; boundary=\"a;b\\\"c\"")?.parameters["boundary"] == "a;b\"c")
        #expect(MediaType("multipart/form-data;Boundary=x")?.parameters["boundary"] == "x")
        #expect(MediaType(firstOf: "application/json, text/html;q=0.9")?.isJSON == true)
        #expect(MediaType(firstOf: "text/html, application/json")?.isJSON == false)
        #expect(MediaType("nonsense") == nil)
        #expect(MediaType("") == nil)
        #expect(MediaType(nil) == nil)
    }

    @Test func `a preference for waiting is read, and never refused`() {
        #expect(FeedChanges.wait(preferredBy: "wait=25") == 25)
        #expect(FeedChanges.wait(preferredBy: "respond-async, wait = 5") == 5)
        #expect(FeedChanges.wait(preferredBy: "wait=9999") == FeedChanges.longestWait)
        #expect(FeedChanges.wait(preferredBy: "wait=x") == nil)
        #expect(FeedChanges.wait(preferredBy: nil) == nil)
    }
}
