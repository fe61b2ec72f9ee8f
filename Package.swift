// swift-tools-version: 6.2
import PackageDescription

// What each target is for, and the direction of every arrow, is told in Documentation/architecture.md.
// `.ci/run` holds every `import` in Sources against the dependencies given here.

let package = Package(
    name: "weir",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "Flows", targets: ["Flows"]),
        .library(name: "FlowsOpenCombine", targets: ["FlowsOpenCombine"]),
        .library(name: "Stores", targets: ["Stores"]),
        .library(name: "OperationTesting", targets: ["OperationTesting"]),
        .library(name: "StoreTesting", targets: ["StoreTesting"]),
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
        .package(
            url: "https://github.com/apple/swift-configuration.git", from: "1.4.0",
            traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
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
        // MARK: Streams of state
        .target(name: "Flows"),
        .target(
            name: "FlowsOpenCombine",
            dependencies: ["Flows", .product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "States"),
        .target(name: "Patterns", dependencies: ["CPCRE2"]),
        .target(name: "Operations", dependencies: ["Flows", "Patterns", "States"]),
        .target(name: "Stores", dependencies: ["Flows", "States"]),
        .target(
            name: "StoreTesting",
            dependencies: [
                "Stores", "Flows", "TestClocks",
                .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                // Without it, what a `TestStore` reports reaches no test framework on Linux.
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]),

        // MARK: What is kept
        .target(name: "Journals", dependencies: ["Flows", "States"]),
        .target(
            name: "JournalsSQLite",
            dependencies: [
                "Flows", "Journals", "States", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(name: "JournalsPostgres", dependencies: ["CPostgreSQL", "Flows", "Journals", "States"]),
        .target(name: "Schedules", dependencies: ["Journals"]),
        .target(
            name: "Boards",
            dependencies: [
                "Access", "Flows", "States", "Operations", "Stores", "Journals", "Schedules",
                .product(name: "Logging", package: "swift-log"),
            ]),

        // MARK: Who may see and do what
        .target(
            name: "Access",
            dependencies: [
                "Flows", "States", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        .target(
            name: "AccessOIDC",
            dependencies: [
                "Access", "Flows", "HTTPGuards", "States",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),

        .target(
            name: "HTTPGuards",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .target(name: "SQLiteFiles", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
        .target(
            name: "AccessSQLite",
            dependencies: ["Access", "SQLiteFiles", .product(name: "GRDB", package: "GRDB.swift")]),
        .target(name: "AccessPostgres", dependencies: ["Access", "Journals", "JournalsPostgres"]),

        // MARK: What other systems send and are sent
        .target(name: "Webhooks", dependencies: ["States", .product(name: "Crypto", package: "swift-crypto")]),

        // MARK: What is seen
        .target(
            name: "Pages",
            dependencies: [
                "Access", "Webhooks", "Flows", "States", "Operations", "Journals", "Schedules", "Boards",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.copy("../../Templates")]),
        .target(
            name: "Web",
            dependencies: [
                "CZlib", "Access", "Webhooks", "Flows", "States", "Operations", "Stores", "Journals", "Schedules",
                "Boards",
                "Pages",
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
            ],
            resources: [.copy("../../Public")]),

        .target(
            name: "Weir",
            dependencies: [
                "Access", "Flows", "States", "Operations", "Stores", "Journals", "JournalsSQLite", "Schedules",
                "Boards",
                "Pages", "Web", .product(name: "Logging", package: "swift-log"),
            ]),

        // MARK: What is run
        .target(
            name: "StandardOperations",
            dependencies: [
                "CZlib", "Flows", "HTTPGuards", "States", "Operations", "Stores",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .target(
            name: "StandardStores", dependencies: ["States", "Operations", "Stores", "Journals", "Boards", "CMarkGFM"]),
        .executableTarget(name: "CommandHelper"),
        .target(
            name: "Commands",
            dependencies: [
                "States",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .target(
            name: "OperationFiles",
            dependencies: [
                "Commands", "Flows", "Patterns", "States", "Operations", "Schedules", "StandardOperations", "Webhooks",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Yams", package: "Yams"),
            ]),
        .target(
            name: "Deliveries",
            dependencies: [
                "Boards", "Commands", "Flows", "Journals", "SQLiteFiles", "StandardOperations", "States", "Webhooks",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .target(
            name: "WeirClient",
            dependencies: [
                "Commands", "HTTPGuards", "States",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(
            name: "WeirCommand",
            dependencies: [
                "CommandHelper", "Commands", "Deliveries", "OperationFiles", "Webhooks", "WeirClient", "Flows",
                "States",
                "Operations",
                "Journals", "JournalsPostgres", "JournalsSQLite", "Access", "AccessOIDC", "AccessPostgres",
                "AccessSQLite", "Boards",
                "Pages", "Web",
                "StandardOperations", "StandardStores",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]),

        // MARK: For tests
        .target(name: "TestClocks", dependencies: ["Flows"]),
        .target(
            name: "OperationTesting", dependencies: ["Flows", "States", "Operations", "Boards", "Pages", "TestClocks"]),
        .target(name: "MarkupTesting", dependencies: ["CLibXML2"], resources: [.copy("Schemas")]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CMarkGFM", pkgConfig: "libcmark-gfm",
            providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"]), .brew(["cmark-gfm"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // What several of our own tests need; in no product.
        .target(
            name: "TestSupport",
            dependencies: [
                "Flows", "States", "Operations", "TestClocks", .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "FlowsTests", dependencies: ["Flows", "States", "TestClocks", "TestSupport"]),
        .testTarget(
            name: "FlowsOpenCombineTests",
            dependencies: ["FlowsOpenCombine", "Flows", .product(name: "OpenCombine", package: "OpenCombine")]),
        .testTarget(name: "StatesTests", dependencies: ["States", "TestSupport"]),
        .testTarget(
            name: "OperationsTests",
            dependencies: ["Operations", "Flows", "Patterns", "States", "TestClocks", "TestSupport"]),
        .testTarget(
            name: "OperationTestingTests",
            dependencies: ["OperationTesting", "MarkupTesting", "Operations", "States", "Flows", "Boards", "Pages"]),
        .testTarget(name: "StoresTests", dependencies: ["Stores", "StoreTesting", "Flows", "States", "TestSupport"]),
        .testTarget(
            name: "JournalsTests",
            dependencies: [
                "CPostgreSQL", "Journals", "JournalsPostgres", "JournalsSQLite", "States", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(name: "SchedulesTests", dependencies: ["Schedules", "Journals"]),
        .testTarget(
            name: "BoardsTests",
            dependencies: [
                "Access", "Boards", "Operations", "Schedules", "Stores", "Journals", "States", "Flows", "TestClocks",
                "TestSupport", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "PagesTests",
            dependencies: [
                "Access", "Pages", "Boards", "Journals", "JournalsSQLite", "Operations", "Schedules", "Stores",
                "States",
                "Flows", "StandardOperations", "StandardStores", "Commands", "MarkupTesting", "TestSupport",
            ], exclude: ["Documents/__Snapshots__"]),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "CZlib", "Access", "Web", "Webhooks", "Pages", "Boards", "Journals", "Operations", "Schedules",
                "Stores",
                "States", "Flows", "StandardOperations", "TestSupport",
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
            ]),
        .testTarget(
            name: "StandardOperationsTests",
            dependencies: [
                "StandardOperations", "HTTPGuards", "Operations", "Flows", "States", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "StandardStoresTests",
            dependencies: ["StandardStores", "StoreTesting", "Boards", "Journals", "States"]),
        .testTarget(
            name: "StoreExamplesTests",
            dependencies: ["Stores", "StoreTesting", "Flows", "Boards", "Journals", "Operations", "States"]),
        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Access", "AccessPostgres", "AccessSQLite", "Flows", "JournalsPostgres", "SQLiteFiles", "States",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "AccessOIDCTests",
            dependencies: [
                "AccessOIDC", "Access", "Flows", "States", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]),
        // The parsers of Tests/Fuzz, with the inputs that fuzzing has kept.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Access", "Boards", "Commands", "Journals", "OperationFiles", "Operations", "Pages", "Schedules",
                "StandardOperations", "StandardStores", "States", "Stores", "Web", "Webhooks", "WeirClient",
                "WeirCommand",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], exclude: ["Harness/Fuzz.swift"]),
        .testTarget(name: "MarkupTestingTests", dependencies: ["MarkupTesting"]),
        // Compiled as another package would be: it sees what is public and nothing else.
        .testTarget(
            name: "PublicTests",
            dependencies: ["Weir", .product(name: "Hummingbird", package: "hummingbird")], packageAccess: false),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "Commands", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "WebhooksTests",
            dependencies: ["Webhooks", "States", .product(name: "Crypto", package: "swift-crypto")]),
        .testTarget(
            name: "DeliveriesTests",
            dependencies: [
                "Deliveries", "Webhooks", "Boards", "Commands", "Flows", "Journals", "JournalsPostgres", "Operations",
                "StandardOperations", "States", "TestClocks", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "WeirClientTests",
            dependencies: [
                "WeirClient", "Commands", "Flows", "States", "TestClocks", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .testTarget(
            name: "OperationFilesTests",
            dependencies: [
                "OperationFiles", "Commands", "Flows", "Patterns", "States", "Operations", "Schedules",
                "StandardOperations", "TestClocks", "TestSupport", "Webhooks",
            ]),
        .testTarget(
            name: "WeirCommandTests",
            dependencies: [
                "WeirCommand", "Commands", "OperationFiles", "Access", "AccessOIDC", "StandardStores", "Flows",
                "States", "Operations", "Journals", "JournalsSQLite", "Boards", "Pages", "TestSupport", "Web",
                "WeirClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
    ]
)

// MARK: The settings every target of ours has, in one place

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .treatAllWarnings(as: .error),
        ]
}
