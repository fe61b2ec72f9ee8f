import Testing

@testable import WeirWeb

struct RequestTargetTests {
    private let root = MountPath("/")
    private let ops = MountPath("ops/")

    @Test func `a path is taken apart below the mount path`() throws {
        #expect(try RequestTarget("/", mount: root).segments == [])
        #expect(try RequestTarget("/runs/a%20b?x=1&y=a+b&z", mount: root).segments == ["runs", "a b"])
        #expect(
            try RequestTarget("/runs?x=1&y=a+b%2B&z", mount: root).query.dictionary == ["x": "1", "y": "a b+", "z": ""])
        #expect(try RequestTarget("/ops", mount: ops).segments == [])
        #expect(try RequestTarget("/ops/", mount: ops).segments == [])
        #expect(try RequestTarget("/ops/runs", mount: ops).segments == ["runs"])
        #expect(throws: RequestTarget.Mistake.outside) { try RequestTarget("/opsx", mount: ops) }
        #expect(throws: RequestTarget.Mistake.outside) { try RequestTarget("/", mount: ops) }
        #expect(throws: RequestTarget.Mistake.outside) { try RequestTarget("", mount: root) }
    }

    @Test(arguments: [
        "/assets/..", "/assets/../x", "/assets/%2e%2e/x", "/assets/%2E./x", "/assets//x", "/assets/.",
        "/assets/a%2fb", "/assets/a%5cb", "/assets/a%00", "/assets/%", "/assets/%4", "/assets/%zz", "/assets/%ff",
        "/assets/a\u{7f}", "/?a=%", "/?%zz=1", "/assets/%c0%ae%c0%ae/x",
    ])
    func `a path that hides something is malformed`(path: String) {
        #expect(throws: RequestTarget.Mistake.malformed) { try RequestTarget(path, mount: root) }
    }

    @Test func `slashes at the end of a path are known, and not a segment`() throws {
        let paths = [
            ("/runs/", root, "/runs"), ("/runs//?a=/", root, "/runs?a=/"), ("//", root, "/"),
            ("/ops//", ops, "/ops"), ("/ops/runs/?x=1", ops, "/ops/runs?x=1"),
        ]
        for (path, mount, plain) in paths {
            let target = try RequestTarget(path, mount: mount)
            #expect(target.hasTrailingSlash && target.withoutTrailingSlash == plain, "\(path)")
        }
        for path in ["/", "/runs", "/runs?a=/"] {
            #expect(try !RequestTarget(path, mount: root).hasTrailingSlash, "\(path)")
        }
        #expect(throws: RequestTarget.Mistake.malformed) { try RequestTarget("//evil.example/", mount: root) }
    }

    @Test func `every address of the map is a route, and others are none`() {
        let addresses: [String: Route] = [
            "": .page(.overview), "operations/greeting": .page(.operation("greeting")), "runs": .page(.runs),
            "runs/01j": .page(.run("01j")), "operations/greeting/runs": .operationRuns("greeting"),
            "runs/01j/cancellation": .runCancellation("01j"), "runs/01j/retries": .runRetries("01j"),
            "runs/r/decision": .runDecision("r"),
            "gallery": .gallery, "api": .apiGuide, "system": .system, "after/e.1": .pageAfter(.overview, cursor: "e.1"),
            "operations/greeting/after/e.1": .pageAfter(.operation("greeting"), cursor: "e.1"),
            "runs/after/e.1": .pageAfter(.runs, cursor: "e.1"),
            "runs/01j/after/e.1": .pageAfter(.run("01j"), cursor: "e.1"),
            "assets/icons/ok.svg": .asset(["icons", "ok.svg"]), "health/live": .healthLive,
            "health/ready": .healthReady,
            "health/connection": .healthConnection,
            "hello": .hello, "live/1/board/snap": .poll,
        ]
        for (path, route) in addresses {
            #expect(Route(path.split(separator: "/").map(String.init)) == route, "\(path)")
        }
        for path in [
            "operations", "x", "runs/a/b", "api/v1", "api/v2/runs", "live/2/board/snap", "health", "assets",
        ] {
            #expect(Route(path.split(separator: "/").map(String.init)) == nil, "\(path)")
        }
    }
}
