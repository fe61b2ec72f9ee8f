// swift-tools-version: 6.2
import PackageDescription

// Documentation/architecture.md describes each target. `.ci/run` compares every `import` with the dependencies given here.

// The commit of a package, which `weir --version` prints.
let commit = Context.environment["WEIR_COMMIT"]

let package = Package(
    name: "weir",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "WeirFlows", targets: ["WeirFlows"]),
        .library(name: "WeirOpenCombine", targets: ["WeirOpenCombine"]),
        .library(name: "WeirStores", targets: ["WeirStores"]),
        .library(name: "WeirTesting", targets: ["WeirTesting"]),
        .library(name: "MarkupTesting", targets: ["MarkupTesting"]),
        .executable(name: "weir", targets: ["WeirCommand"]),
        .executable(name: "weir-exec", targets: ["CommandHelper"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump.git", from: "1.7.3"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay.git", from: "1.13.1"),
    ],
    targets: [
        // MARK: Values
        .target(name: "WeirFlows"),
        .target(
            name: "WeirOpenCombine",
            dependencies: ["WeirFlows", .product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "WeirStates"),
        .target(name: "WeirOperations", dependencies: ["CPCRE2", "WeirFlows", "WeirStates"]),
        .target(name: "WeirStores", dependencies: ["WeirFlows", "WeirStates"]),
        .target(
            name: "WeirTelemetry",
            dependencies: [
                "WeirFlows", "WeirStates", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),

        // MARK: Storage
        .target(
            name: "WeirJournals",
            dependencies: [
                "WeirFlows", "WeirStates", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(
            name: "WeirAccess",
            dependencies: [
                "WeirFlows", "WeirJournals", "WeirStates", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "WeirPostgres",
            dependencies: ["CPostgreSQL", "WeirAccess", "WeirFlows", "WeirJournals", "WeirStates"]
        ),

        // MARK: The server
        .target(
            name: "WeirBoards",
            dependencies: [
                "WeirAccess", "WeirFlows", "WeirStates", "WeirOperations", "WeirStores", "WeirJournals",
                "WeirTelemetry",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "WeirPages",
            dependencies: [
                "WeirAccess", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStates",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.copy("../../Templates")]),
        .target(
            name: "WeirWeb",
            dependencies: [
                "CZlib", "WeirAccess", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirPages",
                "WeirStates", "WeirStores", "WeirTelemetry",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            resources: [.copy("../../Public")]),
        .target(
            name: "Weir",
            dependencies: [
                "WeirAccess", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirPages", "WeirStates",
                "WeirStores", "WeirWeb", .product(name: "Logging", package: "swift-log"),
            ]),

        // MARK: The command
        .target(
            name: "WeirStandard",
            dependencies: [
                "CMarkGFM", "CZlib", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStates",
                "WeirStores", "WeirTelemetry",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .target(
            name: "WeirFiles",
            dependencies: [
                "CProcesses", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStandard", "WeirStates",
                "WeirTelemetry",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Yams", package: "Yams"),
            ]),
        .executableTarget(name: "CommandHelper", dependencies: ["CProcesses"]),
        .executableTarget(
            name: "WeirCommand",
            dependencies: [
                "CInstallation", "CProcesses", "CZlib", "CommandHelper", "WeirAccess", "WeirBoards", "WeirFiles",
                "WeirFlows",
                "WeirJournals", "WeirOperations", "WeirPages", "WeirPostgres", "WeirStandard", "WeirStates",
                "WeirTelemetry", "WeirWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]),

        // MARK: For tests
        .target(
            name: "WeirTesting",
            dependencies: [
                "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirPages", "WeirStates", "WeirStores",
                .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                // Without it, what a `TestStore` reports reaches no test framework on Linux.
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]),
        .target(name: "MarkupTesting", dependencies: ["CLibXML2"], resources: [.copy("Schemas")]),

        // MARK: C libraries
        .target(name: "CInstallation", cSettings: commit.map { [.define("WEIR_COMMIT", to: "\"\($0)\"")] } ?? []),
        .target(name: "CProcesses"),
        .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CMarkGFM", pkgConfig: "libcmark-gfm",
            providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"]), .brew(["cmark-gfm"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // MARK: Tests
        .target(
            name: "TestSupport",
            dependencies: [
                "WeirFlows", "WeirJournals", "WeirOperations", "WeirStates",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "WeirFlowsTests", dependencies: ["TestSupport", "WeirFlows", "WeirStates"]),
        .testTarget(
            name: "WeirOpenCombineTests",
            dependencies: ["WeirFlows", "WeirOpenCombine", .product(name: "OpenCombine", package: "OpenCombine")]),
        .testTarget(name: "WeirStatesTests", dependencies: ["TestSupport", "WeirStates"]),
        .testTarget(
            name: "WeirOperationsTests", dependencies: ["TestSupport", "WeirFlows", "WeirOperations", "WeirStates"]),
        .testTarget(
            name: "WeirStoresTests",
            dependencies: [
                "TestSupport", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStates", "WeirStores",
                "WeirTesting",
            ]),
        .testTarget(
            name: "WeirTelemetryTests",
            dependencies: [
                "TestSupport", "WeirFlows", "WeirStates", "WeirTelemetry",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(
            name: "WeirJournalsTests",
            dependencies: [
                "TestSupport", "WeirJournals", "WeirPostgres", "WeirStates",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "WeirAccessTests",
            dependencies: [
                "TestSupport", "WeirAccess", "WeirFlows", "WeirJournals", "WeirPostgres", "WeirStates",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "WeirBoardsTests",
            dependencies: [
                "TestSupport", "WeirAccess", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStates",
                "WeirStores", "WeirTelemetry", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(
            name: "WeirPagesTests",
            dependencies: [
                "MarkupTesting", "TestSupport", "WeirAccess", "WeirBoards", "WeirFiles", "WeirFlows", "WeirJournals",
                "WeirOperations", "WeirPages", "WeirStandard", "WeirStates", "WeirStores",
            ], exclude: ["Documents/__Snapshots__"]),
        .testTarget(
            name: "WeirWebTests",
            dependencies: [
                "CZlib", "TestSupport", "WeirAccess", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations",
                "WeirPages", "WeirStandard", "WeirStates", "WeirStores", "WeirTelemetry", "WeirWeb",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(
            name: "WeirStandardTests",
            dependencies: [
                "TestSupport", "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStandard",
                "WeirStates", "WeirTesting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "WeirFilesTests",
            dependencies: [
                "TestSupport", "WeirBoards", "WeirFiles", "WeirFlows", "WeirJournals", "WeirOperations", "WeirPostgres",
                "WeirStandard", "WeirStates", "WeirTesting",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "WeirCommandTests",
            dependencies: [
                "TestSupport", "WeirAccess", "WeirBoards", "WeirCommand", "WeirFiles", "WeirFlows", "WeirJournals",
                "WeirOperations", "WeirPages", "WeirStandard", "WeirStates", "WeirTelemetry", "WeirWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .testTarget(
            name: "WeirTestingTests",
            dependencies: [
                "MarkupTesting", "WeirBoards", "WeirFlows", "WeirOperations", "WeirPages", "WeirStates", "WeirTesting",
            ]),
        .testTarget(name: "MarkupTestingTests", dependencies: ["MarkupTesting"]),
        // Compiled as another package would be: it sees only public declarations.
        .testTarget(
            name: "PublicTests",
            dependencies: ["Weir", .product(name: "Hummingbird", package: "hummingbird")], packageAccess: false),
        // The parsers of Tests/Fuzz, with the inputs that fuzzing has kept.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "WeirAccess", "WeirBoards", "WeirCommand", "WeirFiles", "WeirJournals", "WeirOperations", "WeirPages",
                "WeirStandard", "WeirStates", "WeirStores", "WeirWeb",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], exclude: ["Harness/Fuzz.swift"]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .treatAllWarnings(as: .error),
        ]
}

// MARK: Tools with build folders of their own

// `script/fuzz` builds the sources so that libFuzzer sees which branches an input takes.
if Context.environment["WEIR_FUZZING"] != nil {
    let parsers = package.targets.first { $0.name == "FuzzTests" }
    package.targets.removeAll { $0.type == .test }
    package.products.removeAll { $0.name == "weir" }
    package.targets = package.targets.map { target in
        guard target.name.hasPrefix("Weir") else { return target }
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]))
        guard target.name == "WeirCommand" else { return target }
        // `fuzz` links the command as a library.
        let settings = (target.swiftSettings ?? []) + [.define("FUZZING")]
        return .target(name: target.name, dependencies: target.dependencies, swiftSettings: settings)
    }
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: parsers?.dependencies ?? [], path: "Tests/Fuzz/Harness",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .unsafeFlags(["-parse-as-library"]),
            ], linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}

// `swift run -c release --scratch-path .build-benchmarks FlowBenchmarks` measures flows, `JournalBenchmarks` journals.
if Context.environment["WEIR_BENCHMARKS"] != nil {
    package.platforms = [.macOS("26.0")]
    package.dependencies.append(.package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"))
    package.targets += [
        .executableTarget(
            name: "FlowBenchmarks",
            dependencies: [
                "WeirFlows", .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ], path: "Benchmarks/Sources/FlowBenchmarks"),
        .executableTarget(
            name: "JournalBenchmarks",
            dependencies: [
                "WeirBoards", "WeirFlows", "WeirJournals", "WeirOperations", "WeirStates", "WeirStores",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], path: "Benchmarks/Sources/JournalBenchmarks"),
    ]
}
